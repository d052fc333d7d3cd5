import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../../test/support/processes/servers.ts';
import { openStore } from '../open-store.ts';

const YEAR_MS = 365 * 86_400_000;

/** An S3 server without objects whose clock is so far ahead of this machine's. */
async function storeOfServer(aheadMs: number) {
  const server = createServer((_, response) => {
    const date = new Date(Date.now() + aheadMs).toUTCString();
    response.writeHead(404, { 'content-type': 'application/xml', date });
    response.end('<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>');
  });
  const endpoint = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return openStore('s3://bucket/prefix', {
    s3: { endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, attemptsMax: 1 },
  });
}

test.each([
  ['years behind', -5 * YEAR_MS],
  ['a day ahead', 86_400_000],
  ['that agrees', 0],
])('a server %s tells its time with any answer', async (_, aheadMs) => {
  const store = await storeOfServer(aheadMs);
  expect(await store.get('catalog.json')).toBeUndefined();
  expect(Math.abs((store.clockAheadMs() ?? Number.NaN) - aheadMs)).toBeLessThan(5 * 60_000);
});
