import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SECOND_DAY } from '../night.ts';
import { gigabytes, median, type ResultTable, seconds } from '../results.ts';
import { servedDay, startApi } from './servers.ts';
import {
  type ApiBenchOptions,
  type ApiStage,
  copyBefore,
  prepareApi,
  publishSecondDay,
  uploadSecondDay,
} from './stages.ts';

const CHANGED = 0.01;

interface Built {
  readonly buildMs: number;
  readonly peakBytes: number;
  readonly fileBytes: number;
}

/** What a view costs: built from nothing, and extended by a night. */
export async function measureViews(sizes: readonly number[], options: ApiBenchOptions): Promise<ResultTable> {
  const rows: (readonly string[])[] = [];
  for (const size of sizes) {
    const scores = Math.round(size);
    const stage = await prepareApi({ scores, changed: CHANGED }, options);
    const rounds: { readonly anew: Built; readonly extended: Built }[] = [];
    for (let round = 0; round < options.repeats; round += 1) {
      rounds.push({ anew: await buildAnew(stage, options), extended: await extend(stage, options) });
    }
    const cells = (built: readonly Built[]) => [
      seconds(median(built.map((one) => one.buildMs))),
      gigabytes(Math.max(...built.map((one) => one.peakBytes))),
      (median(built.map((one) => one.fileBytes)) / 1e6).toFixed(0),
    ];
    const [anew, extended] = [cells(rounds.map((round) => round.anew)), cells(rounds.map((round) => round.extended))];
    rows.push([String(scores), ...anew, ...extended]);
  }
  return {
    title: 'Building a view',
    columns: [
      ...['scores', 'from nothing s', 'peak memory GB', 'files MB'],
      ...['extended by a night s', 'peak memory GB', 'files MB'],
    ],
    rows,
    note:
      'From nothing: the releases of two days. Extended: the second day, 1 % changed, onto a view of the first, while that one is open. ' +
      `Peak memory of the process of \`modelstats serve\`. Medians of ${options.repeats} rounds; the largest peak.`,
  };
}

async function buildAnew(stage: ApiStage, { env }: ApiBenchOptions): Promise<Built> {
  const view = await emptyView(stage);
  const api = await startApi({ store: stage.after, view, env });
  const { peakBytes } = await api.stop();
  return { buildMs: await buildMs(view, false), peakBytes, fileBytes: await fileBytes(view) };
}

async function extend(stage: ApiStage, access: ApiBenchOptions): Promise<Built> {
  const view = await emptyView(stage);
  const store = await copyBefore(stage, 'store-extend');
  const env = { ...access.env, MODELSTATS_POLL_SECONDS: '1' };
  await (await startApi({ store, view, env })).stop();
  await uploadSecondDay(stage, store);
  const api = await startApi({ store, view, env });
  await publishSecondDay(store);
  while ((await servedDay(api.origin)) !== SECOND_DAY) await setTimeout(50);
  const { peakBytes } = await api.stop();
  return { buildMs: await buildMs(view, true), peakBytes, fileBytes: await fileBytes(view) };
}

async function emptyView({ folder }: ApiStage): Promise<string> {
  const view = join(folder, 'view-built');
  for (const path of [view, `${view}.log`]) await rm(path, { recursive: true, force: true });
  return view;
}

/** From the log: how long the last view of this kind took. */
async function buildMs(view: string, isExtended: boolean): Promise<number> {
  const lines = (await readFile(`${view}.log`, 'utf8')).split('\n').filter((line) => line.includes('"swapped"'));
  const events = lines.map((line) => JSON.parse(line) as { durationMs: number; isExtended: boolean }); // A ViewEvent.
  const last = events.findLast((event) => event.isExtended === isExtended);
  if (last === undefined) throw new Error(`${view}.log tells of no such view`);
  return last.durationMs;
}

async function fileBytes(view: string): Promise<number> {
  const names = (await readdir(view)).filter((name) => /^[0-9A-Z]{26}\./.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(view, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
