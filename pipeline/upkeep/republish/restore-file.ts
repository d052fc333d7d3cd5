import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import { AppError, isAppError, messageFromError } from '../../../schemas/errors.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { manifestsOf, type Release, type ReleaseFile } from '../../../schemas/release.ts';
import type { RecordVersion } from '../../../schemas/versions/record-version.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { fetchFile } from '../../../storage/fetch-object.ts';
import { hashFile, hashStream } from '../../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey, snapshotPaths } from '../../../storage/keys.ts';
import type { ObjectStore, PutCondition } from '../../../storage/object-store.ts';
import { type RebuildDeps, rebuildByReplay, rebuildFromState, type SnapshotFile } from './rebuild-snapshot.ts';

/** What became of one file: it was right, it was copied, it was made anew, or it can't be had. */
export interface FileReport {
  /** Relative to the release's prefix. */
  readonly path: string;
  readonly status: 'ok' | 'restored' | 'rebuilt' | 'refused';
  /** What was wrong and where the bytes came from, or why there are none; null where all was well. */
  readonly reason: string | null;
}

export interface RestoreDeps {
  /** Where the file has to be. */
  readonly target: ObjectStore;
  /** Another store that may have it. */
  readonly origin: ObjectStore | undefined;
  readonly release: Release;
  readonly database: Database;
  readonly scratch: string;
  readonly versions: readonly RecordVersion[];
}

/**
 * Makes sure that the target has a release's file, byte for byte. A good object is not touched; a missing or damaged one is
 * replaced, over exactly the version that was found, by bytes with the recorded sha256 and by nothing else. Rejects with
 * `precondition_failed` where somebody else wrote it meanwhile.
 */
export async function restoreFile(file: ReleaseFile, deps: RestoreDeps): Promise<FileReport> {
  const { path } = file;
  const found = await inspect(file, deps);
  if (found === undefined) return { path, status: 'ok', reason: null };
  const obtained = await obtain(file, deps);
  if (obtained.status === 'refused') return { path, status: 'refused', reason: `${found.fault}; ${obtained.reason}` };
  await deps.target.putFile(releaseKey(deps.release, path), obtained.local, found.condition);
  await rm(obtained.local);
  const fault = (await inspect(file, deps))?.fault;
  if (fault === undefined) return { path, status: obtained.status, reason: `${found.fault}; ${obtained.reason}` };
  throw new AppError('corrupt', `${deps.target.url}: ${releaseKey(deps.release, path)} reads back ${fault}`);
}

/** What is wrong with an object, and on which condition it may be replaced. */
interface Fault {
  readonly fault: string;
  readonly condition: PutCondition;
}

/** Undefined where the stored object is the recorded file. */
async function inspect(file: ReleaseFile, { target, release }: RestoreDeps): Promise<Fault | undefined> {
  const key = releaseKey(release, file.path);
  const head = await target.head(key);
  if (head === undefined) return { fault: 'missing', condition: { ifAbsent: true } };
  const condition = { ifMatch: head.etag };
  if (head.bytes !== file.bytes) return { fault: `damaged: ${head.bytes} bytes, not ${file.bytes}`, condition };
  const { sha256 } = await hashStream(await target.stream(key));
  return sha256 === file.sha256 ? undefined : { fault: `damaged: sha256 ${sha256}, not ${file.sha256}`, condition };
}

/** A way to get a file's bytes. */
interface Way {
  readonly status: 'restored' | 'rebuilt';
  readonly from: string;
  /** Writes the file; rejects with an AppError where this way is closed. */
  readonly write: (local: string) => Promise<void>;
}

type Obtained =
  | { readonly status: 'restored' | 'rebuilt'; readonly reason: string; readonly local: string }
  | { readonly status: 'refused'; readonly reason: string };

/** The recorded bytes in a local file, by the first way that gives them. */
async function obtain(file: ReleaseFile, deps: RestoreDeps): Promise<Obtained> {
  const local = join(deps.scratch, 'file');
  const failures: string[] = [];
  for (const { status, from, write } of waysTo(file, deps)) {
    try {
      await write(local);
      await assertRecorded(local, file);
      return { status, reason: `${status === 'restored' ? 'copied' : 'rebuilt'} from ${from}`, local };
    } catch (error) {
      if (!isAppError(error) || error.code === 'store_unavailable') throw error;
      failures.push(`not from ${from}: ${messageFromError(error)}`);
    }
  }
  if (deps.origin === undefined) failures.push('another store that has it can give it back: run this there with --to');
  return { status: 'refused', reason: failures.join('; ') };
}

async function assertRecorded(local: string, file: ReleaseFile): Promise<void> {
  const { bytes, sha256 } = await hashFile(local);
  if (bytes === file.bytes && sha256 === file.sha256) return;
  throw new AppError('corrupt', `it gives ${bytes} bytes with sha256 ${sha256}, recorded is ${file.sha256}`);
}

function waysTo(file: ReleaseFile, { target, origin, ...deps }: RestoreDeps): readonly Way[] {
  const { release } = deps;
  const copies = origin === undefined ? [] : [copyFrom(origin, release, file)];
  const manifest = manifestsOf(release).find((candidate) => snapshotPaths(candidate).manifest === file.path);
  if (manifest !== undefined) return [...copies, manifestFrom(manifest)];
  const wanted = snapshotFileFromPath(file.path, release);
  if (wanted === undefined) return copies;
  const materials = [target, ...(origin === undefined ? [] : [origin])];
  return [...copies, ...materials.flatMap((store) => rebuildsFrom(wanted, { ...deps, store }))];
}

function copyFrom(store: ObjectStore, release: Release, file: ReleaseFile): Way {
  return { status: 'restored', from: store.url, write: (local) => fetchFile(store, release, file, local) };
}

function manifestFrom(manifest: Manifest): Way {
  const write = (local: string) => writeFile(local, `${JSON.stringify(manifest)}\n`);
  return { status: 'rebuilt', from: RELEASE_PATHS.release, write };
}

function rebuildsFrom(file: SnapshotFile, deps: RebuildDeps): readonly Way[] {
  const { url } = deps.store;
  const before = deps.release.prev === null ? 'the events' : `the snapshot ${deps.release.prev.day} and the events`;
  const fromState: Way = {
    status: 'rebuilt',
    from: `the state in ${url}`,
    write: (local) => rebuildFromState(file, local, deps),
  };
  if (file.manifest !== deps.release.manifest) return [fromState];
  const write = (local: string) => rebuildByReplay(file, local, deps);
  return [fromState, { status: 'rebuilt', from: `${before} in ${url}`, write }];
}

function snapshotFileFromPath(path: string, release: Release): SnapshotFile | undefined {
  const files = manifestsOf(release).flatMap((manifest) => DATASET_NAMES.map((name) => ({ manifest, name })));
  return files.find(({ manifest, name }) => snapshotPaths(manifest).dataset(name) === path);
}
