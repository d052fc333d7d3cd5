/** The same API over S3: the view is built from there, downloads are presigned, an outage leaves the old view serving. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Manifest } from '../../schemas/manifest.ts';
import { FileStore } from '../../storage/file/file-store.ts';
import { sha256 } from '../../storage/hash.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { openApi, type TestApi } from '../../test/support/api/open-api.ts';
import { openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { describeOnFaultyMinio, type FaultyMinio } from '../../test/support/processes/faulty-minio.ts';
import { SMALL_DAYS } from '../../test/worlds/small-days.ts';

const [FIRST = '', SECOND = ''] = Object.keys(SMALL_DAYS);
const ROUTES = ['/v1/models', '/v1/models/a/history?kind=score', '/v1/changes', '/v1/snapshots', '/v1/updates?days=30'];

describeOnFaultyMinio('the API', (get: () => FaultyMinio) => {
  let published: TemporaryStore;
  /** What stands in the store after each of two nights. */
  let contents: readonly ReadonlyMap<string, Buffer>[];
  let api: TestApi;

  beforeAll(async () => {
    published = await openTemporaryStore();
    const read: ReadonlyMap<string, Buffer>[] = [];
    for (const day of [FIRST, SECOND]) {
      await published.publish(day, SMALL_DAYS[day] ?? {});
      read.push(await readAll(published.folder));
    }
    contents = read;
  });
  afterAll(() => published?.dispose());
  beforeEach(async () => {
    await upload(0);
    api = await open();
  });
  afterEach(() => api.close());

  function open(): Promise<TestApi> {
    // Few and short attempts: what is out of reach here stays so until the test says otherwise.
    return openApi({ store: get().url, wrapStore: (): ObjectStore => get().storeWith({ attemptsMax: 1 }) });
  }

  /** Puts a night's objects, the catalog last. */
  async function upload(night: number): Promise<void> {
    const objects = [...(contents[night] ?? [])].sort(
      ([a], [b]) => Number(a === CATALOG_KEY) - Number(b === CATALOG_KEY),
    );
    for (const [key, body] of objects) await get().direct.put(key, body);
  }

  async function servedDay(): Promise<unknown> {
    const { statusCode, headers } = await api.get('/v1/models');
    return statusCode === 200 ? String(headers['x-data-as-of']).slice(0, 10) : statusCode;
  }

  test('answers byte for byte, and with the tags, of one over a folder with the same objects', async () => {
    await upload(1);
    await api.follower.refresh();
    const other = await openApi({ store: published.url });
    for (const path of ROUTES) {
      const [here, there] = [await api.get(path), await other.get(path)];
      expect([here.statusCode, here.body, here.headers['etag']]).toEqual([200, there.body, there.headers['etag']]);
    }
    await other.close();
  });

  test('gives presigned addresses that need no key and serve ranges, for fifteen minutes', async () => {
    const [manifest] = (await api.json('/v1/snapshots'))['snapshots'] as readonly Manifest[];
    const file = manifest?.datasets.find(({ name }) => name === 'models');
    const { url, ...described } = await api.json(`/v1/snapshots/${FIRST}/download?dataset=models`);
    expect(described).toMatchObject({ bytes: file?.bytes, sha256: file?.sha256 });
    expect(new URL(String(url)).searchParams.get('X-Amz-Expires')).toBe('900');
    const whole = Buffer.from(await (await fetch(String(url))).arrayBuffer());
    expect(sha256(whole)).toBe(file?.sha256);
    const part = await fetch(String(url), { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(10, 20));
    expect((await fetch(`${url}0`)).status).toBe(403);
    expect((await fetch(String(url).replace('models', 'scores'))).status).toBe(403);
  });

  test.each([
    ['answers with errors', () => ({ is: 'answer', status: 503, code: 'SlowDown' }) as const],
    ['refuses the key', () => ({ is: 'answer', status: 403, code: 'AccessDenied' }) as const],
    ['breaks its answers off', () => ({ is: 'answer-cut', afterBytes: 10 }) as const],
  ])('keeps serving while S3 %s, and catches up afterwards', async (_, fault) => {
    await upload(1);
    get().proxy.plan = fault;
    await api.follower.refresh();
    expect(await servedDay()).toBe(FIRST);
    const ready = await api.get('/health/ready');
    expect([ready.statusCode, ready.json()]).toMatchObject([
      200,
      { status: 'ready', problem: { message: expect.any(String) } },
    ]);
    expect(ready.body).not.toMatch(/127\.0\.0\.1|http:|s3:|modelstats-test|catalog\.json|arn:/);
    get().proxy.reset();
    await api.follower.refresh();
    expect(await servedDay()).toBe(SECOND);
    expect((await api.get('/health/ready')).json()).toMatchObject({ problem: null });
  });

  test('that starts while S3 is out of reach serves once it is back', async () => {
    await api.close();
    get().proxy.plan = () => ({ is: 'answer', status: 503, code: 'SlowDown' });
    api = await open();
    expect(await servedDay()).toBe(503);
    get().proxy.reset();
    await api.follower.refresh();
    expect(await servedDay()).toBe(FIRST);
  });

  test('refuses a damaged object until it is mended', async () => {
    await upload(1);
    const key = [...(contents[1]?.keys() ?? [])].find(
      (each) => each.includes(SECOND) && each.endsWith('changes.parquet'),
    );
    await get().direct.put(key ?? '', Buffer.from('damaged'));
    await api.follower.refresh();
    expect(await servedDay()).toBe(FIRST);
    const ready = await api.get('/health/ready');
    expect(ready.json()).toMatchObject({ problem: { code: 'corrupt' } });
    expect(ready.body).not.toMatch(/127\.0\.0\.1|http:|s3:|modelstats-test|releases\/|parquet/);
    await upload(1);
    await api.follower.refresh();
    expect(await servedDay()).toBe(SECOND);
  });
});

async function readAll(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const bodies = new Map<string, Buffer>();
  for await (const { key } of new FileStore(folder).list('')) bodies.set(key, await readFile(join(folder, key)));
  return bodies;
}
