import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from './open-store.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats open %20 '));
});
afterEach(() => rm(folder, { recursive: true }));

describe('openStore', () => {
  test.each([
    ['an absolute path', () => `file:${folder}/store`],
    ['a path relative to the working folder', () => `file:${relative(process.cwd(), folder)}/store`],
    ['a proper URL', () => `${pathToFileURL(folder)}/store`],
  ])('takes file: with %s, and keeps the address as it was written', async (_, urlOf) => {
    const store = await openStore(urlOf());
    expect(store.url).toBe(urlOf());
    await store.put('key', Buffer.from('x'));
    expect(await readdir(join(folder, 'store'))).toContain('key');
  });

  test('makes nothing before the first write', async () => {
    const store = await openStore(`file:${folder}/store`);
    expect(await store.get('key')).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    '',
    '/data/store',
    'store',
    'file:',
    'file:  ',
    'file:~/store',
    'file://host/path',
    'ftp://x',
    'http://x',
    's3:x',
  ])('refuses %j as a configuration error that names it', async (url) => {
    await expect(openStore(url)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(`'${url}'`),
    });
  });
});
