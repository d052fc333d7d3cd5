import { AppError, isAppError } from '../../runtime/errors.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import { isKnownVersion } from '../../schemas/record-versions.ts';
import { differences, findContentProblems } from './content.ts';
import type { SyncDeps } from './copy.ts';
import { download } from './import-snapshot.ts';
import { type PlacedLines, readLines } from './json-lines.ts';
import { readSnapshots, type Snapshot } from './read-snapshots.ts';

export interface DatasetDifference {
  readonly dataset: DatasetName;
  /** Records only in the snapshot, only in the copy, or different. */
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  /** Why the comparison stopped: file, line and problem. Null: it completed. */
  readonly problem: string | null;
  readonly records: readonly RecordDifference[];
}

export interface RecordDifference {
  readonly key: readonly string[];
  /** Null: the copy has none. */
  readonly copy: string | null;
  readonly snapshot: string | null;
}

export interface CheckResult {
  readonly ok: boolean;
  readonly snapshot_id: string;
  /** Datasets that differ from the snapshot; all counts are 0 if only the order of lines differs. */
  readonly differences: readonly DatasetDifference[];
}

const RECORDS_MAX = 1000;

/**
 * Compares the copy with the snapshot it has reached, by the manifest's hashes, and downloads the datasets that differ.
 * Rejects with a ClientError, or `usage` without a copy at a snapshot that the plan shows.
 */
export async function checkCopy(deps: SyncDeps): Promise<CheckResult> {
  const snapshot = await findSnapshot(deps);
  const { copy, scratch, onStep } = deps;
  if (!copy.isVerbatim && !isKnownVersion(snapshot.schema_version)) {
    const message = `snapshot ${snapshot.id} is in version ${snapshot.schema_version}, which this program can't compare`;
    throw new AppError('usage', message);
  }
  const problems = await findContentProblems(snapshot, copy, (dataset) => onStep?.({ is: 'check', dataset }));
  const found: DatasetDifference[] = [];
  for (const { dataset } of problems) {
    const path = await download(snapshot, dataset, deps);
    const ofCopy = { lines: copy.lines(dataset, snapshot.schema_version), place: copy.placeOf(dataset) };
    found.push(await differenceOf(dataset, ofCopy, { lines: readLines(path), place: path }));
  }
  await scratch.remove();
  return { ok: found.length === 0, snapshot_id: snapshot.id, differences: found };
}

async function findSnapshot({ client, copy }: SyncDeps): Promise<Snapshot> {
  const state = await copy.state();
  if (state === undefined) throw new AppError('usage', 'the copy is empty: run sync first');
  if (state.cursor === null) {
    throw new AppError('usage', 'this copy was made from lists, so there is no snapshot to compare it with');
  }
  const snapshots = readSnapshots(await client.listSnapshots());
  const reached = snapshots.find(({ change_cursor: cursor }) => cursor === state.cursor);
  if (reached !== undefined) return reached;
  const [newest] = snapshots;
  const message = `the copy is at ${state.snapshot_id ?? 'no snapshot'}, the newest snapshot is ${newest?.id ?? 'none'}: run sync first`;
  throw new AppError('usage', message);
}

async function differenceOf(
  dataset: DatasetName,
  copy: PlacedLines,
  snapshot: PlacedLines,
): Promise<DatasetDifference> {
  const counts = { missing: 0, extra: 0, different: 0 };
  const records: RecordDifference[] = [];
  try {
    for await (const { key, left = null, right = null } of differences(dataset, copy, snapshot)) {
      if (left === null) counts.missing += 1;
      else if (right === null) counts.extra += 1;
      else counts.different += 1;
      if (records.length < RECORDS_MAX) records.push({ key, copy: left, snapshot: right });
    }
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return { dataset, ...counts, problem: error.message, records };
  }
  return { dataset, ...counts, problem: null, records };
}
