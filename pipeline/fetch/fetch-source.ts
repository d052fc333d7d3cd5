import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Day, timestampFromDate } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import type { FetchedFile } from '../../schemas/upstreams.ts';
import { eachAtOnce } from '../run/concurrency.ts';
import { isAnotherProcess } from '../run/work-folder.ts';
import { type FetchEntry, offFileFrom, unzipFolderOf } from '../source/fetch-list.ts';
import {
  describeFailure,
  type EarlierFile,
  type FetchRecord,
  isIntact,
  listEarlier,
  type RecordedFile,
  readFetchRecord,
  writeFetchRecord,
} from '../source/fetch-record.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import { assertFilled } from '../source/variables.ts';
import { type FetchFileDeps, fetchFile, type StoredFiles } from './fetch-file.ts';
import { copyOwnFiles } from './own-files.ts';
import { Reachability } from './reachability.ts';
import type { UpstreamFault } from './upstream-fault.ts';

export interface FetchRequest {
  /** With its `source.json`. */
  readonly root: string;
  readonly settings: Pick<SourceSettings, 'upstreams' | 'fetch' | 'off'>;
  /** The archive, which contains the dated folders. */
  readonly into: string;
  readonly day: Day;
  /** The last fetch in the night's store; a fetch without a night uses only its archive. */
  readonly stored?: StoredFiles | undefined;
}

export interface FetchDeps extends FetchFileDeps {
  /** Called when a file begins and ends; for one already complete, both at once. */
  readonly onBegin: (entry: FetchEntry) => void;
  readonly onEnd: (file: FetchedFile) => void;
}

export interface FetchedDay {
  readonly folder: string;
  readonly record: FetchRecord;
  /** Missing required files, with address and reason; the day can't be captured. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Fetches a source's files into a day's folder of an archive, so that the day can be captured again offline
 * (specification "Fetching"; decision 0072).
 *
 * Files appear only when complete and as expected. A fetch that was killed or lacks a required file resumes when called
 * again; one that had ended starts anew, with conditional requests. Rejects with `configuration` where a required file
 * needs a variable that isn't set.
 */
export async function fetchSource(request: FetchRequest, deps: FetchDeps): Promise<FetchedDay> {
  const { settings, into, day, root, stored = async () => undefined } = request;
  assertFilled(settings.fetch, deps.variables);
  const folder = join(into, day);
  const partials = await openPartials(folder);
  try {
    const before = await readFetchRecord(folder);
    await removeUnlisted(folder, { before, settings });
    const listed = [...settings.fetch, ...settings.off.fetch];
    const paths = listed.flatMap(({ file, unzip }) => (unzip === undefined ? [file] : [file, unzip]));
    const dayFetch = new DayFetch(folder, partials, {
      day,
      finished_at: null,
      ...resume(before, deps.clock()),
      upstreams: settings.upstreams,
      // Until a file is fetched again, its record stays valid.
      files: stillListed(before, settings.fetch),
      ...(settings.off.fetch.length === 0 ? {} : { off: settings.off.fetch.map(offFileFrom) }),
      carries: settings.fetch.some(({ carry }) => carry),
      own: await copyOwnFiles({ root, folder, partials, fetched: paths, before: before?.own ?? [] }),
    });
    await dayFetch.write();
    const earlier = await listEarlier(into, { day, ownRecord: before });
    const client = new Reachability(deps);
    const input = { dayFetch, earlier, stored, partials, deps: { ...deps, client } };
    // All write to one folder, so a failure waits for the others.
    await eachAtOnce(settings.fetch, deps.limits.concurrency, (entry) => fetchOne(entry, input));
    return await dayFetch.end(settings.fetch, { now: timestampFromDate(deps.clock()), unreachable: client.faults() });
  } finally {
    await rm(partials, { recursive: true, force: true });
  }
}

const PARTIALS = '.partial-';

/** Creates this process's folder for temporary files, and removes those of dead processes. */
async function openPartials(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const isLeft = name.startsWith(PARTIALS) && !isAnotherProcess(Number(name.slice(PARTIALS.length)));
    if (isLeft) await rm(join(folder, name), { recursive: true, force: true });
  }
  const partials = join(folder, `${PARTIALS}${process.pid}`);
  await mkdir(partials);
  return partials;
}

function resume(before: FetchRecord | undefined, now: Date): Pick<FetchRecord, 'started_at' | 'done'> {
  if (before === undefined || before.finished_at !== null) return { started_at: timestampFromDate(now), done: [] };
  return { started_at: before.started_at, done: before.done };
}

function stillListed(before: FetchRecord | undefined, entries: readonly FetchEntry[]): readonly RecordedFile[] {
  return (before?.files ?? []).filter((recorded) => entries.some((entry) => isOf(recorded, entry)));
}

function isOf({ upstream, url, file, unzipped, status }: RecordedFile, entry: FetchEntry): boolean {
  const isSame = upstream === entry.upstream && url === entry.url && file === entry.file;
  return isSame && (status === 'failed' || (unzipped?.folder ?? null) === (unzipFolderOf(entry) ?? null));
}

async function removeUnlisted(
  folder: string,
  { before, settings }: { readonly before: FetchRecord | undefined; readonly settings: FetchRequest['settings'] },
): Promise<void> {
  for (const recorded of before?.files ?? []) {
    if (settings.fetch.some((entry) => isOf(recorded, entry))) continue;
    await rm(join(folder, recorded.file), { force: true });
    if (recorded.unzipped !== null) await rm(join(folder, recorded.unzipped.folder), { recursive: true, force: true });
  }
}

interface FetchOneInput {
  readonly dayFetch: DayFetch;
  readonly earlier: readonly EarlierFile[];
  readonly stored: StoredFiles;
  readonly partials: string;
  readonly deps: FetchDeps;
}

async function fetchOne(
  entry: FetchEntry,
  { dayFetch, earlier, stored, partials, deps }: FetchOneInput,
): Promise<void> {
  deps.onBegin(entry);
  const done = await dayFetch.findDone(entry);
  const partial = join(partials, randomUUID());
  const file = done ?? (await fetchFile(entry, { folder: dayFetch.folder, partial, earlier, stored }, deps));
  if (done === undefined) await dayFetch.record(file);
  deps.onEnd(file);
}

class DayFetch {
  readonly folder: string;
  readonly #partials: string;
  #record: Omit<FetchRecord, 'format'>;
  #written: Promise<void> = Promise.resolve();

  constructor(folder: string, partials: string, record: Omit<FetchRecord, 'format'>) {
    this.folder = folder;
    this.#partials = partials;
    this.#record = record;
  }

  /** Undefined where the file must be fetched. */
  async findDone(entry: FetchEntry): Promise<RecordedFile | undefined> {
    const recorded = this.#find(entry);
    if (recorded === undefined || !this.#record.done.includes(recorded.file)) return undefined;
    return (await isIntact(this.folder, recorded)) ? recorded : undefined;
  }

  async record(file: RecordedFile): Promise<void> {
    const { files, done } = this.#record;
    const others = files.filter((other) => other.file !== file.file);
    this.#record = {
      ...this.#record,
      files: [...others, file],
      done: file.problem === null ? [...done, file.file] : done,
    };
    await this.write();
  }

  /** Writes are serialized: each replaces the whole file. */
  write(): Promise<void> {
    this.#written = this.#written.then(() => writeFetchRecord(this.folder, this.#partials, this.#record));
    return this.#written;
  }

  /** @param entries give the record's final order */
  async end(entries: readonly FetchEntry[], { now, unreachable }: DayFetchEnd): Promise<FetchedDay> {
    const files = entries.flatMap((entry) => this.#find(entry) ?? []);
    const isOptional = ({ file }: FetchedFile) => entries.some((entry) => entry.file === file && entry.optional);
    const required = files.filter((file) => file.status === 'failed' && !isOptional(file));
    this.#record = { ...this.#record, files, finished_at: required.length === 0 ? now : null };
    await this.write();
    const day = { folder: this.folder, record: { format: 1 as const, ...this.#record } };
    const warnings = warningsOf(files, isOptional);
    if (unreachable.length === 0) return { ...day, problems: required.map(describeFailure), warnings };
    // One cause is reported once, not for every file.
    const cause = describeUnreachable(unreachable);
    if (required.length > 0) return { ...day, problems: [cause], warnings: [] };
    return { ...day, problems: [], warnings: [cause, ...warnings] };
  }

  #find(entry: FetchEntry): RecordedFile | undefined {
    return this.#record.files.find((recorded) => isOf(recorded, entry));
  }
}

interface DayFetchEnd {
  readonly now: string;
  /** The first fault of each host, if none could be reached. */
  readonly unreachable: readonly UpstreamFault[];
}

/** For failures of the network rather than of an upstream. */
function describeUnreachable(faults: readonly UpstreamFault[]): string {
  const others = faults.length === 1 ? '' : `, and ${faults.length - 1} more hosts`;
  return (
    `no upstream could be reached (${faults[0]?.message}${others}): this machine seems to have no network or to need a proxy, ` +
    'which fetching does not support'
  );
}

function warningsOf(files: readonly RecordedFile[], isOptional: (file: FetchedFile) => boolean): readonly string[] {
  const failed = files.filter((file) => file.status === 'failed' && isOptional(file));
  const carried = files.filter(({ status }) => status === 'carried');
  const stale = files.filter(({ status, problem }) => problem !== null && status !== 'failed' && status !== 'carried');
  return [
    ...failed.map((file) => `${describeFailure(file)}; ${consequenceOf(file)}`),
    ...carried.map((file) => `${describeFailure(file)}; records of ${file.upstream} are carried`),
    ...stale.map((file) => `${describeFailure(file)}; the file of ${file.fetched_at} stays in use`),
  ];
}

/** For a file that may be carried, the night adds whether one ever existed. */
function consequenceOf({ carry }: RecordedFile): string {
  return carry === undefined ? 'what needs it is not captured' : 'no earlier file can replace it';
}

/** Rejects with `source_rejected`. */
export function assertComplete({ problems }: Pick<FetchedDay, 'problems'>): void {
  if (problems.length > 0) throw new AppError('source_rejected', problems.join('\n'));
}
