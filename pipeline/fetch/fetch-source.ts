import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Day, timestampFromDate } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import type { FetchedFile } from '../../schemas/upstreams.ts';
import { eachAtOnce } from '../run/concurrency.ts';
import { isAnotherProcess } from '../run/work-folder.ts';
import { type FetchEntry, unzipFolderOf } from '../source/fetch-list.ts';
import {
  describeFailure,
  type EarlierFile,
  type FetchRecord,
  isWhole,
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
  /** The source's folder, with its `source.json`. */
  readonly root: string;
  readonly settings: Pick<SourceSettings, 'upstreams' | 'fetch'>;
  /** The archive: the folder of the dated folders. */
  readonly into: string;
  readonly day: Day;
  /** What the store of the night has of the last fetch; a fetch without a night looks into its archive alone. */
  readonly stored?: StoredFiles | undefined;
}

export interface FetchDeps extends FetchFileDeps {
  /** Called as a file begins, and as it ends; one that is there already does both at once. */
  readonly onBegin: (entry: FetchEntry) => void;
  readonly onEnd: (file: FetchedFile) => void;
}

/** What is in a day's folder after a fetch. */
export interface FetchedDay {
  readonly folder: string;
  readonly record: FetchRecord;
  /** Required files that are not there, each with its address and why; the day can't be captured then. */
  readonly problems: readonly string[];
  /** What an operator should know and need not act on. */
  readonly warnings: readonly string[];
}

/**
 * Fetches what a source lists into a day's folder of an archive, with all of the source that the day needs to be captured again, for
 * ever and offline (specification "Fetching"; decision 0072).
 *
 * A file appears under its name when it is whole and what is expected. A fetch that was killed, or lacks a required file, goes on
 * where it was when it is called again: what is there whole is not fetched again. One that had ended is done anew, asking only for
 * what has changed. Rejects with `configuration` for a variable that a required file needs and that isn't set.
 */
export async function fetchSource(request: FetchRequest, deps: FetchDeps): Promise<FetchedDay> {
  const { settings, into, day, root, stored = async () => undefined } = request;
  assertFilled(settings.fetch, deps.variables);
  const folder = join(into, day);
  const partials = await openPartials(folder);
  try {
    const before = await readFetchRecord(folder);
    await removeUnlisted(folder, { before, settings });
    const fetched = settings.fetch.flatMap(({ file, unzip }) => (unzip === undefined ? [file] : [file, unzip]));
    const round = new Round(folder, partials, {
      day,
      finished_at: null,
      ...goOn(before, deps.clock()),
      upstreams: settings.upstreams,
      // Until a file is fetched anew, what the record says of it still holds.
      files: keptOf(before, settings.fetch),
      carries: settings.fetch.some(({ carry }) => carry),
      own: await copyOwnFiles({ root, folder, partials, fetched, before: before?.own ?? [] }),
    });
    await round.write();
    const earlier = await listEarlier(into, { day, ownRecord: before });
    const client = new Reachability(deps);
    const input = { round, earlier, stored, partials, deps: { ...deps, client } };
    // All write into the same folder, so that a failure waits for the others.
    await eachAtOnce(settings.fetch, deps.limits.concurrency, (entry) => fetchOne(entry, input));
    return await round.end(settings.fetch, { now: timestampFromDate(deps.clock()), unreachable: client.faults() });
  } finally {
    await rm(partials, { recursive: true, force: true });
  }
}

const PARTIALS = '.partial-';

/** Makes the folder for what is on its way, of this process alone, and removes those of processes that are no more. */
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

/** What is kept of a fetch that had not ended. */
function goOn(before: FetchRecord | undefined, now: Date): Pick<FetchRecord, 'started_at' | 'done'> {
  if (before === undefined || before.finished_at !== null) return { started_at: timestampFromDate(now), done: [] };
  return { started_at: before.started_at, done: before.done };
}

function keptOf(before: FetchRecord | undefined, entries: readonly FetchEntry[]): readonly RecordedFile[] {
  return (before?.files ?? []).filter((recorded) => entries.some((entry) => isOf(recorded, entry)));
}

/** Whether a record's file is that of an entry, as the entry is today. */
function isOf({ upstream, url, file, unzipped, status }: RecordedFile, entry: FetchEntry): boolean {
  const isSame = upstream === entry.upstream && url === entry.url && file === entry.file;
  return isSame && (status === 'failed' || (unzipped?.folder ?? null) === (unzipFolderOf(entry) ?? null));
}

/** Removes what an earlier fetch of the day brought and the source no longer lists. */
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
  readonly round: Round;
  readonly earlier: readonly EarlierFile[];
  readonly stored: StoredFiles;
  readonly partials: string;
  readonly deps: FetchDeps;
}

async function fetchOne(entry: FetchEntry, { round, earlier, stored, partials, deps }: FetchOneInput): Promise<void> {
  deps.onBegin(entry);
  const done = await round.findDone(entry);
  const partial = join(partials, randomUUID());
  const file = done ?? (await fetchFile(entry, { folder: round.folder, partial, earlier, stored }, deps));
  if (done === undefined) await round.note(file);
  deps.onEnd(file);
}

/** One fetch of a day, and its record. */
class Round {
  readonly folder: string;
  readonly #partials: string;
  #record: Omit<FetchRecord, 'format'>;
  #written: Promise<void> = Promise.resolve();

  constructor(folder: string, partials: string, record: Omit<FetchRecord, 'format'>) {
    this.folder = folder;
    this.#partials = partials;
    this.#record = record;
  }

  /** What this fetch, before it was killed, has of an entry; undefined where it is to be fetched. */
  async findDone(entry: FetchEntry): Promise<RecordedFile | undefined> {
    const recorded = this.#find(entry);
    if (recorded === undefined || !this.#record.done.includes(recorded.file)) return undefined;
    return (await isWhole(this.folder, recorded)) ? recorded : undefined;
  }

  async note(file: RecordedFile): Promise<void> {
    const { files, done } = this.#record;
    const others = files.filter((other) => other.file !== file.file);
    this.#record = {
      ...this.#record,
      files: [...others, file],
      done: file.problem === null ? [...done, file.file] : done,
    };
    await this.write();
  }

  /** One write after the other: each replaces the whole. */
  write(): Promise<void> {
    this.#written = this.#written.then(() => writeFetchRecord(this.folder, this.#partials, this.#record));
    return this.#written;
  }

  /** @param entries in whose order the record ends */
  async end(entries: readonly FetchEntry[], { now, unreachable }: RoundEnd): Promise<FetchedDay> {
    const files = entries.flatMap((entry) => this.#find(entry) ?? []);
    const isOptional = ({ file }: FetchedFile) => entries.some((entry) => entry.file === file && entry.optional);
    const required = files.filter((file) => file.status === 'failed' && !isOptional(file));
    this.#record = { ...this.#record, files, finished_at: required.length === 0 ? now : null };
    await this.write();
    const day = { folder: this.folder, record: { format: 1 as const, ...this.#record } };
    const warnings = warningsOf(files, isOptional);
    if (unreachable.length === 0) return { ...day, problems: required.map(describeFailure), warnings };
    // One cause is told once, and not for every file.
    const cause = describeUnreachable(unreachable);
    if (required.length > 0) return { ...day, problems: [cause], warnings: [] };
    return { ...day, problems: [], warnings: [cause, ...warnings] };
  }

  #find(entry: FetchEntry): RecordedFile | undefined {
    return this.#record.files.find((recorded) => isOf(recorded, entry));
  }
}

interface RoundEnd {
  readonly now: string;
  /** Of each host, where none could be reached. */
  readonly unreachable: readonly UpstreamFault[];
}

/** What is said where it is the network that fails, and no upstream. */
function describeUnreachable(faults: readonly UpstreamFault[]): string {
  const others = faults.length === 1 ? '' : `, and ${faults.length - 1} more hosts like it`;
  return (
    `no upstream could be reached (${faults[0]?.message}${others}): this machine seems to have no network, or to need a proxy, ` +
    'which fetching does not use'
  );
}

function warningsOf(files: readonly RecordedFile[], isOptional: (file: FetchedFile) => boolean): readonly string[] {
  const failed = files.filter((file) => file.status === 'failed' && isOptional(file));
  const carried = files.filter(({ status }) => status === 'carried');
  const stale = files.filter(({ status, problem }) => problem !== null && status !== 'failed' && status !== 'carried');
  return [
    ...failed.map((file) => `${describeFailure(file)}; ${consequenceOf(file)}`),
    ...carried.map((file) => `${describeFailure(file)}; records of ${file.upstream} are carried`),
    ...stale.map((file) => `${describeFailure(file)}; that of ${file.fetched_at} stays`),
  ];
}

/** Of a file that may be carried the night says the rest: it knows whether there ever was one. */
function consequenceOf({ carry }: RecordedFile): string {
  return carry === undefined ? 'what needs it is not captured' : 'there is no earlier one to stand in for it';
}

/** Rejects with `source_rejected` where a required file is missing. */
export function assertComplete({ problems }: Pick<FetchedDay, 'problems'>): void {
  if (problems.length > 0) throw new AppError('source_rejected', problems.join('\n'));
}
