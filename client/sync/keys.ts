import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';

/** A record as its line says, whatever the version. */
export type AnyRecord = Readonly<Record<string, unknown>>;

export function parseRecord(line: string): AnyRecord {
  return JSON.parse(line);
}

/** The parts of a record's key, in order. */
export function keyOf(dataset: DatasetName, record: AnyRecord): readonly string[] {
  return DATASETS[dataset].key.map((part) => String(record[part]));
}

/** The order of a snapshot's lines: part by part, by the bytes of their UTF-8. */
export function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const order = compareTexts(part, b[index] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** As `Buffer.compare` of their UTF-8, which only surrogates order differently than JavaScript does. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

const SURROGATE = /[\ud800-\udfff]/;
