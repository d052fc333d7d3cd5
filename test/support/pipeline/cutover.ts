/** What the tests of a new record version read of a release. Records are as JSON.parse gives them. */
import { join } from 'node:path';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import { sqlText } from '../../../storage/duckdb/database.ts';
import { text } from '../../../storage/duckdb/row-shape.ts';
import { releaseKey } from '../../../storage/keys.ts';
import { readChanges, readRelease, readSnapshot } from './published.ts';
import type { TemporaryStore } from './temporary-store.ts';

export const records = (lines: string) => lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

/** By the id of its model; a model by its own. */
export async function snapshotByModel(store: TemporaryStore, entry: CatalogEntry, dataset: DatasetName) {
  const lines = records(await readSnapshot(store, entry, dataset));
  return new Map(lines.map((record) => [String(record.id ?? record.model_id), record]));
}

/** The events of a release, those behind the first renewal apart. */
export async function splitEvents(store: TemporaryStore, entry: CatalogEntry) {
  const events = records(await readChanges(store, entry));
  const { first_renewal_seq: from = Number.POSITIVE_INFINITY } = await readRelease(store, entry);
  return { changes: events.filter(({ seq }) => seq < from), renewals: events.filter(({ seq }) => seq >= from) };
}

export async function columnsIn(store: TemporaryStore, entry: CatalogEntry, path: string): Promise<readonly string[]> {
  const file = sqlText(join(store.folder, releaseKey(entry, path)));
  const described = `SELECT column_name FROM (DESCRIBE FROM read_parquet(${file}))`;
  return (await store.reader.rows({ column_name: text }, described)).map(({ column_name }) => column_name);
}
