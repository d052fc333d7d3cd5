/** An organization's endpoints in the console: registering, secrets, pings, and what was missed (specification "Console"; specification "Redelivery"). */
import { beforeAll, expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';

const console = useConsole();
const AT = Date.parse('2026-06-03T10:00:00Z');
const EVENT = { id: 'evt_1', topic: 'score.updated', endpoint_id: null, seq: 7, occurred_at: AT, data: '{}' };

let ada: Visitor;
let org: string;
let list: string;

beforeAll(async () => {
  ({ org, ada } = await console.own());
  list = `/console/orgs/${org}/webhooks`;
});

const deliveriesOf = (kind: 'ping' | 'replay') =>
  console.database.kysely.selectFrom('webhook_deliveries').selectAll().where('kind', '=', kind).execute();

test('an endpoint is registered, pinged, given a new secret and removed; each secret is shown once', async () => {
  const fields = { url: 'https://example.com/hooks', topics: 'pricing.updated' };
  const made = await ada.post(`${list}/new`, fields, { from: `${list}/new` });
  const [page = ''] = new RegExp(`${list}/whe_\\w+`).exec(made.body) ?? [];
  const renewed = await ada.post(`${page}/rotate`, {}, { from: page });
  const secrets = [made, renewed].map(({ body }) => /<pre[^>]*>\s*(whsec_[^<\s]+)/.exec(body)?.[1]);
  expect(new Set([...secrets, undefined]).size).toBe(3);
  expect((await ada.post(`${page}/test`, {}, { from: page })).headers.location).toBe(`${page}?done=tested`);
  const shown = (await ada.get(page)).body;
  for (const secret of secrets) expect(shown).not.toContain(secret);
  expect(shown.match(/>\s*Details/g)).toHaveLength(2);
  expect((await ada.get(`${page}?state=failed`)).body).toContain('None.');
  expect((await ada.post(`${page}/remove`, {}, { from: page })).headers.location).toBe(`${list}?done=removed`);
  expect((await ada.get(list)).body).not.toContain(fields.url);
});

test('filters are registered as the form has them, shown, and refused with what was typed', async () => {
  const form = { url: 'https://example.com/filtered', topics: ['pricing.updated', 'model.updated'] };
  const filters = { meters: ['output', 'cache_read'], direction: 'down', min_change_percent: '5' };
  const send = (more: object) => ada.post(`${list}/new`, { ...form, ...filters, ...more }, { from: `${list}/new` });
  const refused = await send({ min_change_percent: '2000' });
  expect(refused.statusCode).toBe(422);
  expect(refused.body).toContain('filters.min_change_percent: must be above 0 and at most 1000');
  expect(refused.body).toMatch(/value="cache_read" checked/);
  expect(refused.body).toMatch(/<option value="down" selected/);
  expect((await send({ meters: ['tokens'] })).statusCode).toBe(422);
  expect((await send({ direction: 'sideways' })).statusCode).toBe(422);
  const made = await send({});
  const [page = ''] = new RegExp(`${list}/whe_\\w+`).exec(made.body) ?? [];
  const shown = (await ada.get(page)).body;
  expect(shown).toContain('meters: output, cache_read; direction: down; min_change_percent: 5');
  expect(shown).toContain('model.updated');
  await ada.post(`${page}/remove`, {}, { from: page });
});

test('an endpoint that fails its ping can be asked again, and what it answered is shown as text', async () => {
  const { endpoint, pingId } = await console.addEndpoint(org);
  const attempt = { delivery_id: pingId, attempt: 1, started_at: AT, duration_ms: 5 };
  const answered = { ...attempt, outcome: 'status', status: 500, message: null, answer: '<b>not today</b>' };
  await console.database.kysely.insertInto('webhook_attempts').values(answered).execute();
  const page = `${list}/${endpoint.id}`;
  expect((await ada.get(`${page}/deliveries/${pingId}`)).body).toMatch(
    /Attempt 1[\s\S]*500[\s\S]*&lt;b>not today&lt;\/b>/,
  );
  const before = (await deliveriesOf('ping')).length;
  expect((await ada.post(`${page}/enable`, {}, { from: page })).headers.location).toBe(`${page}?done=enabled`);
  expect(await deliveriesOf('ping')).toHaveLength(before + 1);
});

test('what a revoked endpoint missed is shown, and sent again once it is active: one event, or all of them', async () => {
  const { id } = (await console.addEndpoint(org)).endpoint;
  const page = `${list}/${id}`;
  const { kysely } = console.database;
  const times = { due_at: AT, created_at: AT, finished_at: AT };
  const dropped = { kind: 'event', state: 'dropped', attempts: 0, claimed_by: null } as const;
  const delivery = { id: 'dlv_1', event_id: EVENT.id, endpoint_id: id, ...dropped, ...times };
  await kysely.insertInto('webhook_events').values(EVENT).execute();
  await kysely.insertInto('webhook_deliveries').values(delivery).execute();
  const move = (state: string) => kysely.updateTable('webhook_endpoints').set({ state }).where('id', '=', id).execute();
  const replay = () => ada.post(`${page}/deliveries/dlv_1/replay`, {}, { from: `${page}/deliveries/dlv_1` });

  await move('revoked');
  const { body } = await ada.get(page);
  expect(body).toMatch(/Failures in a row<\/dt>\s*<dd>\s*<span>20</);
  expect(body).toContain('not sent: the endpoint was not active');
  expect(body).not.toContain(`${page}/replay`);
  expect([(await replay()).statusCode, await deliveriesOf('replay')]).toEqual([422, []]);

  await move('active');
  const all = () => ada.post(`${page}/replay`, { days: '7' }, { from: page });
  for (const send of [replay, all]) {
    expect((await send()).headers.location).toBe(`${page}?replayed=1`);
    expect(await deliveriesOf('replay')).toMatchObject([{ event_id: EVENT.id, state: 'waiting' }]);
    await kysely.deleteFrom('webhook_deliveries').where('kind', '=', 'replay').execute();
  }
});
