/**
 * Proves a store from the outside (DESIGN §1): every file is the recorded one, every snapshot follows byte for byte from
 * the one before and the events between, seqs have no gap, and the state that the next night starts from is the snapshot.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/versions.ts';
import { Database, type DuckDBSettings } from '../../storage/duckdb.ts';
import { releaseId } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
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
  readonly duckdb: Omit<DuckDBSettings, 'tempFolder'>;
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
  await mkdir(deps.workFolder, { recursive: true });
  const scratch = await mkdtemp(join(deps.workFolder, 'verify-'));
  const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: join(scratch, 'spill') });
  const lines = new SnapshotLines(deps.store, scratch);
  const problems: Problem[] = [];
  let [snapshots, replayed] = [0, 0];
  try {
    for (const [index, entry] of releases.entries()) {
      if (!isWanted(entry)) continue;
      deps.onSnapshot(entry.day);
      const previous = releases[index - 1];
      const files = join(scratch, releaseId(entry));
      const { store, versions = RECORD_VERSIONS } = deps;
      const verifier = new ReleaseVerifier({ entry, previous, database, scratch: files, lines, store, versions });
      await verifier.run();
      await rm(files, { recursive: true, force: true });
      snapshots += 1;
      if (verifier.isReplayed) replayed += 1;
      problems.push(...verifier.problems.map((message) => ({ snapshot: entry.day, message })));
    }
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
  return { ok: problems.length === 0, snapshots, replayed, problems };
}
