import { copyFile, writeFile } from 'node:fs/promises';
import { AppError } from '../../../runtime/errors.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { manifestsOf, type Release, type ReleaseFile } from '../../../schemas/release.ts';
import { fetchFile, getReleaseFile } from '../../../storage/fetch-object.ts';
import { RELEASE_PATHS, snapshotPaths } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { assertProven, type Materials } from './materials.ts';
import type { FoundRelease } from './other-stores.ts';
import { rebuildChanges, rebuildRemoved, rebuildSuspects, rebuildUnpublished } from './rebuild-changes.ts';
import {
  type RebuildDeps,
  rebuildByReplay,
  rebuildFromState,
  rebuildHistory,
  rebuildState,
  type SnapshotFile,
} from './rebuild-state.ts';

/** A way to get a file's bytes. */
export interface Way {
  readonly status: 'restored' | 'rebuilt';
  readonly from: string;
  /** Writes the file; rejects with an AppError where this way is closed. */
  readonly write: (local: string) => Promise<void>;
  /** True where what it writes has been proven to have the right rows, so that its bytes need not be the recorded ones. */
  readonly isProven: boolean;
}

export interface WaysDeps {
  /** Where the file has to be; it may hold what the file is rebuilt from. */
  readonly target: ObjectStore;
  /** Other stores that may have the file, or what it is rebuilt from. */
  readonly sources: readonly ObjectStore[];
  /** The release.json of the file's release, sound. */
  readonly found: FoundRelease;
  /** Undefined where the release before can't be read. */
  readonly materials: Materials | undefined;
  readonly versions: readonly RecordVersion[];
  readonly rebuild: Pick<RebuildDeps, 'release' | 'database' | 'scratch'>;
}

/** Every way to get a file, the best first: a copy has the published bytes, whatever rebuilds may give. */
export function waysTo(file: ReleaseFile, deps: WaysDeps): readonly Way[] {
  const { release } = deps.rebuild;
  if (file.path === RELEASE_PATHS.release || file.path === RELEASE_PATHS.published) return [wayOfBody(deps.found)];
  const copies = deps.sources.map((store) => copyFrom(store, release, file));
  const manifest = manifestsOf(release).find((candidate) => snapshotPaths(candidate).manifest === file.path);
  if (manifest !== undefined) return [...copies, manifestFrom(manifest)];
  const wanted = snapshotFileFromPath(file.path, release);
  if (wanted === undefined) return [...copies, ...parquetRebuilds(file.path, deps)];
  const { versions, target, sources, rebuild } = deps;
  const stores = [target, ...sources];
  return [...copies, ...stores.flatMap((store) => snapshotRebuilds(wanted, { ...rebuild, versions, store }))];
}

function wayOfBody({ body, from }: FoundRelease): Way {
  return { status: 'restored', from, isProven: false, write: (local) => writeFile(local, body) };
}

function copyFrom(store: ObjectStore, release: Release, file: ReleaseFile): Way {
  const write = (local: string) => fetchFile(store, release, file, local);
  return { status: 'restored', from: store.url, isProven: false, write };
}

function manifestFrom(manifest: Manifest): Way {
  const write = (local: string) => writeFile(local, `${JSON.stringify(manifest)}\n`);
  return { status: 'rebuilt', from: RELEASE_PATHS.release, isProven: false, write };
}

/** Snapshots are given to consumers by their hash: only the published bytes will do. */
function snapshotRebuilds(file: SnapshotFile, deps: RebuildDeps): readonly Way[] {
  const { url } = deps.store;
  const before = deps.release.prev === null ? 'the events' : `the snapshot ${deps.release.prev.day} and the events`;
  const way = (from: string, write: Way['write']): Way => ({ status: 'rebuilt', from, isProven: false, write });
  const fromState = way(`the state in ${url}`, (local) => rebuildFromState(file, local, deps));
  if (file.manifest !== deps.release.manifest) return [fromState];
  return [fromState, way(`${before} in ${url}`, (local) => rebuildByReplay(file, local, deps))];
}

type ParquetRebuild = readonly [path: string, from: string, rebuild: RebuildParquet];
type RebuildParquet = (to: string, materials: Materials) => Promise<void>;

/** The Parquet files of a release that can be made anew, each with what it comes from. */
const PARQUET_REBUILDS: readonly ParquetRebuild[] = [
  [RELEASE_PATHS.changes, 'the snapshot', rebuildChanges],
  [RELEASE_PATHS.removed, 'the state', rebuildRemoved],
  [RELEASE_PATHS.unpublished, 'the state', rebuildUnpublished],
  [RELEASE_PATHS.suspects, 'the count of prices held back', rebuildSuspects],
  ...DATASET_NAMES.flatMap((name): readonly ParquetRebuild[] => [
    [RELEASE_PATHS.state(name), 'the snapshot', (to, materials) => rebuildState(name, to, materials)],
    [RELEASE_PATHS.history(name), 'the state', (to, materials) => rebuildHistory(name, to, materials)],
  ]),
];

function parquetRebuilds(path: string, { materials, rebuild: { release } }: WaysDeps): readonly Way[] {
  const isOfSource = path === RELEASE_PATHS.aliases || path.startsWith(RELEASE_PATHS.fetched(''));
  const [, from, work] = isOfSource
    ? [path, 'the same file of the night before', copyUnchanged(path)]
    : (PARQUET_REBUILDS.find(([of]) => of === path) ?? []);
  if (from === undefined || work === undefined) return [];
  const { prev } = release;
  const write = (local: string) => {
    if (materials === undefined) throw new AppError('corrupt', `the release.json of ${prev?.day} can't be read`);
    return work(local, materials);
  };
  const before = prev === null ? '' : ` and the release of ${prev.day}`;
  return [{ status: 'rebuilt', from: from + before, isProven: true, write }];
}

function snapshotFileFromPath(path: string, release: Release): SnapshotFile | undefined {
  const files = manifestsOf(release).flatMap((manifest) => DATASET_NAMES.map((name) => ({ manifest, name })));
  return files.find(({ manifest, name }) => snapshotPaths(manifest).dataset(name) === path);
}

/** In which order files are looked at: what others are rebuilt from comes before them. */
export function rankOfPath(path: string): number {
  if (path === RELEASE_PATHS.release) return 0;
  if (path.startsWith('snapshot/v')) return 6; // Of a version under notice: it comes from the state alone.
  if (path.startsWith('snapshot/')) return 1;
  if (path === RELEASE_PATHS.changes) return 2;
  if (path === RELEASE_PATHS.unpublished) return 3;
  return path.startsWith('state/') ? 4 : 5;
}

/**
 * Puts back what the source gave, and what stands nowhere else, from the release before: names of models and fetched files that were
 * the same there. Else rejects with `corrupt`.
 */
function copyUnchanged(path: string): RebuildParquet {
  return async (to, materials) => {
    const { sha256 } = getReleaseFile(materials.release, path);
    const before = materials.previous?.files.find((file) => file.path === path);
    assertProven(before?.sha256 === sha256, 'the night before had none, or another');
    await copyFile(await materials.copyBefore(path), to);
  };
}
