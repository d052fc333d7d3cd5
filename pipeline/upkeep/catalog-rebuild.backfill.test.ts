import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadCatalog } from '../../storage/catalog.ts';
import { backfillKey, backfillMarkKey, CATALOG_KEY } from '../../storage/keys.ts';
import { CapturedStore } from '../../test/support/backfill/captured-store.ts';
import { tableRow } from '../../test/support/backfill/table-row.ts';
import { upkeepDeps } from '../../test/support/pipeline/upkeep.ts';
import { rebuildCatalog } from './catalog-rebuild.ts';

let oneDay: CapturedStore;
let place: CapturedStore;
beforeAll(async () => {
  oneDay = await CapturedStore.open();
  await oneDay.publish('2024-03-02', ['m1'], [{ model_id: 'm1', provider: 'p1' }]);
});
afterAll(() => oneDay.close());
beforeEach(async () => {
  place = await oneDay.copy();
});
afterEach(() => place.close());

const rebuild = (force: boolean) =>
  rebuildCatalog({ force }, { ...upkeepDeps(join(place.folder, 'work')), store: place.store });

const backfillFrom = (effective_from: string) => place.backfillRows([tableRow({ effective_from })]);

async function listedAfterLoss(): Promise<string | null | undefined> {
  await place.store.delete(CATALOG_KEY);
  const { catalog } = await rebuild(false);
  return catalog.backfill?.pricing?.run;
}

test('a lost catalog finds the newest backfill again, exactly as it was listed', async () => {
  await backfillFrom('2024-02-01');
  await backfillFrom('2024-02-02');
  const { catalog: before } = await loadCatalog(place.store);
  await listedAfterLoss();
  const { catalog: after } = await loadCatalog(place.store);
  expect(after?.backfill).toEqual(before?.backfill);
  expect(after?.releases).toEqual(before?.releases);
});

test('a backfill that was never made live, or whose intervals are gone, is not listed', async () => {
  const [first, second, third] = [
    await backfillFrom('2024-02-01'),
    await backfillFrom('2024-02-02'),
    await backfillFrom('2024-02-03'),
  ];
  await place.store.delete(backfillMarkKey(third.run ?? ''));
  await place.store.delete(backfillKey(second.run ?? ''));
  expect(await listedAfterLoss()).toBe(first.run);
  await place.store.delete(backfillKey(first.run ?? ''));
  expect(await listedAfterLoss()).toBeUndefined();
});

test('rebuilding a catalog that can be read keeps the backfill it lists, marked or not', async () => {
  const { run } = await backfillFrom('2024-02-01');
  await place.store.delete(backfillMarkKey(run ?? ''));
  const { catalog } = await rebuild(true);
  expect(catalog.backfill?.pricing?.run).toBe(run);
});
