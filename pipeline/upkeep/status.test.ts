import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useStore } from '../../test/support/pipeline/use-store.ts';
import { writeDay } from '../../test/support/pipeline/write-day.ts';
import { readStatus } from './status.ts';

const MODELS = ['a', 'b'].map((id) => ({ id, name: id }));
const price = (id: string, input: number) => ({ model_id: id, provider: 'p', input_per_million: input });

const store = useStore();
const statusOn = (expectedDay: string | undefined, clock = store.deps.clock) =>
  readStatus(store.deps.store, { ...store.deps, clock, expectedDay });

/** A night that the guard holds, since of four models one is left. */
async function publishThenHold(day: string) {
  const models = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id }));
  await store.publish('2026-06-01', { models });
  expect(await statusOn('2026-06-01')).toMatchObject({ is_stale: false, last_run: { status: 'published' } });
  const raw = join(store.deps.workFolder, 'raw');
  await writeDay(raw, { models: models.slice(3) });
  const held = await store.night(raw, day);
  expect(held.status).toBe('held');
  return held;
}

test('the prices that are held back are listed, with the rule and since when', async () => {
  const status = () => statusOn('2026-06-03');
  expect(await status()).toEqual({
    store: store.url,
    snapshots: 0,
    first_day: null,
    newest: null,
    suspects: [],
    missing_files: [],
    restricted: [],
    expected_day: '2026-06-03',
    is_stale: false,
    last_run: null,
  });
  await store.publish('2026-06-01', { models: MODELS, pricing: [price('a', 1), price('b', 1)] });
  expect(await status()).toMatchObject({ snapshots: 1, first_day: '2026-06-01', suspects: [] });
  for (const day of ['2026-06-02', '2026-06-03'])
    await store.publish(day, { models: MODELS, pricing: [price('a', 5000), price('b', 20_000)] });
  expect(await status()).toMatchObject({ snapshots: 3, first_day: '2026-06-01', newest: { day: '2026-06-03' } });
  const held = { output_per_million: null, since: '2026-06-02', days: 2 };
  expect((await status()).suspects).toMatchObject([
    { entity_id: 'a:p', input_per_million: 5000, ...held },
    { entity_id: 'b:p', input_per_million: 20_000, ...held },
  ]);
  expect(new Set((await status()).suspects.map(({ rule }) => rule)).size).toBe(2);
});

test('data are stale while an expected day is missing, and how the last night went is told by its report', async () => {
  const held = await publishThenHold('2026-06-02');
  expect(await statusOn('2026-06-02')).toMatchObject({
    newest: { day: '2026-06-01' },
    expected_day: '2026-06-02',
    is_stale: true,
    last_run: {
      day: '2026-06-02',
      status: 'held',
      reasons: held.problems,
      next_command: held.next_command,
      report: held.report,
    },
  });
});

test('a night under a clock of years ahead is not the last one any more, once the clock is right', async () => {
  const status = (now: string) => statusOn(undefined, () => new Date(now));
  await publishThenHold('2031-01-01');
  expect(await status('2031-01-01T12:00:00Z')).toMatchObject({ last_run: { day: '2031-01-01', status: 'held' } });
  expect(await status('2026-06-02T12:00:00Z')).toMatchObject({ last_run: { day: '2026-06-01', status: 'published' } });
});
