/** Webhooks as an operator runs them: the command line, a dispatcher, a receiver with a certificate. */

import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { findSignatureProblem } from '../../api/webhooks/endpoints/signature.ts';
import { addDays } from '../../runtime/day.ts';
import { type Operator, openOperator, trust, until } from '../support/accounts/operator.ts';
import { listReleases } from '../support/pipeline/published.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { startTlsReceiver } from '../support/server/tls-receiver.ts';
import { WebhookDatabase } from '../support/webhooks/webhook-database.ts';
import { CUTOVER } from '../worlds/rated-days.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly topic: string;
  readonly path: string | undefined;
}

let operator: Operator;
let url: string;
let received: Received[];
let status: number;

beforeEach(async () => {
  [received, status] = [[], 204];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    received.push({ headers: request.headers, body, topic: JSON.parse(body.toString()).topic, path: request.url });
    response.writeHead(status).end('taken');
  };
  const receiver = await startTlsReceiver({ handler: (...call) => void take(...call) });
  onTestFinished(receiver.close);
  trust(receiver.ca);
  operator = await openOperator({ MODELSTATS_POLL_SECONDS: '0.2', MODELSTATS_WEBHOOKS_POLL_SECONDS: '0.1' });
  operator.env['NODE_EXTRA_CA_CERTS'] = join(operator.folder, 'ca.pem');
  await writeFile(join(operator.folder, 'ca.pem'), receiver.ca);
  url = receiver.url;
});

const run: Operator['run'] = (...call) => operator.run(...call);
const organization = async (plan = 'commercial') =>
  String((await run(['orgs', 'create', '--name', 'Acme', '--plan', plan]))['id']);
const toAdd = (org: string, to = url) => ['webhooks', 'add', '--org', org, '--url', to, '--topics', 'all'];
const add = async (...more: string[]) => run([...toAdd(await organization()), ...more]);

test('an endpoint is registered with all that it wants, and shown so', async () => {
  const ids = ['--models', 'a,b', '--models', 'c\\,d'];
  const prices = [
    '--min-price-change',
    '2.5',
    '--meters',
    'output,cache_read',
    '--direction',
    'down',
    '--min-change',
    '7.5',
  ];
  const filters = [...ids, ...prices, '--max-rank', '10', '--digest'];
  const added = await add('--description', 'prices', ...filters);
  expect(added).toMatchObject({
    organization_id: expect.stringMatching(/^org_/),
    state: 'active',
    mode: 'digest',
    description: 'prices',
    filters: {
      models: ['a', 'b', 'c,d'],
      min_price_change_percent: 2.5,
      meters: ['output', 'cache_read'],
      direction: 'down',
      min_change_percent: 7.5,
      max_rank: 10,
    },
    ping: { outcome: 'delivered', status: 204 },
  });
  const { secret, ping, ...known } = added;
  expect(await run(['webhooks', 'show', String(added['id'])])).toEqual(known);
  expect(await run(['webhooks', 'list', '--org', String(added['organization_id'])])).toEqual({ endpoints: [known] });
  expect([typeof secret, typeof ping]).toEqual(['string', 'object']);
});

test.each([
  [['--meters', 'output,tokens'], /Each must be one of input, output/],
  [['--direction', 'sideways'], /It must be one of up, down/],
  [['--min-change', '1000.1'], /It must be a number above 0, up to 1000/],
])('a wrong filter is refused with exit code 2: %j', async (options, message) => {
  const refused = await operator.call([...toAdd('org_1'), ...options]);
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringMatching(message)]);
});

test('the secret is in the answer of add and rotate-secret alone', async () => {
  const { id, secret } = await add();
  const rotated = await run(['webhooks', 'rotate-secret', String(id)]);
  expect(rotated['secret']).toMatch(/^whsec_/);
  expect(rotated['secret']).not.toBe(secret);
  for (const words of ['webhooks list', `webhooks show ${id}`, 'orgs audit'])
    expect(JSON.stringify(await run(words.split(' ')))).not.toContain('whsec_');
  await run(['webhooks', 'test', String(id)]);
  expect(problemOf(received.at(-1), rotated['secret'])).toBeUndefined();
  expect(problemOf(received.at(-1), secret)).toBeDefined();
});

test('an endpoint that fails its ping stays registered until it is enabled and answers', async () => {
  status = 500;
  const wanted = toAdd(await organization());
  const { id, state, ping, secret } = await run(wanted, 1);
  expect(secret).toMatch(/^whsec_/);
  const told = await operator.call(wanted);
  expect([told.code, told.stdout]).toEqual([
    1,
    expect.stringMatching(/whsec_[\s\S]*is registered, but not active\.\n/),
  ]);
  expect(told.stdout).toMatch(/ping it again: modelstats webhooks enable whe_\w+\n$/);
  expect([state, ping]).toMatchObject(['registered', { outcome: 'status', status: 500, answer: 'taken' }]);
  expect(await run(['webhooks', 'enable', String(id)], 1)).toMatchObject({ state: 'registered' });
  expect(received.map(({ topic }) => topic)).toEqual(['ping', 'ping', 'ping']);
  status = 200;
  expect(await run(['webhooks', 'enable', String(id)])).toMatchObject({ state: 'active', ping: { status: 200 } });
  expect(await run(['webhooks', 'enable', String(id)])).toMatchObject({ state: 'active', ping: null });
});

test('dispatch delivers a night to an endpoint, which costs its organization nothing; of its prices only those that it waits for', async () => {
  const store = await openTemporaryStore();
  onTestFinished(() => store.dispose());
  operator.env['MODELSTATS_STORE'] = store.url;
  const models = (life: string) => [{ id: 'm', name: 'M', status: life }];
  const [first, second] = [sellers([10, 10, 10, 10, 10, null], ['gone']), sellers([9, 9.6, 20, 10, 11, 5], ['new'])];
  await store.publish(addDays(CUTOVER, 1), { models: models('active'), pricing: first });
  const org = await organization();
  const addTo = (path: string, topics: string, ...more: string[]) =>
    run(['webhooks', 'add', '--org', org, '--url', `${url}/${path}`, '--topics', topics, ...more]);
  const { id, secret } = await addTo('all', 'all');
  const cuts = ['--direction', 'down', '--min-change', '5', '--meters', 'output'];
  await addTo('prices', 'pricing.updated,snapshot.published', ...cuts);
  await addTo('models', 'model.updated,snapshot.published');
  await operator.start('dispatch');
  await store.publish(addDays(CUTOVER, 2), { models: models('retired'), pricing: second });
  await until(() => received.filter(({ topic }) => topic === 'snapshot.published').length === 3);
  const eventsAt = (path: string) => {
    const bodies = received.filter((one) => one.path === `/${path}`).map(({ body }) => JSON.parse(body.toString()));
    return bodies.filter(({ topic }) => topic !== 'ping' && topic !== 'snapshot.published');
  };

  for (const one of received.filter(({ path }) => path === '/all')) expect(problemOf(one, secret)).toBeUndefined();
  const told = () => run(['webhooks', 'deliveries', String(id), '--topic', 'snapshot.published']);
  await until(async () => JSON.stringify(await told()).includes('"delivered"'));
  const { first_seq, last_seq } = (await listReleases(store)).at(-1) ?? expect.fail();
  expect((await told())['deliveries']).toMatchObject([{ kind: 'event', seq: last_seq, last_attempt: { status: 204 } }]);
  const seqs = eventsAt('all').map(({ data }) => data.seq);
  expect(seqs.length).toBeGreaterThan(3);
  expect(Math.min(...seqs)).toBeGreaterThanOrEqual(Number(first_seq));
  expect(Math.max(...seqs)).toBeLessThanOrEqual(Number(last_seq));
  const used = await onWorld(({ database }) => database.kysely.selectFrom('daily_usage').selectAll().execute());
  expect(used).toEqual([]);

  const cut = { meter: 'output', unit: 'token', per: 1_000_000, from: 10, to: 9, change_percent: -10 };
  expect(eventsAt('prices')).toMatchObject([
    {
      topic: 'pricing.updated',
      data: { model_id: 'm', provider: 'cut', change: 'price', rates: [cut], rates_changed: 1 },
    },
  ]);
  expect(eventsAt('models')).toMatchObject([
    { topic: 'model.updated', data: { model_id: 'm', changed: [{ field: 'status', from: 'active', to: 'retired' }] } },
  ]);
});

/** Prices of output by seller: one cut by a tenth, one by less, one raised, one with another cache, and input, and one that came. */
function sellers(outputs: readonly (number | null)[], others: readonly string[]): readonly object[] {
  const names = ['cut', 'little', 'raised', 'cache', 'input', 'came', ...others];
  return names.map((provider, index) => {
    const output = outputs[index] === undefined ? 1 : outputs[index];
    const isLater = others.includes('new');
    const input = provider === 'input' && isLater ? 1 : 4;
    const cached = provider === 'cache' && isLater ? 0.1 : 0.4;
    const rates = [
      { meter: 'input', price: input },
      { meter: 'cache_read', price: cached },
      ...(output === null ? [] : [{ meter: 'output', price: output }]),
    ].map((rate) => ({ ...rate, unit: 'token', per: 1_000_000 }));
    return { model_id: 'm', provider, input_per_million: input, output_per_million: output, rates };
  });
}

test('serve --with-webhooks delivers what waits', async () => {
  const { id, secret } = await add();
  await onWorld((world) => world.addDelivery(String(id)));
  await operator.start('serve', '--with-webhooks');
  await until(() => received.some(({ topic }) => topic === 'score.updated'));
  expect(problemOf(received.at(-1), secret)).toBeUndefined();
});

test("what was dropped or failed is replayed under the event's id and a new delivery id", async () => {
  const id = String((await add())['id']);
  const before = await onWorld(async (world) => {
    const delivery = await world.delivery(await world.addDelivery(id));
    await world.database.kysely.updateTable('webhook_deliveries').set({ state: 'dropped' }).execute();
    return delivery;
  });
  expect(await run(['webhooks', 'replay', id, before.event_id])).toMatchObject({ replayed: 1, has_more: false });
  const { deliveries } = await run(['webhooks', 'deliveries', id, '--topic', 'score.updated']);
  expect(deliveries).toMatchObject([
    { id: expect.not.stringMatching(before.id), event_id: before.event_id, kind: 'replay', state: 'waiting' },
    { id: before.id, event_id: before.event_id, kind: 'event', state: 'dropped' },
  ]);
  await run(['webhooks', 'replay', id], 2);
  expect(await run(['webhooks', 'replay', id, '--failed-since', '1h'])).toMatchObject({ replayed: 0 });
});

test('secrets move to a new key, and the old one can go', async () => {
  const [old, fresh] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
  operator.env['MODELSTATS_SECRET_KEYS'] = old;
  const { id } = await add();
  operator.env['MODELSTATS_SECRET_KEYS'] = fresh;
  expect((await operator.call(['webhooks', 'test', String(id)])).stderr).toContain('MODELSTATS_SECRET_KEYS');
  operator.env['MODELSTATS_SECRET_KEYS'] = `${fresh},${old}`;
  expect(await run(['webhooks', 'reseal'])).toEqual({ resealed: 1 });
  operator.env['MODELSTATS_SECRET_KEYS'] = fresh;
  expect(await run(['webhooks', 'test', String(id)])).toMatchObject({ ping: { outcome: 'delivered' } });
});

test('an address within the machine, and a plan without webhooks, are refused with exit code 2', async () => {
  const inside = await operator.call(toAdd(await organization(), 'https://10.0.0.7/'));
  expect([inside.code, inside.stdout, inside.stderr]).toEqual([2, '', expect.stringContaining('not a public address')]);
  const org = await organization('builder');
  const without = await operator.call(toAdd(org));
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining(`the plan of ${org} has no webhooks`)]);
});

test('webhooks listen verifies what arrives, and prints it, also after a sender that went away in the middle', async () => {
  const { secret, id } = await add();
  await run(['webhooks', 'remove', String(id)]);
  const options = ['--port', '0', '--folder', join(operator.folder, 'listen'), '--secret', String(secret)];
  const said = await operator.start('webhooks', 'listen', ...options);
  const listening = String(said()[0]?.['url']);
  const half = requestTls(listening, { method: 'POST', headers: { 'content-length': 100 }, rejectUnauthorized: false });
  half.on('error', () => undefined);
  half.write('{', () => half.destroy());
  await new Promise((resolve) => half.on('close', resolve));
  trust(await readFile(String(said()[0]?.['ca']), 'utf8'));
  operator.env['MODELSTATS_OUTBOUND_ALLOW'] = '127.0.0.0/8,::1/128';
  const refused = await run(toAdd(await organization(), listening), 1);
  expect(refused).toMatchObject({ state: 'registered', ping: { outcome: 'status', status: 401 } });
  await until(() => said().length === 2);
  const problem = expect.stringContaining('another secret');
  expect(said()[1]).toMatchObject({ event: 'ping', status: 401, problem });
});

async function onWorld<T>(work: (world: WebhookDatabase) => Promise<T>): Promise<T> {
  const world = await WebhookDatabase.open(operator.env['MODELSTATS_DATABASE'] ?? '');
  return work(world).finally(() => world.close());
}

/** What is wrong with the signature of what was received, by this secret. */
function problemOf(one: Received | undefined, secret: unknown): string | undefined {
  const { headers, body } = one ?? expect.fail('nothing was received');
  const header = String(headers['x-service-signature']);
  return findSignatureProblem({ header, body, secret: String(secret), now: new Date() });
}
