import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../test/support/processes/servers.ts';
import { useFolder } from '../test/support/temporary-folder.ts';
import { openStore } from './open-store.ts';

const folder = useFolder({ perTest: true });

describe('openStore', () => {
  test.each([
    ['an absolute path', () => `file:${folder()}/store`],
    ['a path relative to the working folder', () => `file:${relative(process.cwd(), folder())}/store`],
    ['a proper URL', () => `${pathToFileURL(folder())}/store`],
  ])('takes file: with %s, and keeps the address as it was written', async (_, urlOf) => {
    const store = await openStore(urlOf());
    expect(store.url).toBe(urlOf());
    await store.put('key', Buffer.from('x'));
    expect(await readdir(folder('store'))).toContain('key');
  });

  test('makes nothing before the first write', async () => {
    const store = await openStore(`file:${folder()}/store`);
    expect(await store.get('key')).toBeUndefined();
    expect(await readdir(folder())).toEqual([]);
  });

  test.each([
    [
      '',
      '/data/store',
      './store',
      'file:',
      'file:  ',
      'file:~/store',
      'file://host/path',
      'ftp://x',
      'http://x',
      's3:x',
    ],
    ['s3://', 's3:///prefix', 's3://b', 's3://bucket/a//b', 's3://bucket/../x', 's3://bucket/a b', 's3://bu cket/a'],
  ])('refuses what is no address as a configuration error that names it', async (...urls) => {
    for (const url of urls) {
      const message = expect.stringContaining(`'${url}'`);
      await expect(openStore(url), url).rejects.toMatchObject({ code: 'configuration', message });
    }
  });

  test('takes s3: with and without a prefix, and speaks to nobody before the first read', async () => {
    const s3 = { endpoint: 'http://127.0.0.1:9' };
    for (const url of ['s3://bucket', 's3://bucket/', 's3://bucket/some/prefix', 's3://bucket/some/prefix/']) {
      expect((await openStore(url, { s3 })).url).toBe(url);
    }
  });

  test('never repeats credentials that somebody wrote into an address', async () => {
    const isSilent = { code: 'configuration', message: expect.not.stringContaining('secret') };
    await expect(openStore('s3://key:secret@bucket/prefix')).rejects.toMatchObject(isSilent);
    const endpoint = 'https://key:secret@127.0.0.1';
    await expect(openStore('s3://bucket/prefix', { s3: { endpoint } })).rejects.toMatchObject(isSilent);
    await expect(openStore('https://key:secret@host/bucket')).rejects.toMatchObject(isSilent);
  });

  test.each(['127.0.0.1:9000', 'localhost', 'ftp://host'])('refuses %j as an endpoint', async (endpoint) => {
    await expect(openStore('s3://bucket', { s3: { endpoint } })).rejects.toMatchObject({ code: 'configuration' });
  });
});

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
