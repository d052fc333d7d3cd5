import type { DatasetName } from '../../schemas/datasets.ts';
import { type KeyedLine, keyedLines, type PlacedLines } from './keyed-lines.ts';
import { compareKeys } from './keys.ts';

/** How a record of one side stands against the other side's. */
export interface Difference {
  readonly key: readonly string[];
  /** The line of the left side; undefined: only the right one has the record. */
  readonly left: string | undefined;
  readonly right: string | undefined;
}

/** The records that differ between two datasets, each given as lines sorted by key. Rejects with `corrupt` where one is no record. */
export async function* differences(
  dataset: DatasetName,
  left: PlacedLines,
  right: PlacedLines,
): AsyncGenerator<Difference, void> {
  const [lefts, rights] = [keyedLines(dataset, left), keyedLines(dataset, right)];
  try {
    yield* differencesOf(lefts, rights);
  } finally {
    // Who reads no further must not keep what is read from open.
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

/** A side that has ended comes last. */
function orderOf(a: KeyedLine | undefined, b: KeyedLine | undefined): number {
  if (a === undefined) return 1;
  return b === undefined ? -1 : compareKeys(a.key, b.key);
}
