import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebhookDatabase } from '../../../test/support/webhooks/webhook-database.ts';
import { RETENTION_DAYS, webhookCleanup } from './cleanup.ts';
import type { DeliveryState } from './delivery.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;

let world: WebhookDatabase;
const warnings: unknown[] = [];
const log = { warn: (line: unknown) => void warnings.push(line) };

beforeEach(async () => {
  world = await WebhookDatabase.open('sqlite::memory:');
  warnings.length = 0;
});
afterEach(() => world.close());

/** An event and a delivery of it with one attempt, of a day. */
async function add(days: number, state: DeliveryState): Promise<string> {
  const at = new Date(NOW.getTime() - days * DAY_MS);
  const id = await world.addDelivery('whe_1', { at, state });
  const found = { outcome: 'status', status: 500, message: null, answer: null };
  await world.database.kysely
    .insertInto('webhook_attempts')
    .values({ delivery_id: id, attempt: 1, started_at: at.getTime(), duration_ms: 1, ...found })
    .execute();
  return id;
}

async function idsLeft() {
  const { kysely } = world.database;
  const deliveries = await kysely.selectFrom('webhook_deliveries').select('id').orderBy('id').execute();
  const events = await kysely.selectFrom('webhook_events').select('id').execute();
  const attempts = await kysely.selectFrom('webhook_attempts').select('delivery_id as id').orderBy('id').execute();
  return { deliveries: deliveries.map(({ id }) => id), attempts: attempts.map(({ id }) => id), events: events.length };
}

test('removes deliveries, attempts and events after 30 days, never what waits, in however many steps', async () => {
  for (let index = 0; index < 25; index += 1) await add(RETENTION_DAYS + 1, 'failed');
  const waiting = await add(RETENTION_DAYS + 10, 'waiting');
  const young = await add(RETENTION_DAYS - 1, 'delivered');
  const cleanup = webhookCleanup(world.database.kysely, log, { rowsAtOnce: 4 });
  cleanup.at(NOW);
  await cleanup.idle();
  expect(await idsLeft()).toEqual({ deliveries: [waiting, young], attempts: [waiting, young], events: 2 });
  expect(warnings).toEqual([]);
});

test('keeps an old event that was replayed lately', async () => {
  const old = await add(RETENTION_DAYS + 5, 'failed');
  const replay = await add(2, 'delivered');
  const { event_id } = await world.delivery(old);
  await world.database.kysely.updateTable('webhook_deliveries').set({ event_id }).where('id', '=', replay).execute();
  const cleanup = webhookCleanup(world.database.kysely, log);
  cleanup.at(NOW);
  await cleanup.idle();
  expect((await idsLeft()).deliveries).toEqual([replay]);
  expect(
    await world.database.kysely.selectFrom('webhook_events').select('id').where('id', '=', event_id).execute(),
  ).toEqual([{ id: event_id }]);
});

test('cleans once an hour, and a database that does not answer is told and does no harm', async () => {
  const cleanup = webhookCleanup(world.database.kysely, log);
  cleanup.at(NOW);
  await cleanup.idle();
  const id = await add(RETENTION_DAYS + 1, 'failed');
  cleanup.at(new Date(NOW.getTime() + 60_000));
  await cleanup.idle();
  expect((await idsLeft()).deliveries).toEqual([id]);
  cleanup.at(new Date(NOW.getTime() + 3_600_000));
  await cleanup.idle();
  expect((await idsLeft()).deliveries).toEqual([]);
  await world.database.kysely.schema.dropTable('webhook_deliveries').execute();
  cleanup.at(new Date(NOW.getTime() + 7_200_000));
  await cleanup.idle();
  expect(warnings).toMatchObject([{ reason: expect.stringContaining('webhook_deliveries') }]);
});
