/**
 * Publishing (specification "Publishing"): upload everything under the release's prefix, read it back, write
 * release.json last, swap the catalog. Readers see nothing before the swap and everything after it. A night that dies
 * before leaves an orphan prefix.
 */
import { join } from 'node:path';
import pLimit from 'p-limit';
import { AppError } from '../../runtime/errors.ts';
import { type CatalogEntry, catalogEntryFromRelease } from '../../schemas/catalog.ts';
import type { Release, ReleaseFile } from '../../schemas/release.ts';
import { type LoadedCatalog, markPublished, swapCatalog } from '../../storage/catalog.ts';
import { hashStream, sha256 } from '../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

export interface PublishInput {
  readonly release: Release;
  readonly folder: string;
  /** The catalog that the night started from; the swap replaces only this one. */
  readonly catalog: LoadedCatalog;
}

export interface PublishDeps {
  readonly store: ObjectStore;
  /** Uploads at once. */
  readonly uploadsMax: number;
}

/** A stage of the night. Rejects with `precondition_failed` when another night swapped the catalog first. */
export async function publish({ release, folder, catalog }: PublishInput, deps: PublishDeps): Promise<void> {
  const { entry, body } = await uploadRelease({ release, folder }, deps);
  await swapCatalog(deps.store, catalog, { releases: [...(catalog.catalog?.releases ?? []), entry] });
  await markPublished(deps.store, release, body);
}

/** Uploads a release and reads it back, before any reader sees it; resolves to its catalog entry. */
export async function uploadRelease(
  { release, folder }: Omit<PublishInput, 'catalog'>,
  deps: PublishDeps,
): Promise<{ readonly entry: CatalogEntry; readonly body: Buffer }> {
  const { store } = deps;
  await uploadFiles({ release, folder }, deps);
  const body = Buffer.from(`${JSON.stringify(release)}\n`, 'utf8');
  const releaseSha256 = sha256(body);
  await store.put(releaseKey(release, RELEASE_PATHS.release), body, { ifAbsent: true });
  await verifyUpload(store, release, { path: RELEASE_PATHS.release, bytes: body.length, sha256: releaseSha256 });
  return { entry: catalogEntryFromRelease(release, releaseSha256), body };
}

/** Rejects with the first failure, after every upload has ended: a finished night writes nothing. */
async function uploadFiles({ release, folder }: Omit<PublishInput, 'catalog'>, deps: PublishDeps): Promise<void> {
  const limit = pLimit(deps.uploadsMax);
  const failures: unknown[] = [];
  const uploads = release.files.map((file) =>
    limit(async () => {
      if (failures.length > 0) return;
      await upload(deps.store, release, file, folder).catch((error: unknown) => failures.push(error));
    }),
  );
  await Promise.all(uploads);
  if (failures.length > 0) throw failures[0];
}

async function upload(store: ObjectStore, release: Release, file: ReleaseFile, folder: string): Promise<void> {
  await store.putFile(releaseKey(release, file.path), join(folder, file.path), { ifAbsent: true });
  await verifyUpload(store, release, file);
}

async function verifyUpload(store: ObjectStore, release: Release, expected: ReleaseFile): Promise<void> {
  const key = releaseKey(release, expected.path);
  const found = await hashStream(await store.stream(key));
  if (found.bytes === expected.bytes && found.sha256 === expected.sha256) return;
  throw new AppError('corrupt', `${store.url}: ${key} reads back differently from what was written`, {
    details: { expected, found },
  });
}
