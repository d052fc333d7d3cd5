/** The oracle's published forms (specification "Canonical line"): canonical line, key order, entity id. */
import { createHash } from 'node:crypto';
import type { DatasetName } from '../../schemas/datasets.ts';
import { oracleColumns } from './columns.ts';
import type { Value, Values } from './row-rules.ts';

/** A record in its published form: the published columns in wire order. */
export function publishedRecord(dataset: DatasetName, values: Values): Record<string, Value> {
  const published = oracleColumns(dataset).filter((column) => column.published);
  return Object.fromEntries(published.map((column) => [column.name, values[column.name] ?? null]));
}

export function canonicalLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Key parts joined by `:`, as the feed names a record. */
export function entityId(key: readonly string[]): string {
  return key.join(':');
}

/** A text of a key that no other key has, for the oracle's maps: that of the feed where no part holds a `%` or `:`. */
export function keyText(key: readonly string[]): string {
  return key.map((part) => part.replaceAll('%', '%25').replaceAll(':', '%3A')).join(':');
}

/** By key, the UTF-8 bytes compared column by column. */
export function sortByKey<T extends { readonly key: readonly string[] }>(records: Iterable<T>): T[] {
  const decorated = Array.from(records, (record) => ({ record, bytes: record.key.map((part) => Buffer.from(part)) }));
  decorated.sort((a, b) => {
    for (const [i, bytes] of a.bytes.entries()) {
      const order = Buffer.compare(bytes, b.bytes[i] ?? Buffer.alloc(0));
      if (order !== 0) return order;
    }
    return 0;
  });
  return decorated.map(({ record }) => record);
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
