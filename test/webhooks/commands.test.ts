/** Webhooks as an operator runs them: the command line, a dispatcher, a receiver with a certificate. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../database/open-database.ts';
import { findSignatureProblem } from '../../webhooks/signing/verify-signature.ts';
import { startTlsReceiver, type TlsReceiver } from '../support/http/tls-receiver.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { answersFrom, type RunningCli, runCli, startCli } from '../support/processes/cli.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly topic: string;
}

let folder: string;
let receiver: TlsReceiver;
let received: Received[];
let status: number;
let env: Record<string, string>;
let running: RunningCli[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-webhooks-'));
  [received, status, running] = [[], 204, []];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    received.push({ headers: request.headers, body, topic: JSON.parse(body.toString()).topic });
    response.writeHead(status).end('taken');
  };
  receiver = await startTlsReceiver({ handler: (...call) => void take(...call) });
  await writeFile(join(folder, 'ca.pem'), receiver.ca);
  env = {
    MODELSTATS_STORE: `file:${join(folder, 'store')}`,
    MODELSTATS_WORK: join(folder, 'work'),
    MODELSTATS_VIEW: join(folder, 'view'),
    MODELSTATS_MAIL: join(folder, 'mail'),
    MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}`,
    MODELSTATS_OUTBOUND_ALLOW: '127.0.0.0/8',
    MODELSTATS_POLL_SECONDS: '0.2',
    MODELSTATS_WEBHOOKS_POLL_SECONDS: '0.1',
    MODELSTATS_PORT: '0',
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  };
});
afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGTERM');
    await ended;
  }
  await receiver.close();
  await rm(folder, { recursive: true });
});

/** What a command answers with `--json`. */
async function run(words: readonly string[], { code = 0 } = {}): Promise<Record<string, unknown>> {
  const ended = await runCli([...words, '--json'], { env });
  expect(ended.code, ended.stderr + ended.stdout).toBe(code);
  return answersFrom(ended.stdout)[0] ?? {};
}

const night = (day: string) => run(['nightly', '--source', fixtureSource('days'), '--day', day]);

async function organization(plan = 'commercial'): Promise<string> {
  return String((await run(['orgs', 'create', '--name', 'Acme', '--plan', plan]))['id']);
}

const add = (org: string, ...more: string[]) =>
  run(['webhooks', 'add', '--org', org, '--url', receiver.url, '--topics', 'all', ...more]);

/** Starts a command that goes on, and waits until it says that it does. */
async function start(...words: string[]): Promise<void> {
  const cli = startCli([...words, '--json'], { env });
  running.push(cli);
  let said = '';
  cli.child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  await until(() => said.includes('\n'));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20)); // The test's own time limit ends it.
}

test('an endpoint is registered with all that it wants, and shown so', async () => {
  const org = await organization();
  const filters = ['--models', 'a,b', '--models', 'c\\,d', '--min-price-change', '2.5', '--max-rank', '10', '--digest'];
  const added = await add(org, '--description', 'prices', ...filters);
  expect(added).toMatchObject({
    organization_id: org,
    state: 'active',
    mode: 'digest',
    description: 'prices',
    filters: { models: ['a', 'b', 'c,d'], min_price_change_percent: 2.5, max_rank: 10 },
    ping: { outcome: 'delivered', status: 204 },
  });
  const { secret, ping, ...known } = added;
  expect(await run(['webhooks', 'show', String(added['id'])])).toEqual(known);
  expect(await run(['webhooks', 'list', '--org', org])).toEqual({ endpoints: [known] });
  expect([typeof secret, typeof ping]).toEqual(['string', 'object']);
});

test('the secret is in the answer of add and rotate-secret alone', async () => {
  const { id, secret } = await add(await organization());
  const rotated = await run(['webhooks', 'rotate-secret', String(id)]);
  expect(rotated['secret']).toMatch(/^whsec_/);
  expect(rotated['secret']).not.toBe(secret);
  for (const words of [
    ['webhooks', 'list'],
    ['webhooks', 'show', String(id)],
    ['orgs', 'audit'],
  ])
    expect(JSON.stringify(await run(words))).not.toContain('whsec_');
  await run(['webhooks', 'test', String(id)]);
  const [newest] = received.slice(-1);
  const delivery = {
    header: String(newest?.headers['x-service-signature']),
    body: newest?.body ?? Buffer.alloc(0),
    now: new Date(),
  };
  expect(findSignatureProblem({ ...delivery, secret: String(rotated['secret']) })).toBeUndefined();
  expect(findSignatureProblem({ ...delivery, secret: String(secret) })).toBeDefined();
});

test('an endpoint that fails its ping stays registered until it is enabled and answers', async () => {
  status = 500;
  const wanted = ['webhooks', 'add', '--org', await organization(), '--url', receiver.url, '--topics', 'all'];
  const { id, state, ping, secret } = await run(wanted, { code: 1 });
  expect(secret).toMatch(/^whsec_/);
  const told = await runCli(wanted, { env });
  expect([told.code, told.stdout]).toEqual([
    1,
    expect.stringMatching(/whsec_[\s\S]*is registered, but not active\.\n/),
  ]);
  expect(told.stdout).toMatch(/ping it again: modelstats webhooks enable whe_\w+\n$/);
  expect([state, ping]).toMatchObject(['registered', { outcome: 'status', status: 500, answer: 'taken' }]);
  expect(await run(['webhooks', 'enable', String(id)], { code: 1 })).toMatchObject({ state: 'registered' });
  await start('dispatch');
  expect(received.map(({ topic }) => topic)).toEqual(['ping', 'ping', 'ping']);
  status = 200;
  expect(await run(['webhooks', 'enable', String(id)])).toMatchObject({ state: 'active', ping: { status: 200 } });
  expect(await run(['webhooks', 'enable', String(id)])).toMatchObject({ state: 'active', ping: null });
});

test.each([['dispatch'], ['serve', '--with-webhooks']])(
  'a night is told to an endpoint, and costs its organization nothing (%s)',
  async (...words) => {
    await night('2026-06-01');
    const { id, secret } = await add(await organization());
    await start(...words);
    const { first_seq: first, last_seq: last } = await night('2026-06-02');
    await until(() => received.some(({ topic }) => topic === 'snapshot.published'));
    for (const { headers, body } of received) {
      const header = String(headers['x-service-signature']);
      expect(findSignatureProblem({ header, body, secret: String(secret), now: new Date() })).toBeUndefined();
    }
    const seqs = received
      .filter(({ topic }) => topic !== 'ping')
      .map(({ body }) => JSON.parse(body.toString()).data.seq);
    expect(Math.min(...seqs)).toBeGreaterThanOrEqual(Number(first));
    expect(Math.max(...seqs)).toBe(last);
    const { deliveries } = await run(['webhooks', 'deliveries', String(id), '--topic', 'snapshot.published']);
    expect(deliveries).toMatchObject([{ state: 'delivered', kind: 'event', seq: last, last_attempt: { status: 204 } }]);
    const database = await openDatabase(env['MODELSTATS_DATABASE'] ?? '');
    expect(await database.kysely.selectFrom('daily_usage').selectAll().execute()).toEqual([]);
    await database.close();
  },
);

test("what was dropped or failed is replayed under the event's id and a new delivery id", async () => {
  await night('2026-06-01');
  const { id } = await add(await organization());
  await start('dispatch');
  await night('2026-06-02');
  await until(() => received.some(({ topic }) => topic === 'snapshot.published'));
  const sent = received.find(({ topic }) => topic === 'snapshot.published');
  const event = JSON.parse(sent?.body.toString() ?? '{}').id;
  const replayed = await run(['webhooks', 'replay', String(id), event]);
  expect(replayed).toMatchObject({ replayed: 1, has_more: false });
  await until(() => received.filter(({ topic }) => topic === 'snapshot.published').length === 2);
  const again = received.at(-1);
  expect(again?.body).toEqual(sent?.body);
  expect(again?.headers['x-service-delivery']).not.toBe(sent?.headers['x-service-delivery']);
  await run(['webhooks', 'replay', String(id)], { code: 2 });
  expect(await run(['webhooks', 'replay', String(id), '--failed-since', '1h'])).toMatchObject({ replayed: 0 });
});

test('secrets move to a new key, and the old one can go', async () => {
  const [old, fresh] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
  env['MODELSTATS_SECRET_KEYS'] = old;
  const { id } = await add(await organization());
  env['MODELSTATS_SECRET_KEYS'] = fresh;
  expect((await runCli(['webhooks', 'test', String(id)], { env })).stderr).toContain('MODELSTATS_SECRET_KEYS');
  env['MODELSTATS_SECRET_KEYS'] = `${fresh},${old}`;
  expect(await run(['webhooks', 'reseal'])).toEqual({ resealed: 1 });
  env['MODELSTATS_SECRET_KEYS'] = fresh;
  expect(await run(['webhooks', 'test', String(id)])).toMatchObject({ ping: { outcome: 'delivered' } });
});

test.each([
  {
    what: 'an organization that there is not',
    words: ['add', '--org', 'org_none', '--url', 'https://example.com/', '--topics', 'all'],
  },
  {
    what: 'an address within the machine',
    words: ['add', '--org', 'ORG', '--url', 'https://10.0.0.7/', '--topics', 'all'],
  },
  { what: 'an address without TLS', words: ['add', '--org', 'ORG', '--url', 'http://example.com/', '--topics', 'all'] },
  {
    what: 'a topic that there is not',
    words: ['add', '--org', 'ORG', '--url', 'https://example.com/', '--topics', 'none'],
  },
  { what: 'an endpoint that there is not', words: ['show', 'whe_none'] },
  { what: 'a delivery that there is not', words: ['deliveries', 'dlv_none'] },
])('$what is refused in a line, with exit code 2', async ({ words }) => {
  const org = await organization();
  const ended = await runCli(['webhooks', ...words.map((word) => (word === 'ORG' ? org : word))], { env });
  expect([ended.code, ended.stdout]).toEqual([2, '']);
  expect(ended.stderr.split('\n').length).toBeLessThanOrEqual(3);
});

test('an organization whose plan has no webhooks is told so', async () => {
  const org = await organization('builder');
  const ended = await runCli(['webhooks', 'add', '--org', org, '--url', receiver.url, '--topics', 'all'], { env });
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(`the plan of ${org} has no webhooks`)]);
});

test('webhooks listen goes on when a sender goes away in the middle of a delivery', async () => {
  const listening = startCli(['webhooks', 'listen', '--port', '0', '--folder', join(folder, 'listen'), '--json'], {
    env,
  });
  running.push(listening);
  let said = '';
  listening.child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  await until(() => said.includes('\n'));
  const { url } = answersFrom(said)[0] ?? {};
  const options = { method: 'POST', headers: { 'content-length': 100 }, rejectUnauthorized: false, agent: false };
  const half = requestTls(String(url), options);
  half.on('error', () => undefined);
  half.write('{', () => half.destroy());
  await new Promise((resolve) => half.on('close', resolve));
  const whole = requestTls(String(url), { ...options, headers: { 'content-length': 2 } }).end('{}');
  const [answer]: IncomingMessage[] = await once(whole, 'response');
  expect(answer?.statusCode).toBe(204);
});

test('webhooks listen verifies what arrives, and prints it', async () => {
  const { secret, id } = await add(await organization());
  await run(['webhooks', 'remove', String(id)]);
  const listening = startCli(
    ['webhooks', 'listen', '--port', '0', '--folder', join(folder, 'listen'), '--secret', String(secret), '--json'],
    { env },
  );
  running.push(listening);
  let said = '';
  listening.child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  await until(() => said.includes('\n'));
  const { url, ca } = JSON.parse(said.split('\n')[0] ?? '');
  env['NODE_EXTRA_CA_CERTS'] = ca;
  env['MODELSTATS_OUTBOUND_ALLOW'] = '127.0.0.0/8,::1/128';
  const org = await organization();
  const words = ['webhooks', 'add', '--org', org, '--url', url, '--topics', 'model.created'];
  const refused = await run(words, { code: 1 });
  expect(refused).toMatchObject({ state: 'registered', ping: { outcome: 'status', status: 401 } });
  await until(() => said.trim().split('\n').length === 2);
  const line = JSON.parse(said.trim().split('\n')[1] ?? '');
  expect(line).toMatchObject({ event: 'ping', status: 401, problem: expect.stringContaining('another secret') });
});
