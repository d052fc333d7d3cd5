/** What an endpoint missed while it was revoked, as its owner sees and sends it (specification "Redelivery"). */
import { beforeAll, expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';

const console = useConsole();
const EVENT = { id: 'evt_1', topic: 'score.updated', endpoint_id: null, seq: 7, data: '{}' };

let ada: Visitor;
let page: string;
let endpointId: string;

beforeAll(async () => {
  const own = await console.own();
  ({ ada } = own);
  endpointId = (await console.addEndpoint(own.org)).endpoint.id;
  page = `/console/orgs/${own.org}/webhooks/${endpointId}`;
  const at = Date.parse('2026-06-03T10:00:00Z');
  const { kysely } = console.database;
  const event = { ...EVENT, occurred_at: at };
  await kysely.insertInto('webhook_events').values(event).execute();
  const times = { due_at: at, created_at: at, finished_at: at };
  const dropped = { kind: 'event', state: 'dropped', attempts: 0, claimed_by: null } as const;
  const delivery = { id: 'dlv_1', event_id: EVENT.id, endpoint_id: endpointId, ...dropped, ...times };
  await kysely.insertInto('webhook_deliveries').values(delivery).execute();
});

const move = (state: string) =>
  console.database.kysely.updateTable('webhook_endpoints').set({ state }).where('id', '=', endpointId).execute();
const replays = () =>
  console.database.kysely.selectFrom('webhook_deliveries').selectAll().where('kind', '=', 'replay').execute();

test('a revoked endpoint shows its failures and what it missed, and sends nothing of it', async () => {
  await move('revoked');
  const { body } = await ada.get(page);
  expect(body).toMatch(/Failures in a row<\/dt>\s*<dd>\s*<span>20</);
  expect(body).toContain('not sent: the endpoint was not active');
  expect(body).not.toContain(`${page}/replay`);
  const refused = await ada.post(`${page}/deliveries/dlv_1/replay`, {}, { from: `${page}/deliveries/dlv_1` });
  expect([refused.statusCode, await replays()]).toEqual([422, []]);
});

test('once it is active again, one event that it missed is sent again, or all of them', async () => {
  await move('active');
  const one = await ada.post(`${page}/deliveries/dlv_1/replay`, {}, { from: `${page}/deliveries/dlv_1` });
  expect(one.headers.location).toBe(`${page}?replayed=1`);
  expect(await replays()).toMatchObject([{ event_id: EVENT.id, state: 'waiting' }]);
  await console.database.kysely.deleteFrom('webhook_deliveries').where('kind', '=', 'replay').execute();
  const all = await ada.post(`${page}/replay`, { days: '7' }, { from: page });
  expect(all.headers.location).toBe(`${page}?replayed=1`);
  expect(await replays()).toMatchObject([{ event_id: EVENT.id, state: 'waiting' }]);
});
