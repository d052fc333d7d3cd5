/** The order of lists: text by its UTF-8 bytes, nulls last in both directions, ties by the key ascending. */
import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import type { Value } from '../night-oracle/row-rules.ts';
import type { WireRecord } from './world.ts';

export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Names are sorted by so many characters (specification "Lists"). */
const NAME_LENGTH = 200;

/** Records that come by key, in the order of a `sort` such as `name` or `-value`; a stable sort leaves ties by key. */
export function sortRecords(dataset: DatasetName, recordsByKey: readonly WireRecord[], sort: string): WireRecord[] {
  const column = sort.replace(/^-/, '');
  const direction = sort.startsWith('-') ? -1 : 1;
  const isInstant = DATASETS[dataset].columns.some(({ name, type }) => name === column && type === 'timestamp');
  const sortValue = (record: WireRecord): Value => {
    const value = record[column] ?? null;
    if (column === 'name' && typeof value === 'string') return [...value].slice(0, NAME_LENGTH).join('');
    return isInstant && typeof value === 'string' ? Date.parse(value) : value;
  };
  return [...recordsByKey].sort((a, b) => compareNullsLast(sortValue(a), sortValue(b), direction));
}

/** The rows of a list in the order of `sort` that come behind a record, which may be gone or have another place by now. */
export function laterRows(
  dataset: DatasetName,
  rows: readonly WireRecord[],
  { sort, last }: { readonly sort: string; readonly last: WireRecord },
): readonly WireRecord[] {
  const { key } = DATASETS[dataset];
  const keyOf = (record: WireRecord) => key.map((part) => String(record[part]));
  const isBehind = (row: WireRecord) => {
    const pair = [row, last].sort((a, b) => compareKeys(keyOf(a), keyOf(b)));
    return sortRecords(dataset, pair, sort)[1] === row;
  };
  const first = rows.findIndex(isBehind);
  return first === -1 ? [] : rows.slice(first);
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  const i = a.findIndex((part, at) => part !== b[at]);
  return i === -1 ? 0 : compareText(a[i] ?? '', b[i] ?? '');
}

function compareNullsLast(a: Value, b: Value, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * direction;
  return compareText(String(a), String(b)) * direction;
}
