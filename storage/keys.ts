/**
 * Where everything lies in the store (specification "Store layout"). Keys never change meaning: readers of other versions
 * depend on them.
 *
 * - `catalog.json` is the only key that nights overwrite. `republish` replaces damaged objects, each over exactly the version that it
 *   found.
 * - All keys of a release start with its prefix, `releases/<day>.<run>/`; `<run>` is unique, so two nights never
 *   write the same key.
 * - A backfill is `backfill/pricing.<run>.parquet`; the same name in `.json` is put beside it after the swap that made it
 *   the one in force, so that a lost catalog finds it again. Only the one that the catalog lists is read.
 * - A snapshot in a version under notice is a part of the snapshot: it lies in a folder of its own there, `snapshot/v2/`.
 * - `published` is put into a release after the swap that made it live, so that a lost catalog can be rebuilt. It holds the bytes of
 *   release.json, so that a damaged one can be put back; in older releases it is empty.
 */

import type { Day } from '../runtime/day.ts';
import type { ReleasePart } from '../schemas/catalog.ts';
import type { DatasetName } from '../schemas/datasets.ts';
import { type Manifest, snapshotFromId } from '../schemas/manifest.ts';

export const CATALOG_KEY = 'catalog.json';
export const RELEASES_PREFIX = 'releases/';

export const BACKFILL_PREFIX = 'backfill/';

/** Paths inside a release, relative to its prefix. */
export const RELEASE_PATHS = {
  release: 'release.json',
  published: 'published',
  manifest: 'snapshot/manifest.json',
  changes: 'changes.parquet',
  suspects: 'state/suspects.parquet',
  removed: 'state/removed.parquet',
  unpublished: 'state/unpublished.parquet',
  /** Only where the source keeps a table of names. */
  aliases: 'state/aliases.parquet',
  /** The last bytes of a fetched file with `carry`, by its path below the day's folder. */
  fetched: (file: string) => `state/fetched/${file}`,
  snapshot: (dataset: DatasetName) => `snapshot/${dataset}.jsonl.gz`,
  state: (dataset: DatasetName) => `state/${dataset}.parquet`,
  history: (dataset: DatasetName) => `history/${dataset}.parquet`,
} as const;

/** Where a snapshot's files lie inside its release; of a manifest, whichever version it is in. */
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

/** What names a release: the day it captured and the run that made it. */
export interface ReleaseName {
  readonly day: Day;
  readonly run: string;
}

/** `<day>.<run>`: how people and reports name a release. */
export function releaseId({ day, run }: ReleaseName): string {
  return `${day}.${run}`;
}

/** The key of a file of a release. */
export function releaseKey(release: ReleaseName, path: string): string {
  return `${RELEASES_PREFIX}${releaseId(release)}/${path}`;
}

const RELEASE_KEY = /^releases\/(\d{4}-\d{2}-\d{2})\.([0-9A-Za-z]+)\/(.+)$/;

/** The release and the path inside it that a key stands for; undefined for any other key. */
export function releaseFromKey(key: string): (ReleaseName & { readonly path: string }) | undefined {
  const [, day, run, path] = RELEASE_KEY.exec(key) ?? [];
  return day === undefined || run === undefined || path === undefined ? undefined : { day, run, path };
}

/** The part of a release that a path inside it belongs to; undefined for what is never pruned. */
export function partOfPath(path: string): ReleasePart | undefined {
  if (path.startsWith('snapshot/')) return 'snapshot';
  if (path.startsWith('state/')) return 'state';
  return path === RELEASE_PATHS.changes ? 'changes' : undefined;
}

/** The key of the pricing intervals that a backfill reconstructed. */
export function backfillKey(run: string): string {
  return `${BACKFILL_PREFIX}pricing.${run}.parquet`;
}

/** The key of the mark of a backfill that has been made live: its entry of the catalog. */
export function backfillMarkKey(run: string): string {
  return `${BACKFILL_PREFIX}pricing.${run}.json`;
}

const BACKFILL_KEY = /^backfill\/pricing\.([0-9A-Za-z]+)\.(parquet|json)$/;

/** The run and the kind of object that a key of a backfill stands for; undefined for any other key. */
export function backfillFromKey(key: string): { readonly run: string; readonly isMark: boolean } | undefined {
  const [, run, suffix] = BACKFILL_KEY.exec(key) ?? [];
  return run === undefined ? undefined : { run, isMark: suffix === 'json' };
}
