/** What a folder's routes can have of the shell: several methods on a path, bodies of their own kinds and sizes. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { describe, expect, test } from 'vitest';
import { useShell } from '../../test/support/server/start-server.ts';
import { acceptBodies } from './bodies.ts';

const KIB = 1024;

async function addSample(app: FastifyInstance): Promise<void> {
  app.get('/plain', async ({ body }) => ({ body: body ?? null }));
  // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
  await app.register(async (scope) => {
    acceptBodies(scope, { kinds: ['json', 'form'], bytesMax: 128 * KIB });
    scope.get('/things', async () => ({ things: [] }));
    scope.post('/things', async ({ body }) => ({ taken: body }));
    scope.delete('/things/:id', async () => ({ gone: true }));
    scope.get('/things/:name', async () => ({ thing: true }));
    scope.post('/only-post', async () => ({ done: true }));
    scope.post('/small', { bodyLimit: 16 }, async ({ body }) => ({ taken: body }));
  });
  // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
  await app.register(async (scope) => {
    acceptBodies(scope, { kinds: ['bytes'], bytesMax: KIB });
    scope.post('/raw', async ({ body }) => ({
      sha256: createHash('sha256')
        .update(body as Buffer)
        .digest('hex'),
    }));
  });
}

const shell = useShell(addSample);

const send = (method: string, path: string, body?: string, type?: string) =>
  shell.app.inject({
    method: method as 'POST',
    url: `/base${path}`,
    headers: type === undefined ? {} : { 'content-type': type },
    ...(body === undefined ? {} : { payload: body }),
  });

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

describe('methods', () => {
  test('a path has every method that was added to it, and HEAD where it has GET', async () => {
    expect((await send('GET', '/things')).json()).toEqual({ things: [] });
    expect((await send('POST', '/things', '{"a":1}', JSON_TYPE)).json()).toEqual({ taken: { a: 1 } });
    expect((await send('HEAD', '/things')).statusCode).toBe(200);
    expect((await send('DELETE', '/things/x')).json()).toEqual({ gone: true });
  });

  test.each([
    ['PUT', '/things', 'GET, HEAD, POST'],
    ['OPTIONS', '/things', 'GET, HEAD, POST'],
    ['POST', '/things/x', 'DELETE, GET, HEAD'],
    ['GET', '/only-post', 'POST'],
    ['HEAD', '/only-post', 'POST'],
    ['POST', '/plain', 'GET, HEAD'],
  ])('%s %s is refused, and the methods named that the path has: %s', async (method, path, allow) => {
    const response = await send(method, path);
    expect([response.statusCode, response.headers.allow]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(response.json().error.code).toBe('method_not_allowed');
  });
});

describe('bodies', () => {
  test('a form is its fields, a repeated one as a list', async () => {
    const { statusCode, body } = await send('POST', '/things', 'name=A+b%26c&tag=1&tag=2&empty=&__proto__=x', FORM);
    expect([statusCode, JSON.parse(body)]).toEqual([
      200,
      JSON.parse('{"taken":{"name":"A b&c","tag":["1","2"],"empty":"","__proto__":"x"}}'),
    ]);
  });

  test('raw bytes arrive as they were sent, whatever they are', async () => {
    const text = '{ "not" : "parsed",\n "é": 1 }';
    const sha256 = createHash('sha256').update(text).digest('hex');
    for (const type of [JSON_TYPE, 'text/plain']) {
      expect((await send('POST', '/raw', text, type)).json()).toEqual({ sha256 });
    }
  });

  test.each([
    ['no JSON', '{"a":', JSON_TYPE],
    ['an empty body that claims to be JSON', '', JSON_TYPE],
    ['a key that would change every object', '{"__proto__":{"a":1}}', JSON_TYPE],
    ['a form that is not UTF-8', 'a=%FF', FORM],
  ])('%s is a bad request', async (_, body, type) => {
    const response = await send('POST', '/things', body, type);
    expect([response.statusCode, response.json().error.code]).toEqual([400, 'bad_request']);
    expect(response.json().error.message).toMatch(/body/);
  });

  test('a kind that the routes do not take is refused as such', async () => {
    for (const type of ['text/xml', 'multipart/form-data', 'nonsense']) {
      const response = await send('POST', '/things', '<a/>', type);
      expect([response.statusCode, response.json().error.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  test('routes that take none never see one', async () => {
    expect((await send('GET', '/plain', '{"a":1}', JSON_TYPE)).json()).toEqual({ body: null });
  });
});

describe('limits of bodies', () => {
  const jsonOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

  test.each([
    ['/things', 128 * KIB],
    ['/small', 16],
    ['/raw', KIB],
  ])('%s takes %d bytes and not one more', async (path, bytesMax) => {
    expect((await send('POST', path, jsonOf(bytesMax), JSON_TYPE)).statusCode).toBe(200);
    const response = await send('POST', path, jsonOf(bytesMax + 1), JSON_TYPE);
    expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
      413,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(response.json().error).toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining(`${bytesMax}`),
    });
  });

  test('a body that does not say how long it is ends at the limit too', async () => {
    const response = await shell.app.inject({
      method: 'POST',
      url: '/base/small',
      headers: { 'content-type': JSON_TYPE, 'transfer-encoding': 'chunked' },
      payload: jsonOf(17),
    });
    expect([response.statusCode, response.json().error.code]).toEqual([413, 'payload_too_large']);
  });

  test('routes that take no body refuse one over 64 KiB', async () => {
    expect((await send('GET', '/plain', 'x'.repeat(64 * KIB), 'a/b')).statusCode).toBe(200);
    expect((await send('GET', '/plain', 'x'.repeat(64 * KIB + 1), 'a/b')).json().error.code).toBe('payload_too_large');
  });
});
