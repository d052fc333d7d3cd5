import { resolve } from 'node:path';
import { ulid } from 'ulid';
import { type NightDeps, type NightRequest, runNight } from '../../pipeline/night.ts';
import type { NightResult } from '../../pipeline/night-result.ts';
import { tidyRuns } from '../../pipeline/run-folder.ts';
import { listSourceDays } from '../../pipeline/source.ts';
import { type Day, dayFromDate, isDay } from '../../schemas/day.ts';
import { AppError, ERROR_CODES } from '../../schemas/errors.ts';
import { openConfiguredStore } from '../configured-store.ts';
import { describeNight } from '../describe-night.ts';
import { showProgress } from '../progress.ts';
import { type CommandContext, duckdbSettings } from './command-context.ts';

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
  already_published: 0,
  held: ERROR_CODES.held.exit,
  rejected: ERROR_CODES.source_rejected.exit,
};

/** `modelstats nightly`: one night, or every dated folder that isn't published yet, in order (DESIGN §5, §10). */
export async function nightly(context: CommandContext, options: NightlyOptions): Promise<number> {
  const source = options.source ?? context.config.SOURCE;
  if (source === undefined) throw new AppError('usage', 'name the source: --source DIR or MODELSTATS_SOURCE');
  if (options.allDays && options.day !== undefined)
    throw new AppError('usage', '--all-days and --day exclude each other');
  const days = options.allDays ? await allDays(source) : [dayFromOption(options.day, context.clock())];
  const request = {
    source: resolve(source),
    dryRun: options.dryRun ?? false,
    accept: options.accept ?? false,
    acceptSuspects: options.acceptSuspect ?? [],
  };
  return runDays(context, { days, request, json: options.json ?? false });
}

interface DaysInput {
  readonly days: readonly Day[];
  readonly request: Omit<NightRequest, 'day'>;
  readonly json: boolean;
}

async function runDays(context: CommandContext, { days, request, json }: DaysInput): Promise<number> {
  const progress = showProgress(context, { total: days.length });
  const deps = await nightDeps(context, { access: request.dryRun ? 'read' : 'write', onStage: progress.part });
  await tidyRuns(deps.workFolder, context.clock());
  let exitCode = 0;
  try {
    for (const day of days) {
      progress.next(day);
      const result = await runNight({ ...request, day }, deps);
      progress.clear();
      context.print(json ? JSON.stringify(result) : describeNight(result));
      for (const warning of json ? [] : result.warnings) context.log(`${day}: ${warning}`);
      exitCode = EXIT_CODES[result.status];
      if (exitCode !== 0) break;
      // A dry run leaves nothing for the next day to start from.
      if (request.dryRun && result.status === 'published') break;
    }
  } finally {
    progress.stop();
  }
  return exitCode;
}

async function nightDeps(
  { config, clock, toolVersion }: CommandContext,
  { access, onStage }: Pick<NightDeps, 'onStage'> & { readonly access: 'read' | 'write' },
): Promise<NightDeps> {
  return {
    store: await openConfiguredStore(config, access),
    clock,
    newRunId: () => ulid(clock().getTime()),
    workFolder: resolve(config.WORK),
    duckdb: duckdbSettings(config),
    limits: { lineBytesMax: config.LINE_BYTES_MAX, fileBytesMax: config.FILE_BYTES_MAX },
    uploadsMax: config.UPLOADS_MAX,
    toolVersion,
    onStage,
  };
}

async function allDays(source: string): Promise<readonly Day[]> {
  const days = await listSourceDays(source);
  if (days.length === 0) throw new AppError('source_rejected', `${source} has no folders named YYYY-MM-DD`);
  return days;
}

function dayFromOption(day: string | undefined, now: Date): Day {
  if (day === undefined) return dayFromDate(now);
  if (!isDay(day)) throw new AppError('usage', `--day ${day} is not a calendar day YYYY-MM-DD`);
  return day;
}
