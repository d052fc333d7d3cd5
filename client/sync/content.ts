import { createHash } from 'node:crypto';
import { AppError, isAppError, messageFromError } from '../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName, mapDatasetsSerially } from '../../schemas/datasets.ts';
import type { DatasetFile } from '../../schemas/manifest.ts';
import { AnswerTooLargeError } from '../errors.ts';
import { LIMITED_BY } from '../read-response.ts';
import type { ContentHashes, Copy } from './copy.ts';
import {
  compareKeys,
  inGroups,
  type KeyedLine,
  keyedLines,
  LINE_BYTES_MAX,
  type PlacedLines,
  readBlocks,
} from './json-lines.ts';
import type { Snapshot } from './read-snapshots.ts';

export interface ContentProblem {
  readonly dataset: DatasetName;
  /** Records in the copy and in the snapshot. */
  readonly records: number;
  readonly expected: number;
}

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

export function contentHashes(
  copy: Pick<Copy, 'lines'>,
  version: string,
  onDataset: (dataset: DatasetName) => void = () => {},
): Promise<ContentHashes> {
  return mapDatasetsSerially(async (dataset) => {
    onDataset(dataset);
    return (await contentOfCopy(copy, dataset, version)).sha256;
  });
}

/** Like `contentOf`; unreadable lines have a hash that matches nothing. */
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

/** Rejects if the file is larger than the settings allow, before downloading it. */
export function assertFileAllowed(
  { name, bytes, content_bytes: unpacked }: DatasetFile,
  { snapshot, fileBytesMax }: { readonly snapshot: string; readonly fileBytesMax: number },
): void {
  if (Math.max(bytes, unpacked) <= fileBytesMax) return;
  const message = `${name} of snapshot ${snapshot} has ${bytes} bytes, ${unpacked} unpacked; ${fileBytesMax} are allowed: ${LIMITED_BY.file}`;
  throw new AnswerTooLargeError(message, { code: 'answer_too_large' });
}

/**
 * Rejects with `corrupt` if a packed file's content differs from its manifest. Unpacks no more than the manifest says,
 * and holds none of it in memory.
 */
export async function assertContent(path: string, file: DatasetFile, snapshot: string): Promise<void> {
  const problem = await findContentProblem(path, file);
  if (problem === undefined) return;
  throw new AppError('corrupt', `${file.name} of snapshot ${snapshot} ${problem}`);
}

async function findContentProblem(
  path: string,
  { content_bytes: expected, content_sha256: sha256 }: DatasetFile,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  let [bytes, lineBytes] = [0, 0];
  try {
    for await (const block of readBlocks(path)) {
      bytes += block.length;
      if (bytes > expected) return `unpacks to more than the ${expected} bytes of the manifest`;
      const end = block.lastIndexOf(NEWLINE);
      lineBytes = end === -1 ? lineBytes + block.length : block.length - end - 1;
      if (lineBytes > LINE_BYTES_MAX) return `has a line of more than ${LINE_BYTES_MAX} bytes`;
      hash.update(block);
    }
  } catch (error) {
    return `can't be unpacked: ${messageFromError(error)}`;
  }
  return hash.digest('hex') === sha256 ? undefined : 'unpacks to other content than the manifest states';
}

const NEWLINE = 0x0a;

export interface Difference {
  readonly key: readonly string[];
  /** Undefined: only the right side has the record. */
  readonly left: string | undefined;
  readonly right: string | undefined;
}

/** Compares two datasets given as lines sorted by key. Rejects with `corrupt` if a line is no record. */
export async function* differences(
  dataset: DatasetName,
  left: PlacedLines,
  right: PlacedLines,
): AsyncGenerator<Difference, void> {
  const [lefts, rights] = [keyedLines(dataset, left), keyedLines(dataset, right)];
  try {
    yield* differencesOf(lefts, rights);
  } finally {
    // Closes the inputs of a caller that stops early.
    await Promise.all([lefts.return(undefined), rights.return(undefined)]);
  }
}

type Records = AsyncGenerator<KeyedLine, undefined>;

async function* differencesOf(lefts: Records, rights: Records): AsyncGenerator<Difference, void> {
  let [a, b] = [await lefts.next(), await rights.next()];
  while (a.done !== true || b.done !== true) {
    const order = orderOf(a.value, b.value);
    if (order === 0) {
      if (a.value?.line !== b.value?.line) {
        yield { key: a.value?.key ?? [], left: a.value?.line, right: b.value?.line };
      }
      [a, b] = [await lefts.next(), await rights.next()];
    } else if (order < 0) {
      yield { key: a.value?.key ?? [], left: a.value?.line, right: undefined };
      a = await lefts.next();
    } else {
      yield { key: b.value?.key ?? [], left: undefined, right: b.value?.line };
      b = await rights.next();
    }
  }
}

/** A side that has ended sorts last. */
function orderOf(a: KeyedLine | undefined, b: KeyedLine | undefined): number {
  if (a === undefined) return 1;
  return b === undefined ? -1 : compareKeys(a.key, b.key);
}
