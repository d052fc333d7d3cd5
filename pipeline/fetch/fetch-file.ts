import { constants, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { timestampFromDate } from '../../runtime/day.ts';
import type { UnzippedFolder } from '../../schemas/upstreams.ts';
import type { FileHash } from '../../storage/hash.ts';
import { type FetchEntry, unzipFolderOf } from '../source/fetch-list.ts';
import { type EarlierFile, findEarlier, hasValidator, isWhole, type RecordedFile } from '../source/fetch-record.ts';
import { fillEntry, findUnfilled, type Variables } from '../source/variables.ts';
import { assertEnough, assertUnpackedSize, type ContentDeps, checkContent } from './content.ts';
import { type DownloadDeps, download, type Validators } from './download.ts';
import { fetchPages } from './fetch-pages.ts';
import { unzip } from './unzip.ts';
import { passingFault, type RetryDeps, UpstreamFault, withRetries } from './upstream-fault.ts';

/** What a fetch may take. */
export interface FetchLimits {
  /** Files at once. */
  readonly concurrency: number;
  /** One file, unpacked. */
  readonly bytesMax: number;
  /** How many times its own size a zip file may become. */
  readonly ratioMax: number;
  /** One request, from its beginning to the last byte. */
  readonly timeoutMs: number;
  readonly attemptsMax: number;
  readonly waitMsMax: number;
}

export interface FetchFileDeps extends ContentDeps, Omit<DownloadDeps, 'limits'>, Omit<RetryDeps, 'limits'> {
  readonly limits: FetchLimits;
  readonly variables: Variables;
}

/** Where a file goes, and what there is of it. */
export interface FilePlace {
  /** The day's folder. */
  readonly folder: string;
  /** A path for what is on its way, on the same disk; a folder beside it may be made with `.d` behind it. */
  readonly partial: string;
  readonly earlier: readonly EarlierFile[];
  readonly stored: StoredFiles;
}

/**
 * Puts a file's bytes of the last fetch, as the store of the night has them, to a local path; undefined where it has none. They come
 * before those of the archive: the records in force are made of them.
 */
export type StoredFiles = (
  wanted: Pick<RecordedFile, 'upstream' | 'file'>,
  to: string,
) => Promise<Pick<RecordedFile, 'bytes' | 'sha256' | 'fetched_at'> | undefined>;

/**
 * Fetches one file into a day's folder, where it appears only when it is whole and what is expected. What its upstream does is a
 * value: of a file that fails nothing is in the folder, unless an earlier fetch of the day brought one, which stays. Rejects where
 * this machine fails.
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

/** The bytes of a file, at the partial path. */
type Obtained = FileHash & Validators & { readonly unchangedSince: string | null };

async function obtain(entry: FetchEntry, place: FilePlace, deps: FetchFileDeps): Promise<RecordedFile> {
  const isSame = (recorded: RecordedFile) =>
    recorded.url === entry.url && recorded.file === entry.file && hasValidator(recorded);
  let known = entry.pages === undefined ? await findEarlier(place.earlier, isSame) : undefined;
  const got = await attempts(entry, deps, async () => {
    const obtained = await request(entry, { place, known, deps });
    // Bytes that are not what is expected are asked for without a condition the next time.
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

/** Pages are tried again one by one, and what they are joined to is looked at once. */
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
  const wanted = { ...filled, known: known?.recorded, file: entry.file, path: place.partial };
  const got = entry.pages === undefined ? await download(wanted, deps) : await fetchPages(wanted, entry.pages, deps);
  if (got !== 'unchanged') {
    const { bytes, sha256, etag, last_modified } = got;
    return { bytes, sha256, etag, last_modified, unchangedSince: null };
  }
  const { bytes, sha256, etag, last_modified, fetched_at } = known?.recorded ?? {};
  // An upstream is asked with a condition only about bytes that are there, which has all of these.
  if (known === undefined || bytes == null || sha256 == null || fetched_at == null)
    throw new Error('nothing was known');
  await copyFile(join(known.folder, entry.file), place.partial, constants.COPYFILE_FICLONE);
  return { bytes, sha256, etag: etag ?? null, last_modified: last_modified ?? null, unchangedSince: fetched_at };
}

/** Of a zip file the rows are the files in it, which are counted when it is unpacked. */
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

/** Moves what is whole to where it belongs. */
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
  if (today !== undefined && (await isWhole(folder, today.recorded))) return { ...today.recorded, checked_at, problem };
  await rm(join(folder, file), { force: true });
  if (into !== undefined) await rm(join(folder, into), { recursive: true, force: true });
  const carried = entry.carry ? await carry(entry, place, failure) : undefined;
  const nothing = { bytes: null, sha256: null, etag: null, last_modified: null, fetched_at: null, unzipped: null };
  return carried ?? { upstream, url, file, status: 'failed', ...nothing, checked_at, problem };
}

/** The last bytes that there are, in place of those that could not be had; undefined where there are none. */
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
  const told = { checked_at: checkedAt, problem, unzipped };
  return { upstream, url, file, status: 'carried', bytes, sha256, ...validators, fetched_at, ...told };
}

/** Puts the bytes of the last fetch to the partial path, whichever address they came from. */
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
