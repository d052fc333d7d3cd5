/**
 * Keys of the store (specification "Store layout"). Their meaning never changes: readers of other versions depend on
 * it.
 * - Nights overwrite only `catalog.json`. `republish` replaces damaged objects, each over exactly the version it found.
 * - A release has the prefix `releases/<day>.<run>/`; `<run>` is unique, so two nights never write the same key.
 * - A backfill is `backfill/pricing.<run>.parquet`. The mark in `.json` is put after the swap. Only the listed one is
 *   read.
 * - A snapshot in a version under notice has its own folder, `snapshot/v2/`.
 * - `published` is put after the swap, with the bytes of release.json (empty in older releases). It restores a lost
 *   catalog.
 */

import type { Day } from '../runtime/day.ts';
import type { ReleasePart } from '../schemas/catalog.ts';
import type { DatasetName } from '../schemas/datasets.ts';
import { type Manifest, snapshotFromId } from '../schemas/manifest.ts';

export const CATALOG_KEY = 'catalog.json';
export const RELEASES_PREFIX = 'releases/';

export const BACKFILL_PREFIX = 'backfill/';

/** Relative to a release's prefix. */
export const RELEASE_PATHS = {
  release: 'release.json',
  published: 'published',
  manifest: 'snapshot/manifest.json',
  changes: 'changes.parquet',
  suspects: 'state/suspects.parquet',
  removed: 'state/removed.parquet',
  unpublished: 'state/unpublished.parquet',
  /** Only if the source has a table of names. */
  aliases: 'state/aliases.parquet',
  /** The last bytes of a fetched file with `carry`, by its path in the day's folder. */
  fetched: (file: string) => `state/fetched/${file}`,
  snapshot: (dataset: DatasetName) => `snapshot/${dataset}.jsonl.gz`,
  state: (dataset: DatasetName) => `state/${dataset}.parquet`,
  history: (dataset: DatasetName) => `history/${dataset}.parquet`,
} as const;

/** Paths of a snapshot's files in its release, for a manifest of any version. */
export function snapshotPaths({ id }: Pick<Manifest, 'id'>): SnapshotPaths {
  const major = snapshotFromId(id)?.noticedMajor ?? null;
  if (major === null) return { manifest: RELEASE_PATHS.manifest, dataset: RELEASE_PATHS.snapshot };
  return {
    manifest: `snapshot/v${major}/manifest.json`,
    dataset: (name) => `snapshot/v${major}/${name}.jsonl.gz`,
  };
}

export interface SnapshotPaths {
  readonly manifest: string;
  readonly dataset: (name: DatasetName) => string;
}

export interface ReleaseName {
  readonly day: Day;
  readonly run: string;
}

/** `<day>.<run>` */
export function releaseId({ day, run }: ReleaseName): string {
  return `${day}.${run}`;
}

export function releaseKey(release: ReleaseName, path: string): string {
  return `${RELEASES_PREFIX}${releaseId(release)}/${path}`;
}

const RELEASE_KEY = /^releases\/(\d{4}-\d{2}-\d{2})\.([0-9A-Za-z]+)\/(.+)$/;

/** The release and path of a key; undefined for other keys. */
export function releaseFromKey(key: string): (ReleaseName & { readonly path: string }) | undefined {
  const [, day, run, path] = RELEASE_KEY.exec(key) ?? [];
  return day === undefined || run === undefined || path === undefined ? undefined : { day, run, path };
}

/** Undefined for what is never pruned. */
export function partOfPath(path: string): ReleasePart | undefined {
  if (path.startsWith('snapshot/')) return 'snapshot';
  if (path.startsWith('state/')) return 'state';
  return path === RELEASE_PATHS.changes ? 'changes' : undefined;
}

export function backfillKey(run: string): string {
  return `${BACKFILL_PREFIX}pricing.${run}.parquet`;
}

export function backfillMarkKey(run: string): string {
  return `${BACKFILL_PREFIX}pricing.${run}.json`;
}

const BACKFILL_KEY = /^backfill\/pricing\.([0-9A-Za-z]+)\.(parquet|json)$/;

/** Undefined for other keys. */
export function backfillFromKey(key: string): { readonly run: string; readonly isMark: boolean } | undefined {
  const [, run, suffix] = BACKFILL_KEY.exec(key) ?? [];
  return run === undefined ? undefined : { run, isMark: suffix === 'json' };
}
