import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describeReason } from '../../../pipeline/night/check/issues.ts';
import type { NightResult } from '../../../pipeline/night/night-result.ts';
import { listSourceDays } from '../../../pipeline/source/source-folder.ts';
import { type Day, dayFromDate } from '../../../runtime/day.ts';
import { ERROR_CODES } from '../../../runtime/errors.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import { argument, type CommandContext, commandGroup, defineCommand, option } from '../../cli/command.ts';
import { dayFromOption, textValue } from '../../cli/option-values.ts';

/** Runs a first night of the source, after fetching, and discards it. */
const check = defineCommand({
  name: 'check',
  description: 'Check a source: what is missing, wrong or ignored; needs no store and stores nothing',
  arguments: { dir: argument('folder with the raw data, or with a source.json that lists files to fetch') },
  options: { day: option('<YYYY-MM-DD>', 'the day to read (default: its newest dated folder, else today)', textValue) },
  examples: ['modelstats source check ./raw'],
  notes: 'Exit codes: 0 it can be published, 2 usage, 4 it would be rejected, 1 other errors',
  async run(context, { dir, day: requested }) {
    const [{ runNight }, { nightDeps }] = await Promise.all([
      import('../../../pipeline/night/night.ts'),
      import('./night-deps.ts'),
    ]);
    const source = resolve(dir);
    const day =
      requested === undefined ? await newestDay(source, context.clock()) : dayFromOption(requested, context.clock());
    const folder = await mkdtemp(join(tmpdir(), 'modelstats-source-'));
    const progress = context.showProgress({ total: 1 });
    try {
      const places = { ...context.config.places, store: `file:${join(folder, 'store')}`, work: join(folder, 'work') };
      const config = { ...context.config, places };
      const deps = await nightDeps(
        { ...context, config },
        { access: 'read', onStage: progress.part, onFile: (file) => progress.part(`fetch ${file}`) },
      );
      progress.next(day);
      const request = { day, source, dryRun: true, accept: true, acceptSuspects: [] };
      const result = await runNight(request, deps);
      progress.clear();
      context.printResult(responseOf(source, result), () => describe(context, source, result));
      return result.status === 'rejected' ? ERROR_CODES.source_rejected.exit : 0;
    } finally {
      progress.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
});

export const source = commandGroup('source', 'Check a source', [check]);

/** Its newest dated folder, else today. */
async function newestDay(folder: string, now: Date): Promise<Day> {
  return (await listSourceDays(folder)).at(-1) ?? dayFromDate(now);
}

function responseOf(folder: string, { status, day, records, quarantined, problems, warnings, preview }: NightResult) {
  const isOk = status !== 'rejected';
  return {
    ok: isOk,
    source: folder,
    day,
    records,
    quarantined,
    problems,
    set_aside: preview?.set_aside ?? [],
    warnings,
  };
}

function describe(
  { paint }: CommandContext,
  folder: string,
  { status, day, records, problems, warnings, preview }: NightResult,
): string {
  const notes = warnings.map((warning) => `  ${warning}`);
  if (status === 'rejected') {
    return [`${paint.red('rejected')} ${folder}, ${day}`, ...problems.map((one) => `  ${one}`), ...notes].join('\n');
  }
  const counts = DATASET_NAMES.map((name) => `${records?.[name] ?? 0} ${name}`).join(', ');
  const aside = (preview?.set_aside ?? []).map((reason) => `  ${reason.dataset}: ${describeReason(reason)}`);
  return [`${paint.green('can be published')} ${folder}, ${day}: ${counts}`, ...notes, ...aside].join('\n');
}
