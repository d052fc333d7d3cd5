/** What api/guide/pages/sync.md says that a copy costs. */
import { expect, test } from 'vitest';
import { syncInto, usePlaces, useService } from '../support/client/service.ts';

const MODELS = Array.from({ length: 1200 }, (_, index) => ({ id: `model-${index}`, name: 'A' }));
const BENCHMARK = { id: 'reason', name: 'Reason', category: 'text' };
const scoresOf = (models: readonly { readonly id: string }[], value: number) =>
  models.map(({ id }) => ({ model_id: id, benchmark_id: BENCHMARK.id, value }));
const rowsOf = (value: number, benchmarks: readonly object[] = [BENCHMARK]) => ({
  models: MODELS,
  benchmarks,
  scores: scoresOf(MODELS, value),
  rankings: [],
  pricing: [],
});

const service = useService({ days: (store) => store.publish('2026-06-01', rowsOf(1)) });
const newPlace = usePlaces();

/** Syncs as a plan's, each with the units that it took; the plan's clock stands still. */
async function syncsOf(plan: 'builder' | 'community') {
  const client = service.client({ key: await service.addKey({ plan }) });
  const into = newPlace('');
  const used = async () => (await client.getAccount()).body.usage.used;
  return async () => {
    const before = await used();
    const { status } = await syncInto(into, client);
    return [status, (await used()) - before];
  };
}

test('an import costs six units, a night one more than its thousands of events, nothing new nothing', async () => {
  const sync = await syncsOf('builder');
  expect(await sync()).toEqual(['imported', 6]);
  expect(await sync()).toEqual(['up_to_date', 0]);
  await service.publish(({ store }) => store.publish('2026-06-02', rowsOf(2)));
  expect(await sync()).toEqual(['followed', 1 + 2]);
  const renamed = [{ ...BENCHMARK, name: 'Reasoning' }];
  await service.publish(({ store }) => store.publish('2026-06-03', rowsOf(3, renamed)));
  expect(await sync(), 'with changed benchmarks').toEqual(['followed', 1 + 2 + 1]);
  expect(await sync()).toEqual(['up_to_date', 0]);
});

test('on Community a unit brings 500 scores, or 200 models or benchmarks', async () => {
  const sync = await syncsOf('community');
  // The categories are asked for too; there is none.
  expect(await sync()).toEqual(['imported', 3 + 6 + 1 + 1]);
  expect(await sync()).toEqual(['up_to_date', 0]);
});
