import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PricingBackfill } from '../../schemas/catalog.ts';
import { loadCatalog, swapCatalog } from '../../storage/catalog.ts';
import { Database } from '../../storage/duckdb/database.ts';
import { backfillKey } from '../../storage/keys.ts';
import { CapturedStore } from '../../test/support/backfill/captured-store.ts';
import { tableRow } from '../../test/support/backfill/table-row.ts';
import { verifyBackfill } from './verify.ts';

let place: CapturedStore;
let key: string;
let database: Database;

beforeEach(async () => {
  place = await CapturedStore.open();
  const tempFolder = join(place.folder, 'spill');
  database = await Database.open(':memory:', { memoryLimit: '300MB', threads: 1, tempFolder });
  await place.publish('2024-03-02', ['m1'], [{ model_id: 'm1', provider: 'p1' }]);
  const { run } = await place.backfillRows([tableRow({ effective_from: '2024-02-01' })]);
  key = backfillKey(run ?? '');
});
afterEach(async () => {
  database.close();
  await place.close();
});

async function messages(): Promise<readonly string[]> {
  const { catalog } = await loadCatalog(place.store);
  const problems = await verifyBackfill(catalog, { store: place.store, database, scratch: place.folder });
  expect(problems.every(({ snapshot }) => snapshot === key)).toBe(true);
  return problems.map(({ message }) => message);
}

async function list(change: Partial<PricingBackfill>): Promise<void> {
  const loaded = await loadCatalog(place.store);
  const pricing = loaded.catalog?.backfill?.pricing;
  if (!pricing) throw new Error('a backfill is in force');
  await swapCatalog(place.store, loaded, { backfill: { pricing: { ...pricing, ...change } } });
}

test('a backfill as it was published is right', async () => {
  expect(await messages()).toEqual([]);
});

test('one that is gone is told', async () => {
  await place.store.delete(key);
  expect(await messages()).toMatchObject([expect.stringContaining(key)]);
});

test('one with a flipped byte is told', async () => {
  const path = join(place.folder, 'store', key);
  const bytes = await readFile(path);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  await writeFile(path, bytes);
  expect(await messages()).toMatchObject([expect.stringContaining(`${key} is damaged`)]);
});

test('one of which the catalog says other days is told', async () => {
  await list({ last_day: '2024-02-28' });
  expect(await messages()).toEqual(['the catalog says other than its intervals']);
});

test('a store without one has nothing to prove', async () => {
  expect(await verifyBackfill(undefined, { store: place.store, database, scratch: place.folder })).toEqual([]);
});
