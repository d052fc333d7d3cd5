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

export interface Strategy {
  readonly status: 'restored' | 'rebuilt';
  readonly from: string;
  /** Rejects with an AppError where the strategy fails. */
  readonly write: (local: string) => Promise<void>;
  /** Proven rows may have other bytes. */
  readonly isProven: boolean;
}

export interface StrategyDeps {
  /** May also hold inputs of a rebuild. */
  readonly target: ObjectStore;
  /** May have the file or inputs of a rebuild. */
  readonly sources: readonly ObjectStore[];
  readonly found: FoundRelease;
  /** Undefined where the previous release is unreadable. */
  readonly materials: Materials | undefined;
  readonly versions: readonly RecordVersion[];
  readonly rebuild: Pick<RebuildDeps, 'release' | 'database' | 'scratch'>;
}

/** Best first: copies have the published bytes, rebuilds may not. */
export function strategiesFor(file: ReleaseFile, deps: StrategyDeps): readonly Strategy[] {
  const { release } = deps.rebuild;
  if (file.path === RELEASE_PATHS.release || file.path === RELEASE_PATHS.published) return [bodyStrategy(deps.found)];
  const copies = deps.sources.map((store) => copyFrom(store, release, file));
  const manifest = manifestsOf(release).find((candidate) => snapshotPaths(candidate).manifest === file.path);
  if (manifest !== undefined) return [...copies, manifestFrom(manifest)];
  const snapshotFile = snapshotFileFromPath(file.path, release);
  if (snapshotFile === undefined) return [...copies, ...parquetRebuilds(file.path, deps)];
  const { versions, target, sources, rebuild } = deps;
  const stores = [target, ...sources];
  return [...copies, ...stores.flatMap((store) => snapshotRebuilds(snapshotFile, { ...rebuild, versions, store }))];
}

function bodyStrategy({ body, from }: FoundRelease): Strategy {
  return { status: 'restored', from, isProven: false, write: (local) => writeFile(local, body) };
}

function copyFrom(store: ObjectStore, release: Release, file: ReleaseFile): Strategy {
  const write = (local: string) => fetchFile(store, release, file, local);
  return { status: 'restored', from: store.url, isProven: false, write };
}

function manifestFrom(manifest: Manifest): Strategy {
  const write = (local: string) => writeFile(local, `${JSON.stringify(manifest)}\n`);
  return { status: 'rebuilt', from: RELEASE_PATHS.release, isProven: false, write };
}

/** Consumers know snapshots by their hash, so only the published bytes count. */
function snapshotRebuilds(file: SnapshotFile, deps: RebuildDeps): readonly Strategy[] {
  const { url } = deps.store;
  const before = deps.release.prev === null ? 'the events' : `the snapshot ${deps.release.prev.day} and the events`;
  const strategy = (from: string, write: Strategy['write']): Strategy => ({
    status: 'rebuilt',
    from,
    isProven: false,
    write,
  });
  const fromState = strategy(`the state in ${url}`, (local) => rebuildFromState(file, local, deps));
  if (file.manifest !== deps.release.manifest) return [fromState];
  return [fromState, strategy(`${before} in ${url}`, (local) => rebuildByReplay(file, local, deps))];
}

type ParquetRebuild = readonly [path: string, from: string, rebuild: RebuildParquet];
type RebuildParquet = (to: string, materials: Materials) => Promise<void>;

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

function parquetRebuilds(path: string, { materials, rebuild: { release } }: StrategyDeps): readonly Strategy[] {
  const isOfSource = path === RELEASE_PATHS.aliases || path.startsWith(RELEASE_PATHS.fetched(''));
  const [, from, work] = isOfSource
    ? [path, 'the same file of the previous night', copyUnchanged(path)]
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

/** Inputs of rebuilds come first. */
export function rankOfPath(path: string): number {
  if (path === RELEASE_PATHS.release) return 0;
  if (path.startsWith('snapshot/v')) return 6; // Noticed snapshots are rebuilt from the state alone.
  if (path.startsWith('snapshot/')) return 1;
  if (path === RELEASE_PATHS.changes) return 2;
  if (path === RELEASE_PATHS.unpublished) return 3;
  return path.startsWith('state/') ? 4 : 5;
}

/**
 * Files from the source are stored nowhere else: taken from the previous release if they were the same there, else
 * rejects with `corrupt`.
 */
function copyUnchanged(path: string): RebuildParquet {
  return async (to, materials) => {
    const { sha256 } = getReleaseFile(materials.release, path);
    const before = materials.previous?.files.find((file) => file.path === path);
    assertProven(before?.sha256 === sha256, 'the previous night had none, or another');
    await copyFile(await materials.copyBefore(path), to);
  };
}
