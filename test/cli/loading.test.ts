import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeDay } from '../support/pipeline/write-day.ts';
import { envOf, runCli } from '../support/processes/cli.ts';

/** Names the packages that a process loads on stderr, one a line. */
const TELL_PACKAGES = `
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
    if (name !== undefined) process.stderr.write(name + '\\n');
    return next(url, context);
  },
});`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-loading-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('a night that fetches nothing loads neither the client of upstreams nor the store of others', async () => {
  const tell = join(folder, 'tell.mjs');
  await writeFile(tell, TELL_PACKAGES);
  await writeDay(join(folder, 'source'), { models: [{ id: 'm', name: 'M' }] });
  const place = { store: join(folder, 'store'), work: join(folder, 'work') };
  const { code, stderr } = await runCli(['nightly', '--source', join(folder, 'source'), '--day', '2026-01-01'], {
    env: { ...envOf(place), NODE_OPTIONS: `--import ${pathToFileURL(tell)}` },
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const packages = new Set(stderr.split('\n'));
  expect(packages).toContain('@duckdb/node-api');
  expect([...packages].filter((name) => name === 'undici' || name.startsWith('@aws-sdk'))).toEqual([]);
});
