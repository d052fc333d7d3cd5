/** The built command mirrors the fixture days from a file store to S3, from S3 to S3, and back into files. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../storage/hash.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { openStore } from '../../storage/open-store.ts';
import { S3Store } from '../../storage/s3/s3-store.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { answersFrom, runCli } from '../support/processes/cli.ts';
import { describeOnMinio, Minio } from '../support/processes/minio.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** An address, and the store that is there. */
interface Place {
  readonly url: string;
  readonly store: ObjectStore;
}

describeOnMinio('mirror', () => {
  let minio: Minio;
  const path = useFolder();
  let first: Place;
  let onS3: Place;
  let alsoOnS3: Place;
  let back: Place;

  beforeAll(async () => {
    minio = await Minio.start();
    const onFiles = async (name: string) => {
      const url = `file:${path(name)}`;
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
  afterAll(() => minio?.stop());

  async function run({ url }: Place, ...args: readonly string[]) {
    const work = path('work', encodeURIComponent(url));
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

  test('from files to S3, from there to another place on S3, and back into files: every object is the same', {
    timeout: 180_000,
  }, async () => {
    expect(await mirror(first, onS3)).toMatchObject({ code: 0, answer: { releases: 9, swapped: true } });
    expect(await mirror(onS3, alsoOnS3)).toMatchObject({ code: 0, answer: { releases: 9, swapped: true } });
    expect(await mirror(alsoOnS3, back)).toMatchObject({ code: 0, answer: { releases: 9, swapped: true } });
    const expected = await contentsOf(first);
    expect(Object.keys(expected).length).toBeGreaterThan(9 * 20);
    for (const place of [onS3, alsoOnS3, back]) expect(await contentsOf(place)).toEqual(expected);
    const nothing = { code: 0, stderr: '', answer: { copied: 0, bytes: 0, removed: 0, swapped: false } };
    expect(await mirror(onS3, alsoOnS3)).toMatchObject(nothing);
    expect(await run(back, 'verify', '--all', '--json')).toMatchObject({ code: 0, answer: { ok: true, replayed: 8 } });
  });
});
