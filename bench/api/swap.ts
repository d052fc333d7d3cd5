import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SECOND_DAY } from '../night.ts';
import { median, type ResultTable } from '../results.ts';
import { percentile, type Sample } from './load-plan.ts';
import { startLoad } from './run-load.ts';
import { type Server, servedDay, startApi } from './servers.ts';
import {
  type ApiBenchOptions,
  type ApiStage,
  copyBefore,
  prepareApi,
  publishSecondDay,
  uploadSecondDay,
} from './stages.ts';

const CHANGED = 0.01;
const CONNECTIONS = 32;
/** About a third of what one core answers of this mix, so that the server is idle often enough for a disturbance to show. */
const PER_SECOND = 100;

interface Round {
  readonly quiet: readonly number[];
  readonly during: readonly number[];
  readonly after: readonly number[];
  readonly swapMs: number;
}

/** Specification "Performance goals": latencies while the next view is built and swapped in, against those before. */
export async function measureSwap(scores: number, options: ApiBenchOptions): Promise<ResultTable> {
  const stage = await prepareApi({ scores, changed: CHANGED }, options);
  const rounds: Round[] = [];
  for (let round = 0; round < options.repeats; round += 1) {
    const measured = await swapOnce(stage, options);
    options.progress(`  swap: p99 ${p99(measured.quiet).toFixed(1)} ms, during ${p99(measured.during).toFixed(1)} ms`);
    rounds.push(measured);
  }
  const middle = (value: (round: Round) => number) => median(rounds.map(value)).toFixed(1);
  const ratios = rounds.map(({ quiet, during }) => p99(during) / p99(quiet));
  return {
    title: 'View swap under load, a night with 1 % of the scores changed',
    columns: [
      ...['scores', 'p50 ms', 'p99 ms', 'p50 during', 'p99 during', 'ratio of p99', 'each round'],
      ...['largest during', 'p99 after', 'swap s', 'requests during'],
    ],
    rows: [
      [
        String(scores),
        middle(({ quiet }) => percentile(quiet, 0.5)),
        middle(({ quiet }) => p99(quiet)),
        middle(({ during }) => percentile(during, 0.5)),
        middle(({ during }) => p99(during)),
        median(ratios).toFixed(2),
        ratios.map((ratio) => ratio.toFixed(2)).join(' '),
        middle(({ during }) => percentile(during, 1)),
        middle(({ after }) => p99(after)),
        middle(({ swapMs }) => swapMs / 1000),
        median(rounds.map(({ during }) => during.length)).toFixed(0),
      ],
    ],
    note:
      `Goal: at most 3 times the p99 of before. ${PER_SECOND} requests start every second; latency counts from when they were due. A quarter each: ` +
      'a page of models, a page of scores, a model, a history. During: from the publication to one second after the swap. ' +
      `Medians of ${options.repeats} rounds, with a key, without quota.`,
  };
}

async function swapOnce(stage: ApiStage, { headers, env, seconds }: ApiBenchOptions): Promise<Round> {
  const store = await copyBefore(stage, 'store-swap');
  await uploadSecondDay(stage, store);
  const api = await startApi({
    store,
    view: join(stage.folder, 'view-swap'),
    env: { ...env, MODELSTATS_POLL_SECONDS: '1' },
  });
  const paths = await mixedPaths(api, headers);
  const plan = {
    origin: api.origin,
    paths,
    headers,
    connections: CONNECTIONS,
    perSecond: PER_SECOND,
    withSamples: true,
  };
  const load = await startLoad({ ...plan, seconds: SECONDS_MAX });
  await setTimeout(seconds * 4 * 1000);
  const publishedAt = Date.now();
  await publishSecondDay(store);
  while ((await servedDay(api.origin)) !== SECOND_DAY) await setTimeout(20);
  const swappedAt = Date.now();
  await setTimeout(seconds * 1000);
  load.stop();
  const { samples } = await load.result;
  await api.stop();
  const [first = [publishedAt]] = samples;
  const within = (from: number, to: number) =>
    samples.filter(([dueAt]: Sample) => dueAt >= from && dueAt < to).map(([, ms]) => ms);
  return {
    quiet: within(first[0] + seconds * 2 * 1000, publishedAt), // Before that, code is compiled and DuckDB's caches are filled.
    during: within(publishedAt, swappedAt + 1000),
    after: within(swappedAt + 1000, Number.POSITIVE_INFINITY),
    swapMs: swappedAt - publishedAt,
  };
}

/** The load's end where nobody stops it. */
const SECONDS_MAX = 600;

async function mixedPaths(api: Server, headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const sort of ['id', '-id', 'name', '-name', 'release_date', 'updated_at']) {
    const response = await fetch(`${api.origin}/v1/models?limit=200&sort=${sort}`, { headers });
    const { models } = (await response.json()) as { readonly models: readonly { readonly id: string }[] };
    for (const { id } of models) {
      const model = `/v1/models/${encodeURIComponent(id)}`;
      paths.push('/v1/models?limit=50', model, '/v1/scores?limit=100', `${model}/history?kind=score`);
    }
  }
  return paths;
}

function p99(values: readonly number[]): number {
  return percentile(values, 0.99);
}
