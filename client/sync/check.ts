import { AppError, isAppError } from '../../runtime/errors.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import { isKnownVersion } from '../../schemas/record-versions.ts';
import { differences, findContentProblems } from './content.ts';
import type { SyncDeps } from './copy.ts';
import { download } from './import-snapshot.ts';
import { type PlacedLines, readLines } from './json-lines.ts';
import { readSnapshots, type Snapshot } from './read-snapshots.ts';

/** What differs between a dataset of the copy and the snapshot. */
export interface DatasetDifference {
  readonly dataset: DatasetName;
  /** Records that only the snapshot has, only the copy has, or that are not the same. */
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  /** Why the copy can't be compared any further: the file, the line, and what is wrong with it; null: it could. */
  readonly problem: string | null;
  /** The first of them. */
  readonly records: readonly RecordDifference[];
}

export interface RecordDifference {
  readonly key: readonly string[];
  /** The record in the copy; null: it has none. */
  readonly copy: string | null;
  readonly snapshot: string | null;
}

export interface CheckResult {
  readonly ok: boolean;
  readonly snapshot_id: string;
  /** Datasets that are not the snapshot's; of one that is there as well the differences are empty where lines stand in another order. */
  readonly differences: readonly DatasetDifference[];
}

/** Records that are told of a dataset. */
const TOLD_MAX = 1000;

/**
 * Compares the copy with the snapshot that it has reached, by the hashes of its manifest, and finds out what differs by
 * downloading the datasets whose hash does. Rejects with a ClientError, or `usage` where there is nothing to compare: no copy, or
 * one that is not at a snapshot which the plan shows.
 */
export async function checkCopy(deps: SyncDeps): Promise<CheckResult> {
  const snapshot = await findSnapshot(deps);
  const { copy, scratch, onStep } = deps;
  if (!copy.isVerbatim && !isKnownVersion(snapshot.schema_version)) {
    const message = `snapshot ${snapshot.id} is in version ${snapshot.schema_version}, with which this program can't compare`;
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
  if (state === undefined) throw new AppError('usage', 'nothing was imported yet: sync first');
  if (state.cursor === null) {
    throw new AppError('usage', 'this copy was made of lists, and no snapshot says what it should be');
  }
  const snapshots = readSnapshots(await client.listSnapshots());
  const reached = snapshots.find(({ change_cursor: cursor }) => cursor === state.cursor);
  if (reached !== undefined) return reached;
  const [newest] = snapshots;
  const message = `the copy is at ${state.snapshot_id ?? 'no snapshot'}, the newest snapshot is ${newest?.id ?? 'none'}: sync first`;
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
      if (records.length < TOLD_MAX) records.push({ key, copy: left, snapshot: right });
    }
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return { dataset, ...counts, problem: error.message, records };
  }
  return { dataset, ...counts, problem: null, records };
}
