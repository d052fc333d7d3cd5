/** The real server: when it begins and ends, what it logs and counts, and what a full disk does to it. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { API_KEYS } from '../../api/accounts/organizations/token-form.ts';
import { fetchOnce } from '../support/api/listen.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { fixtureSource, openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { COMMAND, callCli } from '../support/processes/cli.ts';
import { serveSample, temporarySqlite } from '../support/processes/serve-sample.ts';
import { ServerProcess } from '../support/processes/server-process.ts';
import { freePort } from '../support/processes/servers.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { describeOnSmallDisk } from '../support/processes/small-disk.ts';
import { newFolder } from '../support/temporary-folder.ts';

test('serve says that it listens, and that it serves once it can answer data', async () => {
  const store = await openTemporaryStore();
  onTestFinished(() => store.dispose());
  const folder = await newFolder();
  const port = await freePort();
  const env = {
    MODELSTATS_STORE: store.url,
    MODELSTATS_DATABASE: await temporarySqlite(),
    MODELSTATS_VIEW: join(folder, 'view'),
    MODELSTATS_PORT: String(port),
    MODELSTATS_POLL_SECONDS: '0.2',
  };
  const server = new ServerProcess([process.execPath, COMMAND, 'serve'], () => true, env);
  onTestFinished(() => server.end('SIGKILL').then(() => undefined));
  await server.run();
  await expect
    .poll(() => server.log, { timeout: 30_000 })
    .toMatch(/^listening at http:\S+, opening the releases of file:/m);
  const ready = () => fetchOnce(`http://127.0.0.1:${port}/health/ready`, '');
  expect(await ready()).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(server.log).not.toMatch(/^serving /m);
  await store.night(fixtureSource(`days/${SAMPLE_DAYS[0]}`), SAMPLE_DAYS[0]);
  await expect.poll(() => server.log, { timeout: 30_000 }).toMatch(/^serving file:\S+ at http:/m);
  expect(await ready()).toMatchObject({ status: 200 });
});

test('a server that is stopped says so, and answers until its drain is over; a connection without a request holds nothing up', async () => {
  const longer = { MODELSTATS_STOP_TIMEOUT_SECONDS: '600', MODELSTATS_HEADERS_TIMEOUT_MS: '600000' };
  const env = { ...longer, MODELSTATS_REQUEST_TIMEOUT_MS: '600000', MODELSTATS_DRAIN_SECONDS: '2' };
  const { serving, key } = await serveSample({ env });
  // One connection, which is kept as a load balancer keeps it.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (path: string) => {
    const request = get(`${serving.url}${path}`, { agent, headers: { authorization: `Bearer ${key}` } });
    const [response]: IncomingMessage[] = await once(request, 'response');
    if (response === undefined) throw new Error('no answer');
    return { status: response.statusCode, connection: response.headers.connection, body: await text(response) };
  };
  const { hostname, port } = new URL(serving.url);
  for (const sent of ['', 'GET /v1/models HTTP/1.1\r\nHo']) {
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.write(sent);
  }
  // The server has seen the connections before it.
  expect(await ask('/v1/models')).toMatchObject({ status: 200, connection: 'keep-alive' });
  const begun = performance.now();
  const ended = serving.end('SIGTERM');
  let ready = await ask('/health/ready');
  for (; ready.status === 200; ready = await ask('/health/ready')) await sleep(10);
  expect(ready).toMatchObject({ status: 503, connection: 'close' });
  expect(JSON.parse(ready.body)).toEqual({ status: 'stopping', problem: null, problems: [] });
  for (let asked = 0; ; asked += 1) {
    // Until nobody listens any more, which is when the drain is over.
    const answer = await ask(asked % 2 ? '/health/live' : '/v1/models').catch(() => undefined);
    if (answer === undefined) break;
    expect(answer).toMatchObject({ status: 200, connection: 'close' });
    await sleep(100);
  }
  expect(performance.now() - begun).toBeGreaterThanOrEqual(2_000);
  expect(await ended).toEqual({ code: 0, signal: null });
});

test('a drain that leaves no time to stop is refused', async () => {
  const env = { MODELSTATS_DRAIN_SECONDS: '30', MODELSTATS_STOP_TIMEOUT_SECONDS: '30' };
  const { code, stderr } = await callCli(['serve'], { env });
  expect(code).toBe(2);
  expect(stderr).toContain('MODELSTATS_DRAIN_SECONDS (30) must be less than MODELSTATS_STOP_TIMEOUT_SECONDS (30)');
});

test('no key, signature or Idempotency-Key is in the log, at its finest level, wherever callers put it', async () => {
  const { serving, key, keyId } = await serveSample({ env: { MODELSTATS_LOG_LEVEL: 'trace' } });
  let requests = 0;
  const ask = (...given: Parameters<typeof fetchOnce>) => {
    requests += 1;
    return fetchOnce(...given);
  };
  const [unknown, malformed, idempotencyKey] = [
    API_KEYS.fromBytes(randomBytes(32)),
    `${key.slice(0, -3)}???`,
    'order-4711-of-alice',
  ];
  const { url } = serving;
  for (const sent of [key, unknown, malformed]) {
    const encoded = sent.replace('msk', '%6Dsk');
    const [twice, thrice] = [sent.replace('msk_', '%256Dsk%255F'), sent.replace('msk', '%25256Dsk')];
    const targets = [
      '/v1/models',
      `/v1/models?key=${sent}`,
      `/v1/models?q=${encoded}`,
      `/v1/models?${sent}`,
      `/v1/models/${sent}`,
      `/${encoded}?a=b`,
      `/v1/models/${twice}/history?q=${thrice}`,
      `/v1/models/%zz${twice}`,
    ];
    for (const target of targets)
      await ask(url + target, sent, {
        headers: { 'idempotency-key': idempotencyKey, Referer: `http://x.test/?key=${thrice}` },
      });
    for (const name of ['api_key', 'access_token', 'Authorization', 'token'])
      await ask(`${url}/v1/scores?limit=3&${name}=${sent.slice(4)}`, sent);
    await ask(`${url}/v1/models`, sent, { method: 'POST', headers: { 'idempotency-key': 'k'.repeat(129) } });
  }
  const download = await ask(`${url}/v1/snapshots/2026-06-03/download?dataset=models`, key);
  const signed = new URL(JSON.parse(download.body).url);
  expect((await ask(url + signed.pathname + signed.search, key)).status).toBe(200);
  await serving.end('SIGTERM');
  const { log } = serving;
  const answered = log.split('\n').filter((line) => line.includes('"msg":"answered"'));
  // Whether it is ready is asked until it is, by nobody that counts here.
  expect(answered.filter((line) => !line.includes('/health/ready'))).toHaveLength(requests);
  expect(log).toContain('/v1/scores?limit=3&api_key=…');
  for (const sent of [
    key,
    unknown,
    malformed,
    idempotencyKey,
    signed.searchParams.get('signature') ?? '',
    'k'.repeat(129),
  ])
    expect(log).not.toContain(sent.replace('msk_', ''));
  expect(log).not.toContain(keyId.slice(-10));
  expect(log).not.toMatch(/authorization"/i);
});

test('usage is written while a server runs, and the rest when it stops; `orgs usage` tells it in three forms', async () => {
  const env = { MODELSTATS_USAGE_DETAIL_SECONDS: '1', MODELSTATS_METRICS_OPEN: 'true' };
  const { serving: quick, ...place } = await serveSample({ env });
  /** `modelstats orgs usage`, which must succeed. */
  const usage = async (...options: readonly string[]) => {
    const args = ['orgs', 'usage', place.organizationId, '--days', '2', ...options];
    const { code, stdout, stderr } = await callCli(args, { env: { MODELSTATS_DATABASE: place.database } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  /** The counts of the last two days. */
  const totalNow = async (): Promise<Record<string, number>> => JSON.parse(await usage('--json')).total;
  expect(await totalNow()).toMatchObject({ requests: 0, units: 0 });
  for (const route of ['models', 'scores', 'models/none']) await fetchOnce(`${quick.url}/v1/${route}`, place.key);
  await expect.poll(totalNow, { timeout: 10_000, interval: 300 }).toMatchObject({ requests: 3, units: 2 });
  expect(await (await fetch(`${quick.url}/metrics`)).text()).toContain('\nmodelstats_usage_details_dropped_total 0\n');
  await quick.end('SIGKILL');

  const slow = await ServingProcess.start({ ...place, env: { MODELSTATS_USAGE_DETAIL_SECONDS: '3600' } });
  onTestFinished(() => slow.dispose());
  await fetchOnce(`${slow.url}/v1/models`, place.key);
  expect(await totalNow()).toMatchObject({ requests: 3, units: 3 });
  await slow.end('SIGTERM');
  expect(await totalNow()).toMatchObject({ requests: 4, units: 3, client_errors: 1 });

  const table = await usage();
  expect(table).toContain(`${place.organizationId} used 3 units with 4 requests`);
  expect(table).toMatch(/\/v1\/models\/\{id\} +│ +1 +│ +0 /);
  const [header, ...lines] = (await usage('--csv')).split('\r\n');
  expect(header).toMatch(/^day,key_id,/);
  expect(lines.filter((line) => line.includes(',/v1/models,api_key,2,2,0,'))).toHaveLength(1);
  expect(lines.at(-1)).toBe('');
});

/** More than SQLite's log has room for before its pages are used again. */
const REQUESTS_MAX = 3_000;

describeOnSmallDisk('a control database whose disk is full', '2m', (disk) => {
  test('is told with 503, in /health/ready and once in the log, and serves on when there is room', {
    timeout: 120_000,
  }, async () => {
    const database = `sqlite:${join(disk.path, 'accounts.db')}`;
    const { serving, key } = await serveSample({ database, env: { MODELSTATS_DATABASE_PROBE_SECONDS: '1' } });
    const ask = async (path: string) => {
      const { status, body } = await fetchOnce(`${serving.url}${path}`, key);
      return { status, body: JSON.parse(body) };
    };
    const used = async () => (await ask('/v1/account')).body.usage.used;

    expect((await ask('/v1/models')).status).toBe(200);
    await disk.fill();
    let granted = 1;
    let last = await ask('/v1/models');
    for (; last.status === 200 && granted < REQUESTS_MAX; granted += 1) last = await ask('/v1/models');
    expect(last).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(JSON.stringify(last.body)).not.toContain(disk.path);
    for (let round = 0; round < 5; round += 1) expect((await ask('/v1/scores')).status).toBe(503);
    expect(await ask('/health/live')).toMatchObject({ status: 200 });
    const problem = { part: 'accounts', code: 'unavailable' };
    expect(await ask('/health/ready')).toMatchObject({ status: 200, body: { problems: [problem] } });
    expect(serving.log.match(/the control database failed/g)).toHaveLength(1);
    expect(serving.log).toMatch(/database or disk is full/);
    expect(serving.isRunning).toBe(true);

    await disk.makeRoom();
    await expect.poll(async () => (await ask('/health/ready')).body.problems, { timeout: 20_000 }).toEqual([]);
    // Lines of no weight wait for others a moment.
    await expect.poll(() => serving.log).toMatch(/the control database works again/);
    const before = await used();
    // What was answered was counted, and what was refused was not.
    expect(before).toBe(granted);
    expect((await ask('/v1/models')).status).toBe(200);
    expect(await used()).toBe(before + 1);
  });
});
