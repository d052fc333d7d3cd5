/** Answers that are sent in one go have the same headers as those that Fastify sends, none of them twice. */
import { expect, test } from 'vitest';
import { requestText, sendRaw } from '../../test/support/api/raw-request.ts';
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
async function rawHeaders(port: number, path: string, headers: Record<string, string>) {
  const { all } = await sendRaw(port, requestText(path, { Connection: 'close', ...headers }));
  const [, ...lines] = all.slice(0, all.indexOf('\r\n\r\n')).split('\r\n');
  return lines.map((line) => [line.split(': ')[0]?.toLowerCase() ?? '', line.split(': ')[1] ?? ''] as const);
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
