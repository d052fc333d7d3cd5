import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../runtime/errors.ts';
import type { DatasetName } from '../schemas/datasets.ts';
import type { Release, ReleaseFile } from '../schemas/release.ts';
import { unpackLines } from './gzip-lines.ts';
import { type FileHash, hashFile } from './hash.ts';
import { RELEASE_PATHS, type ReleaseName, releaseKey } from './keys.ts';
import type { ObjectStore } from './object-store.ts';

export interface RecordedObject extends FileHash {
  readonly key: string;
}

/**
 * Copies an object to a local path and verifies it. Rejects with `not_found`, or with `corrupt` if the bytes differ
 * from the record; then the local file is removed.
 */
export async function fetchObject(store: ObjectStore, expected: RecordedObject, to: string): Promise<void> {
  const { key } = expected;
  await pipeline(await store.stream(key), createWriteStream(to));
  const found = await hashFile(to);
  if (found.bytes === expected.bytes && found.sha256 === expected.sha256) return;
  await rm(to, { force: true });
  throw new AppError(
    'corrupt',
    `${store.url}: ${key} is damaged: ${found.bytes} bytes with sha256 ${found.sha256}, ` +
      `but ${expected.bytes} bytes with ${expected.sha256} are recorded`,
  );
}

/** What a release records about a file; throws `corrupt` if nothing. */
export function getReleaseFile(release: Release, path: string): ReleaseFile {
  const file = release.files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new AppError('corrupt', `${releaseKey(release, 'release.json')} lists no ${path}`);
  return file;
}

/** {@link fetchObject} for a file of a release. */
export async function fetchReleaseFile(store: ObjectStore, release: Release, path: string, to: string): Promise<void> {
  await fetchFile(store, release, getReleaseFile(release, path), to);
}

/** {@link fetchReleaseFile} for a dataset's snapshot, unpacked. */
export async function fetchLines(
  store: ObjectStore,
  release: Release,
  dataset: DatasetName,
  to: string,
): Promise<void> {
  const packed = `${to}.gz`;
  await fetchReleaseFile(store, release, RELEASE_PATHS.snapshot(dataset), packed);
  await unpackLines(packed, to);
}

/** {@link fetchReleaseFile} for files not recorded in a release.json, such as release.json itself. */
export async function fetchFile(
  store: ObjectStore,
  release: ReleaseName,
  { path, bytes, sha256 }: ReleaseFile,
  to: string,
): Promise<void> {
  await fetchObject(store, { key: releaseKey(release, path), bytes, sha256 }, to);
}
