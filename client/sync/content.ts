import { createHash } from 'node:crypto';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import type { Copy } from './copy.ts';
import { inGroups } from './json-lines.ts';
import type { Snapshot } from './read-snapshots.ts';

/** A dataset of which the copy's lines are not those of the snapshot. */
export interface ContentProblem {
  readonly dataset: DatasetName;
  /** Records in the copy, and in the snapshot. */
  readonly records: number;
  readonly expected: number;
}

/** The datasets of a copy whose lines don't have the hash that the snapshot's manifest says. */
export async function findContentProblems(
  { files, schema_version: version }: Pick<Snapshot, 'files' | 'schema_version'>,
  copy: Pick<Copy, 'lines'>,
  onDataset: (dataset: DatasetName) => void = () => {},
): Promise<readonly ContentProblem[]> {
  const problems: ContentProblem[] = [];
  for (const dataset of DATASET_NAMES) {
    onDataset(dataset);
    const { records, sha256 } = await contentOf(copy.lines(dataset, version));
    const { content_sha256: expected, records: count } = files[dataset];
    if (sha256 !== expected) problems.push({ dataset, records, expected: count });
  }
  return problems;
}

/** How many lines there are, and the hash of them as a file would have it. */
export async function contentOf(
  lines: AsyncIterable<string>,
): Promise<{ readonly records: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let records = 0;
  for await (const group of inGroups(lines, HASHED_LINES)) {
    records += group.length;
    hash.update(`${group.join('\n')}\n`);
  }
  return { records, sha256: hash.digest('hex') };
}

const HASHED_LINES = 1000;
