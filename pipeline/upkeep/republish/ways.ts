import { writeFile } from 'node:fs/promises';
import { AppError } from '../../../runtime/errors.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { manifestsOf, type Release, type ReleaseFile } from '../../../schemas/release.ts';
import type { RecordVersion } from '../../../schemas/versions/record-version.ts';
import { fetchFile } from '../../../storage/fetch-object.ts';
import { RELEASE_PATHS, snapshotPaths } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { FoundRelease } from './find-release.ts';
import { copyUnchanged } from './rebuild/copy-unchanged.ts';
import type { Materials } from './rebuild/materials.ts';
import { rebuildChanges } from './rebuild/rebuild-changes.ts';
import { rebuildHistory } from './rebuild/rebuild-history.ts';
import { rebuildRemoved, rebuildSuspects, rebuildUnpublished } from './rebuild/rebuild-notes.ts';
import { type RebuildDeps, rebuildByReplay, rebuildFromState, type SnapshotFile } from './rebuild/rebuild-snapshot.ts';
import { rebuildState } from './rebuild/rebuild-state.ts';

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

function parquetRebuilds(path: string, { materials, rebuild }: WaysDeps): readonly Way[] {
  const { prev } = rebuild.release;
  const before = prev === null ? '' : ` and the release of ${prev.day}`;
  const way = (from: string, work: (to: string, materials: Materials) => Promise<void>): Way => ({
    status: 'rebuilt',
    from: from + before,
    isProven: true,
    write: (local) => {
      if (materials === undefined) throw new AppError('corrupt', `the release.json of ${prev?.day} can't be read`);
      return work(local, materials);
    },
  });
  if (path === RELEASE_PATHS.changes) return [way('the snapshot', rebuildChanges)];
  if (path === RELEASE_PATHS.removed) return [way('the state', rebuildRemoved)];
  if (path === RELEASE_PATHS.unpublished) return [way('the state', rebuildUnpublished)];
  if (path === RELEASE_PATHS.aliases || path.startsWith(RELEASE_PATHS.fetched(''))) {
    return [way('the same file of the night before', (to, from) => copyUnchanged(path, to, from))];
  }
  if (path === RELEASE_PATHS.suspects) return [way('the count of prices held back', rebuildSuspects)];
  const state = DATASET_NAMES.find((name) => RELEASE_PATHS.state(name) === path);
  if (state !== undefined) return [way('the snapshot', (to, from) => rebuildState(state, to, from))];
  const history = DATASET_NAMES.find((name) => RELEASE_PATHS.history(name) === path);
  if (history !== undefined) return [way('the state', (to, from) => rebuildHistory(history, to, from))];
  return [];
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
