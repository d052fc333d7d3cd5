import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addVersionedAssets } from './assets.ts';

const FILES = { 'a.css': Buffer.from('a{}'), 'b.js': Buffer.from('b()') };

test('files of a face are sent as what they are, with its headers, and may be kept for a year', async () => {
  const app = fastify();
  addVersionedAssets(app, 'look', { files: FILES, headers: { 'X-Own': 'yes' } });
  const { statusCode, headers, body } = await app.inject('/look/a.css?v=1');
  expect([statusCode, body]).toEqual([200, 'a{}']);
  expect(headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-own': 'yes',
  });
  expect((await app.inject('/look/b.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect((await app.inject('/look/constructor')).statusCode).not.toBe(200);
});

test('what their addresses name changes with any of them, and with nothing else', () => {
  const versionOf = (files: Readonly<Record<string, Buffer>>) => addVersionedAssets(fastify(), 'look', { files });
  expect(versionOf(FILES)).toMatch(/^[0-9a-f]{12}$/);
  expect(versionOf({ ...FILES })).toBe(versionOf(FILES));
  expect(versionOf({ ...FILES, 'b.js': Buffer.from('b( )') })).not.toBe(versionOf(FILES));
});
