import { createHash } from 'node:crypto';
import { isAppError } from '../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName, mapDatasetsInTurn } from '../../schemas/datasets.ts';
import type { ContentHashes, Copy } from './copy.ts';
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
    const { records, sha256 } = await contentOfCopy(copy, dataset, version);
    const { content_sha256: expected, records: count } = files[dataset];
    if (sha256 !== expected) problems.push({ dataset, records, expected: count });
  }
  return problems;
}

/** Of every dataset of a copy. */
export function contentHashes(
  copy: Pick<Copy, 'lines'>,
  version: string,
  onDataset: (dataset: DatasetName) => void = () => {},
): Promise<ContentHashes> {
  return mapDatasetsInTurn(async (dataset) => {
    onDataset(dataset);
    return (await contentOfCopy(copy, dataset, version)).sha256;
  });
}

/** As `contentOf`; what can't be read as lines, since somebody spoilt it, has a hash that nothing has. */
async function contentOfCopy(copy: Pick<Copy, 'lines'>, dataset: DatasetName, version: string): Promise<Content> {
  try {
    return await contentOf(copy.lines(dataset, version));
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return { records: 0, sha256: '' };
  }
}

interface Content {
  readonly records: number;
  readonly sha256: string;
}

/** How many lines there are, and the hash of them as a file would have it. */
async function contentOf(lines: AsyncIterable<string>): Promise<Content> {
  const hash = createHash('sha256');
  let records = 0;
  for await (const group of inGroups(lines, HASHED_LINES)) {
    records += group.length;
    hash.update(`${group.join('\n')}\n`);
  }
  return { records, sha256: hash.digest('hex') };
}

const HASHED_LINES = 1000;
