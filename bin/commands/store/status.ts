import { resolve } from 'node:path';
import type { Status } from '../../../pipeline/upkeep/status.ts';
import { plainNumber } from '../../../runtime/plain-number.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import { type CommandContext, defineCommand, flag } from '../../cli/command.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

/** Decision 0095. */
export const status = defineCommand({
  name: 'status',
  description: 'Show the content of the store, the last night and suspect prices',
  options: {
    check: flag('exit with 1 if there are no data, they are stale or the last night needs attention'),
  },
  examples: ['modelstats status', 'modelstats status --check || echo "the data are stale, or a night needs attention"'],
  notes:
    'Exit codes: 0 it was read; with --check 1 if there are no data, they are stale or the last night needs attention',
  async run(context, { check }) {
    const { config, clock } = context;
    const [{ readStatus }, { openCron }, { findExpectedDay }, { lateAfter }] = await Promise.all([
      import('../../../pipeline/upkeep/status.ts'),
      import('../../../pipeline/schedule/cron.ts'),
      import('../../../pipeline/schedule/store-watch.ts'),
      import('../../config/configured-notices.ts'),
    ]);
    const cron = openCron(config.schedule.cron, {
      log: { error: (_: unknown, message?: string) => context.log(String(message)) },
    });
    const expectedDay = findExpectedDay(clock(), { cron, lateAfter: lateAfter(config) });
    const found = await readStatus(await openConfiguredStore(config, 'read'), {
      duckdb: config.duckdb,
      workFolder: resolve(config.places.work),
      expectedDay,
      clock,
    });
    context.printResult(found, () => describe(context, found));
    return check && (found.newest === null || found.is_stale || hasProblem(found)) ? 1 : 0;
  },
});

/** Whether the last night published nothing, and neither its day nor a later one is published. */
function hasProblem({ last_run, newest }: Status): boolean {
  return last_run !== null && !OVER.has(last_run.status) && (newest === null || newest.day < last_run.day);
}

const OVER = new Set(['published', 'already_published']);

function describe(context: CommandContext, found: Status): string {
  const { paint } = context;
  const { store, snapshots, first_day, newest, suspects, missing_files, restricted } = found;
  if (newest === null)
    return [
      `${store} has no snapshots yet; publish one with: modelstats nightly --source DIR`,
      ...describeRun(context, found),
    ].join('\n');
  const records = DATASET_NAMES.map((name) => `${newest.records[name]} ${name}`).join(', ');
  const lines = [
    `${paint.bold(store)}: ${snapshots} snapshots, ${first_day} to ${newest.day}`,
    `newest ${newest.day}, published ${newest.published_at}: ${records}`,
    ...(found.is_stale
      ? [`${paint.red('stale')}: ${found.expected_day} should be published by now, but the newest is ${newest.day}`]
      : []),
    ...describeRun(context, found),
    `feed: last seq ${newest.last_seq}, cursor ${newest.manifest.change_cursor}`,
    ...missing_files.map(
      ({ file, upstream, since, problem }) =>
        `${paint.red('missing')} since ${since}: ${file} of ${upstream}: ${problem}`,
    ),
    ...restricted.map(
      ({ source, license, datasets }) =>
        `${paint.bold('not for redistribution')}: ${datasets.join(', ')} of ${source}, ${license === null ? 'no licence known' : `licence ${license}`}`,
    ),
  ];
  if (suspects.length === 0) return lines.join('\n');
  return [
    ...lines,
    `${suspects.length} suspect prices are set aside (accept one: --accept-suspect ID):`,
    tableOf(context, suspects),
  ].join('\n');
}

function describeRun({ paint }: CommandContext, found: Status): readonly string[] {
  const { last_run: run } = found;
  if (run === null) return [];
  if (OVER.has(run.status)) return [`last night ${run.day}: ${run.status} at ${run.finished_at}`];
  const isOver = !hasProblem(found);
  const advice = run.status === 'held' ? 'if the source is right' : 'when the source is corrected';
  const text = isOver ? `${run.status}, published since` : paint.red(run.status);
  return [
    `last night ${run.day}: ${text} at ${run.finished_at}`,
    ...run.reasons.slice(0, REASONS_MAX).map((reason) => `  ${reason}`),
    ...(run.next_command === null || isOver ? [] : [`  ${advice}, run: ${run.next_command}`]),
    `  details: ${run.report}`,
  ];
}

/** The rest is in the report. */
const REASONS_MAX = 10;

function tableOf({ tableText }: CommandContext, suspects: Status['suspects']): string {
  const rows = suspects.map(({ entity_id, input_per_million, output_per_million, rule, since, days }) => {
    const prices = [input_per_million, output_per_million].map((price) => (price === null ? '' : plainNumber(price)));
    return [`pricing:${entity_id}`, ...prices, rule, since, days];
  });
  return tableText(['ID', 'input', 'output', 'breaks', 'since', 'days'], rows);
}
