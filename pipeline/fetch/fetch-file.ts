import { constants, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { timestampFromDate } from '../../runtime/day.ts';
import type { UnzippedFolder } from '../../schemas/upstreams.ts';
import type { FileHash } from '../../storage/hash.ts';
import { type FetchEntry, unzipFolderOf } from '../source/fetch-list.ts';
import { type EarlierFile, findEarlier, hasValidator, isIntact, type RecordedFile } from '../source/fetch-record.ts';
import { fillEntry, findUnfilled, type Variables } from '../source/variables.ts';
import { assertEnough, assertUnpackedSize, type ContentDeps, checkContent } from './content.ts';
import { type DownloadDeps, download, type Validators } from './download.ts';
import { fetchPages } from './fetch-pages.ts';
import { unzip } from './unzip.ts';
import { passingFault, type RetryDeps, UpstreamFault, withRetries } from './upstream-fault.ts';

export interface FetchLimits {
  /** Files at once. */
  readonly concurrency: number;
  /** One file, unpacked. */
  readonly bytesMax: number;
  /** Growth of a zip file on unpacking. */
  readonly ratioMax: number;
  /** One request, up to the last byte. */
  readonly timeoutMs: number;
  readonly attemptsMax: number;
  readonly waitMsMax: number;
}

export interface FetchFileDeps extends ContentDeps, Omit<DownloadDeps, 'limits'>, Omit<RetryDeps, 'limits'> {
  readonly limits: FetchLimits;
  readonly variables: Variables;
}

export interface FilePlace {
  readonly folder: string;
  /** A temporary path on the same disk; a folder with `.d` appended may be created beside it. */
  readonly partial: string;
  readonly earlier: readonly EarlierFile[];
  readonly stored: StoredFiles;
}

/**
 * Copies the last fetch's file from the night's store to a local path; undefined where the store has none. Preferred to
 * the archive: the records in force come from it.
 */
export type StoredFiles = (
  requested: Pick<RecordedFile, 'upstream' | 'file'>,
  to: string,
) => Promise<Pick<RecordedFile, 'bytes' | 'sha256' | 'fetched_at'> | undefined>;

/**
 * Fetches one file into a day's folder, where it appears only when complete and as expected. Upstream failures are
 * values: a failed file is absent unless an earlier fetch of the day brought it. Rejects where this machine fails.
 */
export async function fetchFile(entry: FetchEntry, place: FilePlace, deps: FetchFileDeps): Promise<RecordedFile> {
  const file = await fetchOrFail(entry, place, deps);
  if (!entry.carry) return file;
  return { ...file, carry: { folder: unzipFolderOf(entry) ?? null, columns: entry.columns ?? {} } };
}

async function fetchOrFail(entry: FetchEntry, place: FilePlace, deps: FetchFileDeps): Promise<RecordedFile> {
  try {
    const [unfilled] = findUnfilled(entry, deps.variables);
    if (unfilled !== undefined) throw passingFault(`needs the variable ${unfilled}`);
    return await obtain(entry, place, deps);
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    return await failed(entry, place, { problem: error.message, checkedAt: timestampFromDate(deps.clock()), deps });
  } finally {
    await rm(place.partial, { force: true });
    await rm(`${place.partial}.d`, { recursive: true, force: true });
  }
}

/** The bytes are at the partial path. */
type Obtained = FileHash & Validators & { readonly unchangedSince: string | null };

async function obtain(entry: FetchEntry, place: FilePlace, deps: FetchFileDeps): Promise<RecordedFile> {
  const isSame = (recorded: RecordedFile) =>
    recorded.url === entry.url && recorded.file === entry.file && hasValidator(recorded);
  let known = entry.pages === undefined ? await findEarlier(place.earlier, isSame) : undefined;
  const got = await attempts(entry, deps, async () => {
    const obtained = await request(entry, { place, known, deps });
    // After unexpected content, the next attempt is unconditional.
    known = undefined;
    if (/\.gz$/i.test(entry.file)) await assertUnpackedSize(place.partial, deps.limits.bytesMax);
    await checkContent({ path: place.partial, name: entry.file, expected: contentExpected(entry) }, deps);
    return { obtained, unzipped: await unpack(entry, place.partial, deps) };
  });
  await put(entry, place);
  const checkedAt = timestampFromDate(deps.clock());
  const { unchangedSince, ...file } = got.obtained;
  return {
    upstream: entry.upstream,
    url: entry.url,
    file: entry.file,
    status: unchangedSince === null ? 'fetched' : 'unchanged',
    ...file,
    fetched_at: unchangedSince ?? checkedAt,
    checked_at: checkedAt,
    problem: null,
    unzipped: got.unzipped,
  };
}

/** Pages are retried one by one; the joined file is checked once. */
function attempts<T>(entry: FetchEntry, deps: FetchFileDeps, work: () => Promise<T>): Promise<T> {
  return entry.pages === undefined ? withRetries(work, deps) : work();
}

interface RequestInput {
  readonly place: FilePlace;
  readonly known: EarlierFile | undefined;
  readonly deps: FetchFileDeps;
}

async function request(entry: FetchEntry, { place, known, deps }: RequestInput): Promise<Obtained> {
  const filled = fillEntry(entry, deps.variables);
  const required = { ...filled, known: known?.recorded, file: entry.file, path: place.partial };
  const got =
    entry.pages === undefined ? await download(required, deps) : await fetchPages(required, entry.pages, deps);
  if (got !== 'unchanged') {
    const { bytes, sha256, etag, last_modified } = got;
    return { bytes, sha256, etag, last_modified, unchangedSince: null };
  }
  const { bytes, sha256, etag, last_modified, fetched_at } = known?.recorded ?? {};
  // Conditional requests are made only for stored bytes, which have all of these.
  if (known === undefined || bytes == null || sha256 == null || fetched_at == null)
    throw new Error('nothing was known');
  await copyFile(join(known.folder, entry.file), place.partial, constants.COPYFILE_FICLONE);
  return { bytes, sha256, etag: etag ?? null, last_modified: last_modified ?? null, unchangedSince: fetched_at };
}

/** The rows of a zip file are its files, counted on unpacking. */
function contentExpected({ expect, unzip: folder }: FetchEntry): FetchEntry['expect'] {
  return folder === undefined ? expect : { min_bytes: expect.min_bytes };
}

async function unpack(entry: FetchEntry, partial: string, { limits }: FetchFileDeps): Promise<UnzippedFolder | null> {
  const folder = unzipFolderOf(entry);
  if (folder === undefined) return null;
  await rm(`${partial}.d`, { recursive: true, force: true });
  const unzipped = await unzip(partial, `${partial}.d`, limits);
  assertEnough(unzipped.files, entry.expect.min_rows ?? 1, `files in ${entry.file}`);
  return { folder, ...unzipped };
}

async function put(entry: FetchEntry, { folder, partial }: FilePlace): Promise<void> {
  const { file } = entry;
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await rename(partial, join(folder, file));
  const into = unzipFolderOf(entry);
  if (into === undefined) return;
  const target = join(folder, into);
  await rm(target, { recursive: true, force: true });
  await mkdir(dirname(target), { recursive: true });
  await rename(`${partial}.d`, target);
}

interface Failure {
  readonly problem: string;
  readonly checkedAt: string;
  readonly deps: FetchFileDeps;
}

async function failed(entry: FetchEntry, place: FilePlace, failure: Failure): Promise<RecordedFile> {
  const { upstream, url, file, unzip: into } = entry;
  const { folder, earlier } = place;
  const { problem, checkedAt: checked_at } = failure;
  const today = earlier.find((one) => one.folder === folder && one.recorded.url === url && one.recorded.file === file);
  if (today !== undefined && (await isIntact(folder, today.recorded)))
    return { ...today.recorded, checked_at, problem };
  await rm(join(folder, file), { force: true });
  if (into !== undefined) await rm(join(folder, into), { recursive: true, force: true });
  const carried = entry.carry ? await carry(entry, place, failure) : undefined;
  const nothing = { bytes: null, sha256: null, etag: null, last_modified: null, fetched_at: null, unzipped: null };
  return carried ?? { upstream, url, file, status: 'failed', ...nothing, checked_at, problem };
}

/** Undefined without an earlier file. */
async function carry(
  entry: FetchEntry,
  place: FilePlace,
  { problem, checkedAt, deps }: Failure,
): Promise<RecordedFile | undefined> {
  const last = await obtainLast(entry, place);
  if (last === undefined) return undefined;
  const unzipped = await unpack(entry, place.partial, deps);
  await put(entry, place);
  const { upstream, url, file } = entry;
  const { bytes, sha256, fetched_at } = last;
  const validators = { etag: null, last_modified: null };
  const outcome = { checked_at: checkedAt, problem, unzipped };
  return { upstream, url, file, status: 'carried', bytes, sha256, ...validators, fetched_at, ...outcome };
}

/** Copies the last fetch to the partial path, whichever URL it came from. */
async function obtainLast(
  { upstream, file }: FetchEntry,
  { partial, earlier, stored }: FilePlace,
): Promise<Pick<RecordedFile, 'bytes' | 'sha256' | 'fetched_at'> | undefined> {
  const inStore = await stored({ upstream, file }, partial);
  if (inStore !== undefined) return inStore;
  const last = await findEarlier(earlier, (recorded) => recorded.upstream === upstream && recorded.file === file);
  if (last === undefined) return undefined;
  await copyFile(join(last.folder, file), partial, constants.COPYFILE_FICLONE);
  return last.recorded;
}
