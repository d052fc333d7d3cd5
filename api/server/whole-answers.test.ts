/** Answers that are sent in one go have the same headers as those that Fastify sends, none of them twice. */
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { startServer } from '../../test/support/server/start-server.ts';

const OWN = { 'Cross-Origin-Resource-Policy': 'cross-origin', 'X-Frame-Options': 'DENY', 'Content-Type': 'text/plain' };
const LONG = 'x'.repeat(5000);

/** A server with an answer that is whole, one that Fastify sends, and one that fails, each with headers of its own. */
function startOne() {
  return startServer(async (app, { sendWhole }) => {
    app.get('/whole', (asked, reply) => sendWhole(asked, reply, { status: 200, headers: OWN, body: 'short' }));
    app.get('/long', (asked, reply) => sendWhole(asked, reply, { status: 200, headers: OWN, body: LONG }));
    app.get('/usual', (asked, reply) => sendWhole(asked, reply, { status: 200, headers: {}, body: 'short' }));
    app.get('/by-fastify', async (_, reply) => reply.headers(OWN).send('short'));
    app.get('/fails', async (_, reply) => {
      reply.headers(OWN);
      throw new Error('a defect');
    });
  });
}

/** Names and values as they came, in lower case names. */
function rawHeaders(port: number, path: string, headers: Record<string, string>) {
  return new Promise<readonly (readonly [string, string])[]>((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, headers, agent: false }, (response) => {
      const { rawHeaders: raw } = response;
      response.resume();
      resolve(raw.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] ?? ''] as const] : [])));
    });
    asked.on('error', reject);
    asked.end();
  });
}

test.each([
  ['/whole', {}],
  ['/long', {}],
  ['/long', { 'accept-encoding': 'gzip' }],
  ['/long', { 'accept-encoding': 'br' }],
  ['/by-fastify', {}],
  ['/fails', {}],
])('headers of an answer’s own at %s with %o replace the usual ones', async (path, headers) => {
  const { port } = await startOne();
  const fields = await rawHeaders(port, path, headers);
  const names = fields.map(([name]) => name);
  expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
  expect(Object.fromEntries(fields)).toMatchObject({
    'cross-origin-resource-policy': 'cross-origin',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String),
  });
});

test('an answer that says nothing of them has the usual ones', async () => {
  const { port } = await startOne();
  const fields = Object.fromEntries(await rawHeaders(port, '/usual', {}));
  expect(fields).toMatchObject({ 'cross-origin-resource-policy': 'same-site', 'x-frame-options': 'SAMEORIGIN' });
});
