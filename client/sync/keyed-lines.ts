import { AppError } from '../../runtime/errors.ts';
import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { type AnyRecord, keyOf, parseRecord } from './keys.ts';

/** Lines of a dataset, and the file or table that they come from, as people know it. */
export interface PlacedLines {
  readonly lines: AsyncIterable<string>;
  readonly place: string;
}

export interface KeyedLine {
  readonly key: readonly string[];
  readonly line: string;
}

/** Lines with the keys of their records. Rejects with `corrupt`, and the number of the line, where one is no record of the dataset. */
export async function* keyedLines(
  dataset: DatasetName,
  { lines, place }: PlacedLines,
): AsyncGenerator<KeyedLine, undefined> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const record = recordIn(line);
    const problem = record === undefined ? 'it is no JSON object' : findKeyProblem(dataset, record);
    if (record === undefined || problem !== undefined) {
      throw new AppError('corrupt', `${place}, line ${number}: ${problem}`);
    }
    yield { key: keyOf(dataset, record), line };
  }
  return undefined;
}

function recordIn(line: string): AnyRecord | undefined {
  try {
    const value: unknown = parseRecord(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function findKeyProblem(dataset: DatasetName, record: AnyRecord): string | undefined {
  const missing = DATASETS[dataset].key.filter((part) => typeof record[part] !== 'string');
  if (missing.length === 0) return undefined;
  return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
}
