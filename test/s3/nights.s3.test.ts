/** The real command over the fixture days: what S3 gets is what a folder gets, and S3 is all that the next night needs. */
import { rm } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { Database } from '../../storage/duckdb/database.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import { readContents, type StoreContents } from '../support/pipeline/store-contents.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { answersFrom, runCli } from '../support/processes/cli.ts';
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
  let series: S3Target;
  /** What the same days show in the file store. */
  let expected: StoreContents;

  beforeAll(async () => {
    server = await S3Server.start();
    database = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder: path('spill') });
    days = await listSourceDays(SOURCE);
    const inFolder = await openFileTarget(path('file'));
    series = server.target(path('series'));
    for (const target of [inFolder, series]) await answersOf(target, 'nightly', '--source', SOURCE, '--all-days');
    expected = await readContents(inFolder.store, database);
  });
  afterAll(async () => {
    database?.close();
    await server?.stop();
  });

  test('publish the same files and events on S3 as in a folder', async () => {
    expect(expected.releases.map(({ day }) => day)).toEqual(days);
    expect(withoutReleases(await readContents(series.store, database))).toEqual(withoutReleases(expected));
  });

  test('again are published already', async () => {
    const answers = await answersOf(series, 'nightly', '--source', SOURCE, '--all-days');
    expect(answers.map(({ status }) => status)).toEqual(days.map(() => 'already_published'));
  });

  test('go on with the same numbers and hashes on a machine that has nothing but the address of the store', async () => {
    const target = server.target(path('fresh'));
    for (const day of days) {
      await answersOf(target, 'nightly', '--source', SOURCE, '--day', day);
      await rm(target.work, { recursive: true });
    }
    expect(withoutReleases(await readContents(target.store, database))).toEqual(withoutReleases(expected));
    const seqs = async ({ store }: Target) =>
      (await loadCatalog(store)).catalog?.releases.map(({ first_seq, last_seq }) => [first_seq, last_seq]);
    expect(await seqs(target)).toEqual(await seqs(series));
  });

  test('are proven by verify, and found damaged where an object is', async () => {
    expect(await answersOf(series, 'verify', '--all')).toMatchObject([
      { ok: true, snapshots: days.length, replayed: days.length - 1, problems: [] },
    ]);
    const [entry] = (await loadCatalog(series.store)).catalog?.releases ?? [];
    if (entry === undefined) throw new Error('nothing is published');
    const key = releaseKey(entry, RELEASE_PATHS.snapshot('models'));
    const whole = await buffer(await series.store.stream(key));
    await series.store.put(key, whole.subarray(1));
    const { code, stdout } = await runCli(['verify', '--all', '--json'], { env: series.env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(key) });
  });
});

/** Runs `modelstats ARGS… --json`, which must go well, and gives what it answers. */
async function answersOf({ env }: Target, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runCli([...args, '--json'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return answersFrom(stdout);
}

function withoutReleases({ snapshots, events }: StoreContents) {
  return { snapshots, events };
}
