import { resolve } from 'node:path';
import type { FetchedDay } from '../../../pipeline/fetch/fetch-source.ts';
import { dayFromDate } from '../../../runtime/day.ts';
import { AppError, ERROR_CODES } from '../../../runtime/errors.ts';
import type { FetchedFile } from '../../../schemas/upstreams.ts';
import { type CommandContext, defineCommand, option } from '../../cli/command.ts';
import { dayFromOption, textValue } from '../../cli/option-values.ts';

/** Specification "Fetching". */
export const fetchDay = defineCommand({
  name: 'fetch',
  description: "Fetch a source's files into the folder of a day, from which its night can be run again at any time",
  options: {
    source: option('<dir>', 'folder with the source.json (default: MODELSTATS_SOURCE)', textValue),
    into: option('<dir>', 'folder of the dated folders (default: the archive of nights)', textValue),
    day: option('<YYYY-MM-DD>', 'UTC day whose folder the files are put into (default: today)', textValue),
  },
  examples: ['modelstats fetch --source ./recipe --into ./raw'],
  notes: 'Exit codes: 0 complete, 2 usage or a missing variable, 4 a required file is missing, 1 other errors',
  async run(context, options) {
    const { config, clock, toolVersion, log } = context;
    const [{ runFetch }, { archiveFolder, loadFetchSettings }, { workErrorFrom }, { configuredFetch }] =
      await Promise.all([
        import('../../../pipeline/fetch/run-fetch.ts'),
        import('../../../pipeline/source/open-source.ts'),
        import('../../../pipeline/run/work-folder.ts'),
        import('./night-deps.ts'),
      ]);
    const source = options.source ?? config.places.source;
    if (source === undefined) throw new AppError('usage', 'set the source: --source DIR or MODELSTATS_SOURCE');
    const day = dayFromOption(options.day, clock());
    if (day > dayFromDate(clock())) throw new AppError('usage', `${day} is in the future`);
    const root = resolve(source);
    const settings = await loadFetchSettings(root);
    if (settings === undefined)
      throw new AppError('usage', `${root} has nothing to fetch: its source.json has no "fetch"`);
    const into = options.into === undefined ? archiveFolder(config.places.work) : resolve(options.into);
    const progress = context.showProgress({ total: settings.fetch.length });
    const setup = configuredFetch(config, { toolVersion, onBegin: ({ file }) => progress.next(file), onEnd: () => {} });
    try {
      const fetched = await runFetch({ root, settings, into, day }, setup, { clock, duckdb: config.duckdb });
      progress.clear();
      context.printResult(responseOf(fetched), () => describe(context, fetched));
      for (const warning of options.json ? [] : fetched.warnings) log(warning);
      return fetched.problems.length === 0 ? 0 : ERROR_CODES.source_rejected.exit;
    } catch (error) {
      throw workErrorFrom(error, into);
    } finally {
      progress.stop();
    }
  },
});

function responseOf({ folder, record, problems, warnings }: FetchedDay): object {
  const status = problems.length === 0 ? 'fetched' : 'incomplete';
  const files = record.files.map(({ etag: _, last_modified: __, ...file }) => file);
  return { status, day: record.day, folder, files, problems, warnings };
}

function describe({ paint }: CommandContext, { folder, record, problems }: FetchedDay): string {
  const lines = record.files.map(describeFile);
  if (problems.length === 0) return [`${paint.green('fetched')} ${record.day} into ${folder}`, ...lines].join('\n');
  const again = '  Run the same command again to fetch the missing files.';
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
