import { expect, it } from 'vitest';
import { expectReplay, readFeed } from '../support/pipeline/consumer.ts';
import { listReleases, readIssues, readRecords, recordsFrom } from '../support/pipeline/published.ts';
import { useStore } from '../support/pipeline/use-store.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';

const store = useStore();

const model = (id: string) => ({ id, name: id });
const price = (model_id: string, provider: string, input_per_million: number) => ({
  model_id,
  provider,
  input_per_million,
});
/** Two prices whose joined ids are both `a:b:c`. */
const [LEFT, RIGHT] = [price('a:b', 'c', 1), price('a', 'b:c', 2)];
const MODELS = ['a', 'a:b', 'z:y'].map(model);
const OTHERS = [price('a', 'b', 3), price('z:y', 'x', 4)];

function day(...pricing: readonly object[]): DayRows {
  return { models: MODELS, pricing: [...OTHERS, ...pricing] };
}

const prices = async () =>
  (await readRecords(store, 'pricing')).map(
    (row) => `${row['model_id']} ${row['provider']} ${row['input_per_million']}`,
  );

it('sets two rows with one joined id aside, and publishes neither', async () => {
  const { quarantined, report } = await store.publish('2026-06-01', day(LEFT, RIGHT));
  expect(quarantined).toBe(2);
  expect(await prices()).toEqual(['a b 3', 'z:y x 4']);
  expect(recordsFrom(await readIssues(report))).toMatchObject(
    [3, 4].map((line) => ({
      kind: 'bad',
      file: 'pricing.jsonl',
      line,
      field: 'model_id, provider',
      value: 'a:b:c',
      reason: 'is also the entity id of another record',
    })),
  );
});

it('carries the record in force while another row has its joined id', async () => {
  await store.publish('2026-06-01', day(LEFT));
  const second = await store.publish('2026-06-02', day({ ...LEFT, input_per_million: 1.5 }, RIGHT));
  expect([second.quarantined, second.events]).toEqual([2, { upsert: 0, delete: 0 }]);
  expect(await prices()).toEqual(['a b 3', 'a:b c 1', 'z:y x 4']);
});

it('lets the other record in on the day after the first was deleted, so that no night has two events of one id', async () => {
  await store.publish('2026-06-01', day(LEFT));
  await store.publish('2026-06-02', day(RIGHT));
  expect(await prices()).toEqual(['a b 3', 'z:y x 4']);
  await store.publish('2026-06-03', day(RIGHT));
  expect(await prices()).toEqual(['a b:c 2', 'a b 3', 'z:y x 4'].sort());
  const events = await readFeed(store, await listReleases(store));
  const shared = events.filter(({ entity_id }) => entity_id === 'a:b:c');
  expect(shared.map(({ occurred_on, op, key }) => [occurred_on, op, Object.values(key)])).toEqual([
    ['2026-06-01', 'upsert', ['a:b', 'c']],
    ['2026-06-02', 'delete', ['a:b', 'c']],
    ['2026-06-03', 'upsert', ['a', 'b:c']],
  ]);
  await expectReplay(store);
});

it('finds a suspect by the id as it is joined', async () => {
  await store.publish('2026-06-01', day(LEFT));
  const jumped = day({ ...LEFT, input_per_million: 5000 });
  await store.publish('2026-06-02', jumped);
  expect(await prices()).toContain('a:b c 1');
  await store.publish('2026-06-03', jumped, { acceptSuspects: ['pricing:a:b:c'] });
  expect(await prices()).toContain('a:b c 5000');
});
