import { resolve } from 'node:path';
import { type NightRequest, runNight } from '../../../pipeline/night/night.ts';
import type { NightResult } from '../../../pipeline/night/night-result.ts';
import { tidyRuns } from '../../../pipeline/run/work-folder.ts';
import { describeDayLike, listSourceDays } from '../../../pipeline/source/source-folder.ts';
import type { Day } from '../../../runtime/day.ts';
import { AppError, ERROR_CODES } from '../../../runtime/errors.ts';
import { loadCatalog, newestEntry } from '../../../storage/catalog.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { dayFromOption } from '../../cli/option-values.ts';
import { showProgress } from '../../cli/progress.ts';
import { noteStoreAction } from '../../config/accounts/configured-accounts.ts';
import { describeNight } from './describe-night.ts';
import { nightDeps } from './night-deps.ts';
import { openNightlyNotices } from './nightly-notices.ts';

export interface NightlyOptions {
  readonly source?: string;
  readonly day?: string;
  readonly allDays?: boolean;
  readonly dryRun?: boolean;
  readonly accept?: boolean;
  readonly acceptSuspect?: readonly string[];
  readonly json?: boolean;
}

const EXIT_CODES: Readonly<Record<NightResult['status'], number>> = {
  published: 0,
  dry_run: 0,
  already_published: 0,
  held: ERROR_CODES.held.exit,
  rejected: ERROR_CODES.source_rejected.exit,
};

/**
 * `modelstats nightly`: one night, or every dated folder that isn't published yet, in order (specification "Stages of a night";
 * specification "Exit codes").
 */
export async function nightly(context: CommandContext, options: NightlyOptions): Promise<number> {
  const source = options.source ?? context.config.SOURCE;
  if (source === undefined) throw new AppError('usage', 'name the source: --source DIR or MODELSTATS_SOURCE');
  if (options.allDays && options.day !== undefined)
    throw new AppError('usage', '--all-days and --day exclude each other');
  const days = options.allDays ? await allDays(source, context.log) : [dayFromOption(options.day, context.clock())];
  const request = {
    source: resolve(source),
    dryRun: options.dryRun ?? false,
    accept: options.accept ?? false,
    acceptSuspects: options.acceptSuspect ?? [],
  };
  const told = request.dryRun ? undefined : openNightlyNotices(context, request);
  let day = days[0];
  try {
    return await runDays(context, {
      days,
      request,
      skipLate: options.allDays ?? false,
      json: options.json ?? false,
      onBegin: (begun) => {
        day = begun;
      },
      onEnd: async (result) => told?.end(result),
    });
  } catch (error) {
    if (day !== undefined) await told?.fail(day, error);
    throw error;
  }
}

interface DaysInput {
  readonly days: readonly Day[];
  readonly request: Omit<NightRequest, 'day'>;
  /** Leaves out days that can't be published any more, and logs them, rather than failing at the first. */
  readonly skipLate: boolean;
  readonly json: boolean;
  readonly onBegin: (day: Day) => void;
  /** Awaited before the next day begins. */
  readonly onEnd: (result: NightResult) => Promise<void>;
}

async function runDays(context: CommandContext, input: DaysInput): Promise<number> {
  const { days, request, skipLate, json } = input;
  const progress = showProgress(context, { total: days.length });
  const deps = await nightDeps(context, {
    access: request.dryRun ? 'read' : 'write',
    onStage: progress.part,
    onFile: (file) => progress.part(`fetch ${file}`),
  });
  if (!request.dryRun && (request.accept || request.acceptSuspects.length > 0)) {
    const details = { days, accept: request.accept, accept_suspects: request.acceptSuspects };
    await noteStoreAction(context, { action: 'night.accept', store: deps.store.url, details });
  }
  await tidyRuns(deps.workFolder, context.clock());
  const late = skipLate ? await findLateDays(deps.store, days) : [];
  for (const day of late) context.log(`${day}: left out, it is before the newest snapshot and was never published`);
  let exitCode = 0;
  try {
    for (const day of days.filter((candidate) => !late.includes(candidate))) {
      progress.next(day);
      input.onBegin(day);
      const result = await runNight({ ...request, day }, deps);
      progress.clear();
      answer(context, result, json);
      await input.onEnd(result);
      exitCode = EXIT_CODES[result.status];
      if (exitCode !== 0) break;
      // A dry run leaves nothing for the next day to start from.
      if (result.status === 'dry_run') break;
    }
  } finally {
    progress.stop();
  }
  return exitCode;
}

function answer({ print, log }: CommandContext, result: NightResult, json: boolean): void {
  print(json ? JSON.stringify(result) : describeNight(result));
  for (const warning of json ? [] : result.warnings) log(`${result.day}: ${warning}`);
}

/** Unpublished days before the newest snapshot. They can't be published any more (specification "One release per day"). */
async function findLateDays(store: ObjectStore, days: readonly Day[]): Promise<readonly Day[]> {
  const { catalog } = await loadCatalog(store);
  const published = new Set(catalog?.releases.map(({ day }) => day));
  const newest = newestEntry(catalog)?.day;
  return newest === undefined ? [] : days.filter((day) => day < newest && !published.has(day));
}

/** The days of a source; folders that only look like days are logged. */
async function allDays(source: string, log: CommandContext['log']): Promise<readonly Day[]> {
  const [days, dayLike] = [await listSourceDays(source), await describeDayLike(source)];
  if (days.length === 0) {
    const hint = dayLike === undefined ? '' : `; ${dayLike}`;
    throw new AppError('source_rejected', `${source} has no folders named YYYY-MM-DD${hint}`);
  }
  if (dayLike !== undefined) log(dayLike);
  return days;
}
