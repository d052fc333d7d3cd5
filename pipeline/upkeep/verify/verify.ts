/**
 * Proves a store from the outside (specification "Promises"; decision 0024): every file is the recorded one, every snapshot
 * follows byte for byte from the one before and the events between, seqs have no gap, and the state that the next night
 * starts from is the snapshot.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog } from '../../../schemas/catalog.ts';
import type { Day } from '../../../schemas/day.ts';
import type { RecordVersion } from '../../../schemas/versions/record-version.ts';
import { RECORD_VERSIONS } from '../../../schemas/versions/record-versions.ts';
import type { Database, DuckDBLimits } from '../../../storage/duckdb/database.ts';
import { releaseId } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { Run } from '../../run/run.ts';
import { runUpkeep, type UpkeepDeps, type UpkeepEnd } from '../upkeep-run.ts';
import type { Problem } from './problem.ts';
import { ReleaseVerifier } from './release-verifier.ts';
import { SnapshotLines } from './snapshot-lines.ts';
import { verifyBackfill } from './verify-backfill.ts';

export interface Verification {
  readonly ok: boolean;
  /** Snapshots that were looked at. */
  readonly snapshots: number;
  /** Snapshots proven by replay from the one before. */
  readonly replayed: number;
  readonly problems: readonly Problem[];
}

export interface VerifyInput {
  readonly catalog: Catalog | undefined;
  /** The snapshots to prove; with `all` also what belongs to no snapshot. */
  readonly days: readonly Day[] | 'all';
}

export interface VerifyDeps extends UpkeepDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  /** The versions of the records; {@link RECORD_VERSIONS} unless given. */
  readonly versions?: readonly RecordVersion[];
  readonly onSnapshot: (day: Day) => void;
}

/** Verifies releases of a catalog; finds all problems rather than stopping at the first. */
export function verify({ catalog, days }: VerifyInput, deps: VerifyDeps): Promise<Verification & UpkeepEnd> {
  const tell = ({ ok, snapshots, replayed, problems }: Verification) => ({
    status: ok ? 'ok' : 'problems',
    facts: { snapshots, replayed },
    issues: problems,
  });
  return runUpkeep({ command: 'verify', request: { days }, tell }, deps, async (run) => {
    const database = await run.openDatabase(deps.duckdb);
    const proven = await run.stage('snapshots', () => verifySnapshots({ catalog, days }, { ...deps, database, run }));
    if (days !== 'all') return proven;
    const places = { store: deps.store, database, scratch: run.folder.scratch };
    const more = await run.stage('backfill', () => verifyBackfill(catalog, places));
    return { ...proven, ok: proven.ok && more.length === 0, problems: [...proven.problems, ...more] };
  });
}

interface RunningDeps extends VerifyDeps {
  readonly database: Database;
  readonly run: Run;
}

async function verifySnapshots({ catalog, days }: VerifyInput, deps: RunningDeps): Promise<Verification> {
  const { store, database, versions = RECORD_VERSIONS } = deps;
  const { scratch: folder } = deps.run.folder;
  const releases = catalog?.releases ?? [];
  const lines = new SnapshotLines(store, folder);
  const problems: Problem[] = [];
  let [snapshots, replayed] = [0, 0];
  for (const [index, entry] of releases.entries()) {
    if (days !== 'all' && !days.includes(entry.day)) continue;
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
}
