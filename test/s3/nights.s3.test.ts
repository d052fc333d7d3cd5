/** The real command over the fixture days: what S3 gets is what a folder gets, S3 is all that the next night needs, and a mirror has all of it. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { Database } from '../../storage/duckdb/database.ts';
import { sha256 } from '../../storage/hash.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import { readContents, type StoreContents } from '../support/pipeline/store-contents.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { responsesFrom, runCli } from '../support/processes/cli.ts';
import { describeOnMinio } from '../support/processes/minio.ts';
import { S3Server, type S3Target } from '../support/processes/s3-target.ts';
import { openFileTarget, type Target } from '../support/processes/target.ts';
import { useFolder } from '../support/temporary-folder.ts';

const SOURCE = fixtureSource('days');
// Each test starts many processes, which a busy machine slows.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

describeOnMinio('the fixture days by the command', () => {
  const path = useFolder();
  let server: S3Server;
  let database: Database;
  let days: readonly string[];
  let inFolder: Target;
  let series: S3Target;

  beforeAll(async () => {
    server = await S3Server.start();
    database = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder: path('spill') });
    days = await listSourceDays(SOURCE);
    inFolder = await openFileTarget(path('file'));
    series = server.target(path('series'));
    await responsesOf(inFolder, 'nightly', '--source', SOURCE, '--all-days');
  });
  afterAll(async () => {
    database?.close();
    await server?.stop();
  });

  test('go on with the same numbers and hashes on a machine that has nothing but the address of the store', async () => {
    for (const day of days) {
      await responsesOf(series, 'nightly', '--source', SOURCE, '--day', day);
      await rm(series.work, { recursive: true });
    }
    const expected = await readContents(inFolder.store, database);
    expect(expected.releases.map(({ day }) => day)).toEqual(days);
    expect(withoutReleases(await readContents(series.store, database))).toEqual(withoutReleases(expected));
  });

  test('again are published already', async () => {
    const answers = await responsesOf(series, 'nightly', '--source', SOURCE, '--all-days');
    expect(answers.map(({ status }) => status)).toEqual(days.map(() => 'already_published'));
  });

  test('are mirrored to another place on S3, and from there into files: every object is the same', async () => {
    const [other, back] = [server.target(path('other')), await openFileTarget(path('back'))];
    const mirrored = { releases: days.length, swapped: true };
    expect(await responsesOf(series, 'mirror', '--to', other.url)).toMatchObject([mirrored]);
    expect(await responsesOf(other, 'mirror', '--to', back.store.url)).toMatchObject([mirrored]);
    const expected = await objectsOf(series);
    expect(Object.keys(expected).length).toBeGreaterThan(days.length * 20);
    for (const place of [other, back]) expect(await objectsOf(place)).toEqual(expected);
    const nothing = { copied: 0, bytes: 0, removed: 0, swapped: false };
    expect(await responsesOf(series, 'mirror', '--to', other.url)).toMatchObject([nothing]);
    const proven = { ok: true, snapshots: days.length, replayed: days.length - 1, problems: [] };
    expect(await responsesOf(other, 'verify', '--all')).toMatchObject([proven]);
  });
});

/** Runs `modelstats ARGS… --json`, which must go well, and gives what it answers. */
async function responsesOf({ env }: Target, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runCli([...args, '--json'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return responsesFrom(stdout);
}

function withoutReleases({ snapshots, events }: StoreContents) {
  return { snapshots, events };
}

/** The hash of every object but the catalog, which counts its own swaps; and what the catalog lists. */
async function objectsOf({ store }: Target): Promise<Readonly<Record<string, unknown>>> {
  const objects: Record<string, unknown> = { releases: (await loadCatalog(store)).catalog?.releases };
  for await (const { key } of store.list(''))
    if (key !== CATALOG_KEY) objects[key] = sha256((await store.get(key))?.body ?? expect.fail());
  return objects;
}
