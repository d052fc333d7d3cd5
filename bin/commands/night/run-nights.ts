import { resolve } from 'node:path';
import { describeReason, type SetAside } from '../../../pipeline/night/check/issues.ts';
import { type NightRequest, runNight } from '../../../pipeline/night/night.ts';
import { type NightResult, nightCommand } from '../../../pipeline/night/night-result.ts';
import type { Preview } from '../../../pipeline/night/preview.ts';
import { goneFrom } from '../../../pipeline/notices/notice.ts';
import { tidyRuns } from '../../../pipeline/run/work-folder.ts';
import { describeDayLike, listSourceDays } from '../../../pipeline/source/source-folder.ts';
import type { Day } from '../../../runtime/day.ts';
import { AppError, ERROR_CODES, isAppError, messageFromError } from '../../../runtime/errors.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import { loadCatalog, newestEntry } from '../../../storage/catalog.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { CommandContext } from '../../cli/command.ts';
import { describeChanges } from '../../cli/describe-changes.ts';
import { dayFromOption } from '../../cli/option-values.ts';
import { paint, tableText } from '../../cli/terminal.ts';
import { recordStoreAction } from '../../config/configured-accounts.ts';
import { noticeLog, openConfiguredNotices } from '../../config/configured-notices.ts';
import { nightDeps } from './night-deps.ts';

interface NightsOptions {
  readonly source: string | undefined;
  readonly day: string | undefined;
  readonly allDays: boolean | undefined;
  readonly dryRun: boolean | undefined;
  readonly accept: boolean | undefined;
  readonly acceptSuspect: readonly string[] | undefined;
  readonly json: boolean;
}

const EXIT_CODES: Readonly<Record<NightResult['status'], number>> = {
  published: 0,
  dry_run: 0,
  already_published: 0,
  held: ERROR_CODES.held.exit,
  rejected: ERROR_CODES.source_rejected.exit,
};

/**
 * Runs one night, or all unpublished dated folders in order (specification "Stages of a night"; specification "Exit
 * codes").
 */
export async function runNights(context: CommandContext, options: NightsOptions): Promise<number> {
  const source = options.source ?? context.config.places.source;
  if (source === undefined) throw new AppError('usage', 'set the source: --source DIR or MODELSTATS_SOURCE');
  if (options.allDays && options.day !== undefined)
    throw new AppError('usage', '--all-days and --day exclude each other');
  const days = options.allDays ? await allDays(source, context.log) : [dayFromOption(options.day, context.clock())];
  const request = {
    source: resolve(source),
    dryRun: options.dryRun ?? false,
    accept: options.accept ?? false,
    acceptSuspects: options.acceptSuspect ?? [],
  };
  const notices = request.dryRun ? undefined : openNightlyNotices(context, request);
  let day = days[0];
  try {
    return await runDays(context, {
      days,
      request,
      skipLate: options.allDays ?? false,
      json: options.json,
      onBegin: (begun) => {
        day = begun;
      },
      onEnd: async (result) => notices?.end(result),
    });
  } catch (error) {
    if (day !== undefined) await notices?.fail(day, error);
    throw error;
  }
}

interface DaysInput {
  readonly days: readonly Day[];
  readonly request: Omit<NightRequest, 'day'>;
  /** Skips and logs days that can't be published any more, instead of failing at the first. */
  readonly skipLate: boolean;
  readonly json: boolean;
  readonly onBegin: (day: Day) => void;
  /** Awaited before the next day. */
  readonly onEnd: (result: NightResult) => Promise<void>;
}

async function runDays(context: CommandContext, input: DaysInput): Promise<number> {
  const { days, request, skipLate, json } = input;
  const progress = context.showProgress({ total: days.length });
  const deps = await nightDeps(context, {
    access: request.dryRun ? 'read' : 'write',
    onStage: progress.part,
    onFile: (file) => progress.part(`fetch ${file}`),
  });
  if (!request.dryRun && (request.accept || request.acceptSuspects.length > 0)) {
    const details = { days, accept: request.accept, accept_suspects: request.acceptSuspects };
    await recordStoreAction(context, { action: 'night.accept', store: deps.store.url, details });
  }
  await tidyRuns(deps.workFolder, context.clock());
  const late = skipLate ? await findLateDays(deps.store, days) : [];
  for (const day of late)
    context.log(`${day}: skipped, because it is before the newest snapshot and was never published`);
  let exitCode = 0;
  try {
    for (const day of days.filter((candidate) => !late.includes(candidate))) {
      progress.next(day);
      input.onBegin(day);
      const result = await runNight({ ...request, day }, deps);
      progress.clear();
      response(context, result, json);
      await input.onEnd(result);
      exitCode = EXIT_CODES[result.status];
      if (exitCode !== 0) break;
      // The next day would need the result of this dry run.
      if (result.status === 'dry_run') break;
    }
  } finally {
    progress.stop();
  }
  return exitCode;
}

function response({ print, log }: CommandContext, result: NightResult, json: boolean): void {
  print(json ? JSON.stringify(result) : describeNight(result));
  for (const warning of json ? [] : result.warnings) log(`${result.day}: ${warning}`);
}

/** Unpublished days before the newest snapshot can't be published any more (specification "One release per day"). */
async function findLateDays(store: ObjectStore, days: readonly Day[]): Promise<readonly Day[]> {
  const { catalog } = await loadCatalog(store);
  const published = new Set(catalog?.releases.map(({ day }) => day));
  const newest = newestEntry(catalog)?.day;
  return newest === undefined ? [] : days.filter((day) => day < newest && !published.has(day));
}

/** Logs folders that only look like days. */
async function allDays(source: string, log: CommandContext['log']): Promise<readonly Day[]> {
  const [days, dayLike] = [await listSourceDays(source), await describeDayLike(source)];
  if (days.length === 0) {
    const hint = dayLike === undefined ? '' : `; ${dayLike}`;
    throw new AppError('source_rejected', `${source} has no folders named YYYY-MM-DD${hint}`);
  }
  if (dayLike !== undefined) log(dayLike);
  return days;
}

/** Notices of a night that isn't scheduled. Resolve when sent or given up. */
interface NightlyNotices {
  readonly end: (result: NightResult) => Promise<void>;
  readonly fail: (day: Day, error: unknown) => Promise<void>;
}

/**
 * For a `nightly` run by cron or a person; undefined without targets, as for a night of the scheduler, which sends its
 * own.
 */
function openNightlyNotices(context: CommandContext, request: Omit<NightRequest, 'day'>): NightlyNotices | undefined {
  const notices = openConfiguredNotices(context, { log: noticeLog(context.log) });
  if (notices === undefined) return undefined;
  return {
    async end({ status, day, problems, preview, next_command: nextCommand, report }) {
      if (status === 'published' || status === 'already_published') return notices.published(day);
      if (status === 'dry_run') return;
      const gone = goneFrom(preview);
      await notices.send({ kind: status, day, at: context.clock(), reasons: problems, gone, nextCommand, report });
    },
    async fail(day, error) {
      // Usage errors are the caller's, not the night's.
      if (isAppError(error, 'usage')) return;
      const nextCommand = nightCommand({ ...request, day });
      await notices.send({ kind: 'failed', day, at: context.clock(), reasons: [messageFromError(error)], nextCommand });
    },
  };
}

export function describeNight(result: NightResult): string {
  const text = describeStatus(result);
  return result.preview === undefined ? text : `${text}\n${describePreview(result.preview)}`;
}

function describeStatus(result: NightResult): string {
  const { day, status } = result;
  switch (status) {
    case 'published':
    case 'dry_run':
      return `${paint.green(status === 'dry_run' ? 'would publish' : 'published')} ${day}  ${describeContent(result)}`;
    case 'already_published':
      return `${paint.dim('already published')} ${day}  (${result.published_at})`;
    case 'held':
    case 'rejected':
      return [
        `${paint.red(status)} ${day}`,
        ...result.problems.map((problem) => `  ${problem}`),
        ...advice(result),
      ].join('\n');
  }
}

function describeContent({ records, events, first_seq, last_seq, quarantined, suspects_pending }: NightResult): string {
  const counts = DATASET_NAMES.map((name) => `${records?.[name] ?? 0} ${name}`).join(', ');
  const seqs = first_seq === null ? 'no change' : `seq ${first_seq} to ${last_seq}`;
  const changes = events === null ? '' : `${events.upsert} upserts, ${events.delete} deletes (${seqs})`;
  const aside = [
    ...(quarantined > 0 ? [`${quarantined} rows quarantined`] : []),
    ...(suspects_pending > 0 ? [`${suspects_pending} suspect prices held back`] : []),
  ];
  return [counts, changes, ...aside].join('; ');
}

function advice({ status, next_command: command, report }: NightResult): readonly string[] {
  const when = status === 'held' ? 'If the source is right' : 'When the source is corrected';
  return [
    '  Nothing was published.',
    ...(command === null ? [] : [`  ${when}, run: ${command}`]),
    ...(report === null ? [] : [`  Details: ${report}/report.json and issues.jsonl`]),
  ];
}

/** A table of all datasets, examples of each kind of change, and what was set aside. */
function describePreview({ datasets, set_aside }: Preview): string {
  const aside = set_aside.map(describeSetAside);
  return [describeChanges(datasets, tableText), ...(aside.length === 0 ? [] : ['set aside:', ...aside])].join('\n');
}

function describeSetAside(reason: SetAside): string {
  return `  ${reason.dataset}: ${describeReason(reason)}`;
}
