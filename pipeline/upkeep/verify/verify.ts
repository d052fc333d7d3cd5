/**
 * Proves a store from the outside (specification "Promises"; decision 0024): every file is the recorded one, every snapshot
 * follows byte for byte from the one before and the events between, seqs have no gap, and the state that the next night
 * starts from is the snapshot.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import type { RecordVersion } from '../../../schemas/versions/record-version.ts';
import { RECORD_VERSIONS } from '../../../schemas/versions/record-versions.ts';
import type { DuckDBLimits } from '../../../storage/duckdb/database.ts';
import { releaseId } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { withScratch } from '../../run/scratch.ts';
import { ReleaseVerifier } from './release-verifier.ts';
import { SnapshotLines } from './snapshot-lines.ts';

export interface Problem {
  /** The snapshot's day; the key of the object where it belongs to none. */
  readonly snapshot: string;
  readonly message: string;
}

export interface Verification {
  readonly ok: boolean;
  /** Snapshots that were looked at. */
  readonly snapshots: number;
  /** Snapshots proven by replay from the one before. */
  readonly replayed: number;
  readonly problems: readonly Problem[];
}

export interface VerifyDeps {
  readonly store: ObjectStore;
  readonly workFolder: string;
  readonly duckdb: DuckDBLimits;
  /** The versions of the records; {@link RECORD_VERSIONS} unless given. */
  readonly versions?: readonly RecordVersion[];
  readonly onSnapshot: (day: string) => void;
}

/** Verifies the releases of a catalog that `isWanted`; finds all problems rather than stopping at the first. */
export async function verify(
  releases: readonly CatalogEntry[],
  isWanted: (entry: CatalogEntry) => boolean,
  deps: VerifyDeps,
): Promise<Verification> {
  return withScratch({ ...deps, prefix: 'verify-' }, async ({ database, folder }) => {
    const { store, versions = RECORD_VERSIONS } = deps;
    const lines = new SnapshotLines(store, folder);
    const problems: Problem[] = [];
    let [snapshots, replayed] = [0, 0];
    for (const [index, entry] of releases.entries()) {
      if (!isWanted(entry)) continue;
      deps.onSnapshot(entry.day);
      const scratch = join(folder, releaseId(entry));
      const previous = releases[index - 1];
      const verifier = new ReleaseVerifier({ entry, previous, database, scratch, lines, store, versions });
      await verifier.run();
      await rm(scratch, { recursive: true, force: true });
      snapshots += 1;
      if (verifier.isReplayed) replayed += 1;
      problems.push(...verifier.problems.map((message) => ({ snapshot: entry.day, message })));
    }
    return { ok: problems.length === 0, snapshots, replayed, problems };
  });
}
