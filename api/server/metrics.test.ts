import { once } from 'node:events';
import { METHODS } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { requestText, sendRaw } from '../../test/support/api/raw-request.ts';
import { SERVER_SETTINGS, startServer } from '../../test/support/server/start-server.ts';
import { createMetricsServer, Metrics, type MetricsAccess, RequestDurations } from './metrics.ts';

const TOKEN = 'metrics-token-4711';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test.each<[string, MetricsAccess, Record<string, string>, number]>([
  ['nobody by default, this machine neither', { token: undefined, isOpen: false }, {}, 404],
  ['nobody without the token', { token: TOKEN, isOpen: false }, {}, 404],
  ['nobody with another token', { token: TOKEN, isOpen: false }, bearer('metrics-token-4712'), 404],
  ['nobody with a part of the token', { token: TOKEN, isOpen: false }, bearer(TOKEN.slice(0, -1)), 404],
  ['nobody with an empty token where none is set', { token: undefined, isOpen: false }, bearer(''), 404],
  ['whoever has the token', { token: TOKEN, isOpen: false }, bearer(TOKEN), 200],
  ['everybody where they are open', { token: undefined, isOpen: true }, {}, 200],
])('%s may read the metrics, in the format of Prometheus, and nobody keeps them', async (...row) => {
  const [, metricsAccess, headers, status] = row;
  const { port } = await startServer(async () => undefined, { settings: { metricsAccess } });
  const response = await sendRaw(port, requestText('/metrics', { Connection: 'close', ...headers }));
  expect([response.status, response.headers['cache-control']]).toEqual([status, 'no-store']);
  if (status !== 200) return;
  expect(response.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(response.body).toContain('# TYPE modelstats_request_duration_seconds histogram');
});

test.each<[string, MetricsAccess]>([
  ['without the token', { token: TOKEN, isOpen: false }],
  ['where they have a port of their own', { token: undefined, isOpen: false }],
])('%s the route can not be told from one that is not there, by any method', async (_, metricsAccess) => {
  const { port } = await startServer(async () => undefined, { settings: { metricsAccess } });
  const ask = async (target: string, method: string, headers: Record<string, string>, body: string) => {
    const response = await sendRaw(port, requestText(target, { Connection: 'close', ...headers }, { method, body }));
    const { 'x-request-id': requestId = '', date: _date, ...rest } = response.headers;
    return { status: response.status, headers: rest, body: response.body.replace(requestId, '') };
  };
  for (const method of METHODS.filter((each) => each !== 'CONNECT')) {
    const metrics = await ask('/metrics', method, bearer('another-token'), '');
    expect(metrics, method).toEqual(await ask('/nothing', method, bearer('another-token'), ''));
    expect(metrics.status, method).toBe(404);
    expect(await ask('/metrics?%zz', method, {}, '')).toEqual(await ask('/nothing?%zz', method, {}, ''));
  }
  for (const headers of [{ 'Content-Length': '5', 'Content-Type': 'a/b' }, { 'Content-Length': '100000000' }])
    expect(await ask('/metrics', 'POST', headers, 'hello')).toEqual(await ask('/nothing', 'POST', headers, 'hello'));
});

test('whoever may read the metrics is told the methods of the route', async () => {
  const settings = { metricsAccess: { token: TOKEN, isOpen: false } };
  const { port } = await startServer(async () => undefined, { settings });
  const { status, headers } = await sendRaw(port, requestText('/metrics', bearer(TOKEN), { method: 'POST' }));
  expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
});

test.each<[string | undefined, Record<string, string>, string, number]>([
  [undefined, {}, 'GET /metrics', 200],
  [undefined, {}, 'GET /metrics?x=1', 200],
  [undefined, {}, 'GET /', 404],
  [undefined, {}, 'POST /metrics', 404],
  [TOKEN, {}, 'GET /metrics', 404],
  [TOKEN, bearer(TOKEN), 'GET /metrics', 200],
])('on a port of their own, with the token %s: %j %s is %d', async (token, headers, asked, status) => {
  const server = createMetricsServer(new Metrics(), { token, connections: SERVER_SETTINGS });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a server that listens on a port.
  const [method = '', target = ''] = asked.split(' ');
  const response = await sendRaw(port, requestText(target, { Connection: 'close', ...headers }, { method }));
  expect(response.status).toBe(status);
  expect(response.all.includes('process_cpu_seconds_total')).toBe(status === 200);
});

test('each answer counts in the buckets of its route and status that it fits in', async () => {
  const registry = new Registry();
  const durations = new RequestDurations(registry);
  for (const seconds of [0.0005, 0.001, 0.02, 11]) durations.observe('/v1/models', 200, seconds);
  durations.observe('/v1/models', 404, 0.3);
  const lines = (await registry.metrics()).split('\n');
  const sampleOf = (name: string, labels: string) =>
    lines
      .find((line) => line.startsWith(`modelstats_request_duration_seconds_${name}{${labels}} `))
      ?.split(' ')
      .at(-1);
  const of = (le: string, status = 200) => sampleOf('bucket', `le="${le}",route="/v1/models",status="${status}"`);
  expect(lines).toContain('# TYPE modelstats_request_duration_seconds histogram');
  expect(['0.001', '0.01', '0.025', '10', '+Inf'].map((le) => of(le))).toEqual(['2', '2', '3', '3', '4']);
  expect([of('0.25', 404), of('0.5', 404), of('+Inf', 404)]).toEqual(['0', '1', '1']);
  expect(Number(sampleOf('sum', 'route="/v1/models",status="200"'))).toBeCloseTo(11.0215);
  expect(sampleOf('count', 'route="/v1/models",status="200"')).toBe('4');
});
