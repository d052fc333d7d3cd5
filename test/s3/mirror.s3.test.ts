/** The built command mirrors the fixture days from a file store to S3, from S3 to S3, and back into files. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../storage/hash.ts';
import { CATALOG_KEY, RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { openStore } from '../../storage/open-store.ts';
import { S3Store } from '../../storage/s3/s3-store.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { answersFrom, runCli } from '../support/processes/cli.ts';
import { describeOnMinio, Minio } from '../support/processes/minio.ts';

/** An address, and the store that is there. */
interface Place {
  readonly url: string;
  readonly store: ObjectStore;
}

describeOnMinio('mirror', () => {
  let minio: Minio;
  let folder: string;
  let first: Place;
  let onS3: Place;
  let alsoOnS3: Place;
  let back: Place;

  beforeAll(async () => {
    minio = await Minio.start();
    folder = await mkdtemp(join(tmpdir(), 'modelstats-mirror-'));
    const onFiles = async (name: string) => {
      const url = `file:${join(folder, name)}`;
      return { url, store: await openStore(url) };
    };
    const onBucket = (prefix: string) => {
      const url = `s3://${minio.bucket}/${prefix}`;
      return { url, store: new S3Store({ url, bucket: minio.bucket, prefix: `${prefix}/` }, minio.options) };
    };
    [first, back] = [await onFiles('first'), await onFiles('back')];
    [onS3, alsoOnS3] = [onBucket('one'), onBucket('two')];
    await run(first, 'nightly', '--source', fixtureSource('days'), '--all-days', '--json');
  }, 180_000);
  afterAll(async () => {
    await minio.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function run({ url }: Place, ...args: readonly string[]) {
    const work = join(folder, 'work', encodeURIComponent(url));
    const env = { ...minio.environment, MODELSTATS_STORE: url, MODELSTATS_WORK: work };
    const { code, stdout, stderr } = await runCli(args, { env });
    return { code, stderr, answer: answersFrom(stdout).at(-1) };
  }
  const mirror = (from: Place, to: Place) => run(from, 'mirror', '--to', to.url, '--json');

  /** Every object but the catalog, which counts its own swaps; and what the catalog lists. */
  async function contentsOf({ store }: Place): Promise<Readonly<Record<string, unknown>>> {
    const contents: Record<string, unknown> = {};
    for await (const { key } of store.list('')) {
      const body = (await store.get(key))?.body ?? expect.fail();
      contents[key] = key === CATALOG_KEY ? JSON.parse(body.toString('utf8')).releases : sha256(body);
    }
    return contents;
  }

  async function expectEqual(...places: readonly Place[]): Promise<void> {
    const expected = await contentsOf(first);
    expect(Object.keys(expected).length).toBeGreaterThan(9 * 20);
    for (const place of places) expect(await contentsOf(place)).toEqual(expected);
  }

  /** The key of a file of the release in the middle. */
  async function keyOf({ store }: Place, path: string): Promise<string> {
    for await (const { key } of store.list('releases/2026-06-04')) if (key.endsWith(`/${path}`)) return key;
    return expect.fail(`no ${path}`);
  }

  test('from files to S3, from there to another place on S3, and back into files: every object is the same', {
    timeout: 180_000,
  }, async () => {
    expect(await mirror(first, onS3)).toMatchObject({ code: 0, answer: { releases: 9, swapped: true } });
    expect(await mirror(onS3, alsoOnS3)).toMatchObject({ code: 0, answer: { releases: 9, swapped: true } });
    expect(await mirror(alsoOnS3, back)).toMatchObject({ code: 0, answer: { releases: 9, swapped: true } });
    await expectEqual(onS3, alsoOnS3, back);
    const nothing = { code: 0, stderr: '', answer: { copied: 0, bytes: 0, removed: 0, swapped: false } };
    expect(await mirror(onS3, alsoOnS3)).toMatchObject(nothing);
    expect(await run(back, 'verify', '--all', '--json')).toMatchObject({ code: 0, answer: { ok: true, replayed: 8 } });
  });

  test('an object that is gone on S3, and one that was cut off there, come back with the next mirror', async () => {
    await alsoOnS3.store.delete(await keyOf(alsoOnS3, RELEASE_PATHS.changes));
    await alsoOnS3.store.delete(await keyOf(alsoOnS3, RELEASE_PATHS.published));
    const key = await keyOf(alsoOnS3, RELEASE_PATHS.state('scores'));
    const { body } = (await alsoOnS3.store.get(key)) ?? expect.fail();
    await alsoOnS3.store.put(key, body.subarray(0, -1));
    expect(await mirror(onS3, alsoOnS3)).toMatchObject({ code: 0, answer: { copied: 3, removed: 0, swapped: false } });
    await expectEqual(alsoOnS3);
  });

  test('one with another byte, in its old size, is found by verify and put back by republish', async () => {
    const key = await keyOf(alsoOnS3, RELEASE_PATHS.state('scores'));
    const { body } = (await alsoOnS3.store.get(key)) ?? expect.fail();
    await alsoOnS3.store.put(
      key,
      body.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
    );
    expect(await mirror(onS3, alsoOnS3)).toMatchObject({ code: 0, answer: { copied: 0 } });
    const found = await run(alsoOnS3, 'verify', '--all', '--json');
    expect(found).toMatchObject({ code: 1, answer: { ok: false, problems: [{ snapshot: '2026-06-04' }] } });
    const mended = await run(onS3, 'republish', '2026-06-04', '--to', alsoOnS3.url, '--json');
    expect(mended).toMatchObject({ code: 0, answer: { ok: true, listed: true } });
    await expectEqual(alsoOnS3);
  });

  test('damage on S3 is never copied into files', async () => {
    const key = await keyOf(onS3, RELEASE_PATHS.state('scores'));
    const { body } = (await onS3.store.get(key)) ?? expect.fail();
    await onS3.store.put(
      key,
      body.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
    );
    const url = `file:${join(folder, 'third')}`;
    const third = { url, store: await openStore(url) };
    expect(await mirror(onS3, third)).toMatchObject({ code: 1, stderr: expect.stringContaining(key) });
    expect(await third.store.head(CATALOG_KEY)).toBeUndefined();
    expect(await mirror(first, third)).toMatchObject({ code: 0 });
    await expectEqual(third);
  });
});
