/** A real server that is replaced behind a load balancer: it says so first, and answers what still comes. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { callCli } from '../support/processes/cli.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { addUnlimited } from './kill.contract.ts';

async function startServing(env: Readonly<Record<string, string>>) {
  const store = await openSampleStore();
  onTestFinished(() => store.dispose());
  const database = `sqlite:${join(store.folder, '..', 'accounts.db')}`;
  const { key } = await addUnlimited(database);
  const serving = await ServingProcess.start({ store: store.folder, database, env });
  onTestFinished(() => serving.dispose());
  // A connection that is kept, as a load balancer keeps it.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (path: string) => {
    const request = get(`${serving.url}${path}`, { agent, headers: { authorization: `Bearer ${key}` } });
    const [response]: IncomingMessage[] = await once(request, 'response');
    if (response === undefined) throw new Error('no answer');
    return { status: response.statusCode, connection: response.headers.connection, body: await text(response) };
  };
  return { serving, ask };
}

test('a server that is stopped says so, and answers until its drain is over', { timeout: 60_000 }, async () => {
  const { serving, ask } = await startServing({ MODELSTATS_DRAIN_SECONDS: '3' });
  expect(await ask('/v1/models')).toMatchObject({ status: 200, connection: 'keep-alive' });
  const begun = performance.now();
  const ended = serving.end('SIGTERM');
  let ready = await ask('/health/ready');
  for (; ready.status === 200; ready = await ask('/health/ready')) await sleep(10);
  expect(ready).toMatchObject({ status: 503, connection: 'close' });
  expect(JSON.parse(ready.body)).toEqual({ status: 'stopping', problem: null, problems: [] });
  while (performance.now() - begun < 2_000) {
    expect(await ask('/v1/models')).toMatchObject({ status: 200, connection: 'close' });
    expect(await ask('/health/live')).toMatchObject({ status: 200 });
    await sleep(100);
  }
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - begun).toBeGreaterThanOrEqual(3_000);
});

test('connections on which no request came, or half of one, hold no stop up', { timeout: 60_000 }, async () => {
  const longer = { MODELSTATS_STOP_TIMEOUT_SECONDS: '600', MODELSTATS_HEADERS_TIMEOUT_MS: '600000' };
  const { serving, ask } = await startServing({ ...longer, MODELSTATS_REQUEST_TIMEOUT_MS: '600000' });
  const { hostname, port } = new URL(serving.url);
  for (const sent of ['', 'GET /v1/models HTTP/1.1\r\nHo']) {
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.write(sent);
  }
  expect(await ask('/v1/models')).toMatchObject({ status: 200 }); // The server has seen the connections before it.
  expect(await serving.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('a drain that leaves no time to stop is refused', async () => {
  const env = { MODELSTATS_DRAIN_SECONDS: '30', MODELSTATS_STOP_TIMEOUT_SECONDS: '30' };
  const { code, stderr } = await callCli(['serve'], { env });
  expect(code).toBe(2);
  expect(stderr).toContain('MODELSTATS_DRAIN_SECONDS (30) has to be less than MODELSTATS_STOP_TIMEOUT_SECONDS (30)');
});
