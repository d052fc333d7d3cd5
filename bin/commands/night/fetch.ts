import { resolve } from 'node:path';
import type { FetchedDay } from '../../../pipeline/fetch/fetch-source.ts';
import { runFetch } from '../../../pipeline/fetch/run-fetch.ts';
import { workErrorFrom } from '../../../pipeline/run/work-folder.ts';
import { archiveFolder, loadFetchSettings } from '../../../pipeline/source/open-source.ts';
import { dayFromDate } from '../../../runtime/day.ts';
import { AppError, ERROR_CODES } from '../../../runtime/errors.ts';
import type { FetchedFile } from '../../../schemas/upstreams.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { dayFromOption } from '../../cli/option-values.ts';
import { paint } from '../../cli/paint.ts';
import { showProgress } from '../../cli/progress.ts';
import { duckdbSettings } from '../../config/configured-duckdb.ts';
import { configuredFetch } from '../../config/night/configured-fetch.ts';

export interface FetchOptions {
  readonly source?: string;
  readonly into?: string;
  readonly day?: string;
  readonly json?: boolean;
}

/** `modelstats fetch`: what a source lists, into the folder of a day of an archive (specification "Fetching"). */
export async function fetchDay(context: CommandContext, options: FetchOptions): Promise<number> {
  const { config, clock, toolVersion, print, log } = context;
  const source = options.source ?? config.SOURCE;
  if (source === undefined) throw new AppError('usage', 'name the source: --source DIR or MODELSTATS_SOURCE');
  const day = dayFromOption(options.day, clock());
  if (day > dayFromDate(clock())) throw new AppError('usage', `${day} is in the future`);
  const root = resolve(source);
  const settings = await loadFetchSettings(root);
  if (settings === undefined)
    throw new AppError('usage', `${root} lists nothing to fetch: its source.json has no fetch`);
  const into = options.into === undefined ? archiveFolder(config.WORK) : resolve(options.into);
  const progress = showProgress(context, { total: settings.fetch.length });
  const setup = configuredFetch(config, { toolVersion, onBegin: ({ file }) => progress.next(file), onEnd: () => {} });
  try {
    const fetched = await runFetch({ root, settings, into, day }, setup, { clock, duckdb: duckdbSettings(config) });
    progress.clear();
    print(options.json ? JSON.stringify(answerOf(fetched)) : describe(fetched));
    for (const warning of options.json ? [] : fetched.warnings) log(warning);
    return fetched.problems.length === 0 ? 0 : ERROR_CODES.source_rejected.exit;
  } catch (error) {
    throw workErrorFrom(error, into);
  } finally {
    progress.stop();
  }
}

function answerOf({ folder, record, problems, warnings }: FetchedDay): object {
  const status = problems.length === 0 ? 'fetched' : 'incomplete';
  const files = record.files.map(({ etag: _, last_modified: __, ...file }) => file);
  return { status, day: record.day, folder, files, problems, warnings };
}

function describe({ folder, record, problems }: FetchedDay): string {
  const lines = record.files.map(describeFile);
  if (problems.length === 0) return [`${paint.green('fetched')} ${record.day} into ${folder}`, ...lines].join('\n');
  const again = '  The same command again fetches what is missing.';
  return [
    `${paint.red('incomplete')} ${record.day} in ${folder}`,
    ...lines,
    ...problems.map((one) => `  ${one}`),
    again,
  ].join('\n');
}

function describeFile({ file, status, bytes, upstream, unzipped }: FetchedFile): string {
  const inside = unzipped === null ? '' : `, ${unzipped.files} files in it`;
  return `  ${status.padEnd(9)} ${file} of ${upstream}${bytes === null ? '' : `, ${bytes} bytes${inside}`}`;
}
