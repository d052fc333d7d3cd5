import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isAppError } from '../schemas/errors.ts';
import type { ObjectStore, PutCondition } from './object-store.ts';
import { openStore } from './open-store.ts';
import { S3Store, type S3StoreOptions } from './s3-store.ts';
import { s3AddressFrom } from './s3-store-address.ts';
import { type Fault, FaultProxy, type ProxiedRequest } from './testing/fault-proxy.ts';
import { describeOnMinio, Minio } from './testing/minio.ts';

const LARGE = randomBytes(20_000_000);
const isPut = ({ method }: ProxiedRequest) => method === 'PUT';
const isGet = ({ method }: ProxiedRequest) => method === 'GET';
const isCompletion = ({ method, url }: ProxiedRequest) => method === 'POST' && /[?&]uploadId=/.test(url);
const isPart = (number: number) => (proxied: ProxiedRequest) =>
  isPut(proxied) && proxied.url.includes(`partNumber=${number}&`);

describeOnMinio('S3Store', () => {
  let minio: Minio;
  let proxy: FaultProxy;
  /** Sees everything go right. */
  let direct: S3Store;

  beforeAll(async () => {
    minio = await Minio.start();
    proxy = await FaultProxy.start(minio.endpoint);
    direct = storeAt(minio.endpoint);
  });
  afterEach(() => proxy.reset());
  afterAll(async () => {
    await proxy?.stop();
    await minio?.stop();
  });

  function storeAt(endpoint: string, options: S3StoreOptions = {}): S3Store {
    const address = s3AddressFrom(`s3://${minio.bucket}/faults`);
    return new S3Store(address, { ...minio.options, endpoint, attemptsMax: 3, ...options });
  }

  /** Through the proxy. */
  function storeWith(options: S3StoreOptions = {}): S3Store {
    return storeAt(proxy.endpoint, options);
  }

  async function bodyOf(key: string): Promise<Buffer | undefined> {
    return (await direct.get(key))?.body;
  }

  describe('a write whose answer got lost', () => {
    const lose = { is: 'answer-lost' } as const;

    test('is done, not lost: put if absent', async () => {
      proxy.failNext(isPut, lose);
      const { etag } = await storeWith().put('lost/absent', Buffer.from('mine'), { ifAbsent: true });
      expect(await direct.get('lost/absent')).toEqual({ body: Buffer.from('mine'), etag });
      expect(proxy.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(2);
    });

    test('is done, not lost: put if match', async () => {
      const first = await direct.put('lost/match', Buffer.from('before'));
      proxy.failNext(isPut, lose);
      const { etag } = await storeWith().put('lost/match', Buffer.from('mine'), { ifMatch: first.etag });
      expect(await direct.get('lost/match')).toEqual({ body: Buffer.from('mine'), etag });
    });

    test.each<[string, PutCondition | undefined]>([
      ['without a condition', undefined],
      ['if absent', { ifAbsent: true }],
    ])('is done, not lost: an upload in parts, %s', async (name, condition) => {
      const key = `lost/parts-${name.replaceAll(' ', '-')}`;
      proxy.failNext(isCompletion, lose);
      const { etag } = await storeWith().put(key, LARGE, condition);
      const found = await direct.get(key);
      expect(found?.etag).toBe(etag);
      expect(found?.body.equals(LARGE)).toBe(true);
    });

    test('is done, even when all answers got lost', async () => {
      proxy.failNext(isPut, lose, 3);
      await storeWith().put('lost/all', Buffer.from('mine'), { ifAbsent: true });
      expect((await bodyOf('lost/all'))?.toString()).toBe('mine');
    });

    test('is lost when somebody else really was faster', async () => {
      const first = await direct.put('lost/race', Buffer.from('before'));
      await direct.put('lost/race', Buffer.from('theirs'), { ifMatch: first.etag });
      proxy.failNext(isPut, lose);
      const writing = storeWith().put('lost/race', Buffer.from('mine'), { ifMatch: first.etag });
      await expect(writing).rejects.toMatchObject({ code: 'precondition_failed' });
      expect((await bodyOf('lost/race'))?.toString()).toBe('theirs');
    });
  });

  describe('a connection that breaks', () => {
    test('in the middle of a small upload is made up for', async () => {
      proxy.failNext(isPut, { is: 'request-cut', afterBytes: 300_000 });
      const body = LARGE.subarray(0, 1_000_000);
      await storeWith().put('cut/small', body, { ifAbsent: true });
      expect((await bodyOf('cut/small'))?.equals(body)).toBe(true);
    });

    test('in the middle of a part is made up for', async () => {
      proxy.failNext(isPart(2), { is: 'request-cut', afterBytes: 3_000_000 });
      await storeWith().put('cut/part', LARGE);
      expect((await bodyOf('cut/part'))?.equals(LARGE)).toBe(true);
    });

    test('in the middle of an upload at each try leaves what was there, and a clear error', async () => {
      await direct.put('cut/always', Buffer.from('before'));
      proxy.failNext(isPart(2), { is: 'request-cut', afterBytes: 3_000_000 }, Number.POSITIVE_INFINITY);
      await expect(storeWith().put('cut/always', LARGE)).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining(`cannot write cut/always in the store s3://${minio.bucket}/faults`),
      });
      expect(proxy.requests.filter((line) => line.includes('partNumber=2&'))).toHaveLength(3);
      expect((await bodyOf('cut/always'))?.toString()).toBe('before');
    });

    test('in the middle of a download is made up for, by stream and by get', async () => {
      await direct.put('cut/download', LARGE);
      const wholly = [
        async () => buffer(await storeWith().stream('cut/download')),
        async () => (await storeWith().get('cut/download'))?.body,
      ];
      for (const download of wholly) {
        proxy.reset();
        proxy.failNext(isGet, { is: 'answer-cut', afterBytes: 3_000_000 }, 4);
        expect((await download())?.equals(LARGE)).toBe(true);
        expect(proxy.requests.length).toBe(5);
      }
    });

    test('in a download of what was replaced meanwhile never mixes the two', async () => {
      const { etag } = await direct.put('cut/replaced', LARGE);
      proxy.failNext(isGet, { is: 'answer-cut', afterBytes: 3_000_000 });
      const stream = await storeWith().stream('cut/replaced');
      await direct.put('cut/replaced', Buffer.alloc(20_000_000), { ifMatch: etag });
      await expect(buffer(stream)).rejects.toMatchObject({ code: 'store_unavailable' });
    });

    test('again and again without a byte of progress ends in an error', async () => {
      await direct.put('cut/never', LARGE);
      proxy.failNext(isGet, { is: 'answer-cut', afterBytes: 0 }, Number.POSITIVE_INFINITY);
      await expect(storeWith().get('cut/never')).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining('cannot read'),
      });
    });
  });

  describe('a store in trouble', () => {
    test('that answers 503 for a while is waited for', async () => {
      proxy.failNext(() => true, { is: 'answer', status: 503, code: 'SlowDown' }, 2);
      await storeWith().put('trouble/busy', Buffer.from('x'), { ifAbsent: true });
      expect((await bodyOf('trouble/busy'))?.toString()).toBe('x');
    });

    test('that two conditional writes met in (409) is asked again', async () => {
      proxy.failNext(isPut, { is: 'answer', status: 409, code: 'ConditionalRequestConflict' }, 2);
      await storeWith().put('trouble/conflict', Buffer.from('x'), { ifAbsent: true });
      expect((await bodyOf('trouble/conflict'))?.toString()).toBe('x');
    });

    test.each([
      { trouble: 'asks to slow down', status: 503, name: 'SlowDown', words: 'is overloaded or asks to slow down' },
      { trouble: 'fails', status: 500, name: 'InternalError', words: 'as planned (InternalError 500)' },
      { trouble: 'is full', status: 507, name: 'XMinioStorageFull', words: 'has no room left' },
      {
        trouble: 'has another time',
        status: 403,
        name: 'RequestTimeTooSkewed',
        words: 'the clock of this machine is too far',
      },
      { trouble: 'knows no session', status: 400, name: 'ExpiredToken', words: 'the credentials have expired' },
      { trouble: 'got damaged bytes', status: 400, name: 'BadDigest', words: 'not those that were sent' },
    ])('that always $trouble gives an error that says so', async ({ status, name, words }) => {
      proxy.failNext(() => true, { is: 'answer', status, code: name }, Number.POSITIVE_INFINITY);
      await expectEverywhere({ code: 'store_unavailable', message: expect.stringContaining(words) });
    });

    test.each([
      { trouble: 'denies a right', status: 403, name: 'AccessDenied', words: 'the credentials lack a right' },
      { trouble: 'is in another region', status: 301, name: 'PermanentRedirect', words: 'is in another region' },
      { trouble: 'lacks a function', status: 501, name: 'NotImplemented', words: 'lacks what this store needs' },
    ])('that $trouble gives a configuration error that says so', async ({ status, name, words }) => {
      proxy.failNext(() => true, { is: 'answer', status, code: name }, Number.POSITIVE_INFINITY);
      await expectEverywhere({ code: 'configuration', message: expect.stringContaining(words) });
    });

    async function expectEverywhere(error: object): Promise<void> {
      const store = storeWith();
      await expect(store.put('trouble/always', Buffer.from('x'))).rejects.toMatchObject(error);
      await expect(store.put('trouble/always', LARGE)).rejects.toMatchObject(error);
      await expect(store.get('trouble/always')).rejects.toMatchObject(error);
      await expect(store.stream('trouble/always')).rejects.toMatchObject(error);
      await expect(store.list('trouble/').next()).rejects.toMatchObject(error);
      await expect(store.delete('trouble/always')).rejects.toMatchObject(error);
    }

    test('that never answers is given up in time', async () => {
      proxy.failNext(() => true, { is: 'silence' }, Number.POSITIVE_INFINITY);
      const error = { code: 'store_unavailable', message: expect.stringContaining('did not answer in time') };
      for (const limit of [{ requestTimeoutMs: 100 }, { idleTimeoutMs: 100 }]) {
        const store = storeWith({ attemptsMax: 2, ...limit });
        await expect(store.get('trouble/silent')).rejects.toMatchObject(error);
        await expect(store.put('trouble/silent', Buffer.from('x'))).rejects.toMatchObject(error);
      }
    });

    test('that answers late, but in time, is no trouble', async () => {
      proxy.failNext(() => true, { is: 'answer-late', ms: 300 }, Number.POSITIVE_INFINITY);
      const store = storeWith({ idleTimeoutMs: 2000 });
      await store.put('trouble/late', Buffer.from('x'), { ifAbsent: true });
      expect((await store.get('trouble/late'))?.body.toString()).toBe('x');
    });

    test('that answered too late did the write once', async () => {
      proxy.failNext(isPut, { is: 'answer-late', ms: 600 });
      await storeWith({ idleTimeoutMs: 200 }).put('trouble/too-late', Buffer.from('x'), { ifAbsent: true });
      expect((await bodyOf('trouble/too-late'))?.toString()).toBe('x');
    });

    test('that is not there can’t be reached', async () => {
      const gone = await FaultProxy.start(minio.endpoint);
      await gone.stop();
      const nowhere = [
        'http://127.0.0.1:9', // The port of `discard`; nobody listens.
        'http://there-is-no-such-host.invalid',
      ];
      for (const endpoint of nowhere) {
        await expect(storeAt(endpoint).get('key')).rejects.toMatchObject({
          code: 'store_unavailable',
          message: expect.stringContaining(`${endpoint} can't be reached`),
        });
      }
    });

    test('that is killed comes back with what was acknowledged', async () => {
      const own = await Minio.start();
      try {
        const store = new S3Store(s3AddressFrom(`s3://${own.bucket}`), { ...own.options, attemptsMax: 2 });
        const { etag } = await store.put('catalog.json', Buffer.from('yesterday'));
        await own.kill();
        const swap = () => store.put('catalog.json', Buffer.from('today'), { ifMatch: etag });
        await expect(swap()).rejects.toMatchObject({ code: 'store_unavailable' });
        await own.run();
        expect(await store.get('catalog.json')).toEqual({ body: Buffer.from('yesterday'), etag });
        await swap();
      } finally {
        await own.stop();
      }
    });
  });

  describe('a store that does not keep conditions is refused for writing', () => {
    const open = () =>
      openStore(`s3://${minio.bucket}/faults`, { access: 'write', s3: { ...minio.options, endpoint: proxy.endpoint } });
    const accept = { is: 'answer', status: 200, code: '', headers: { etag: '"1"' } } as const;

    test.each([
      ['If-None-Match', 'if-none-match', 'overwrites an object that must not exist'],
      ['If-Match', 'if-match', 'replaces a version that it no longer has'],
    ])('%s', async (_, header, words) => {
      proxy.plan = ({ headers }) => (headers[header] === undefined ? undefined : accept);
      await expect(open()).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining(words) });
    });

    test('one that knows no conditions at all', async () => {
      proxy.plan = ({ headers }) =>
        headers['if-none-match'] === undefined ? undefined : { is: 'answer', status: 501, code: 'NotImplemented' };
      await expect(open()).rejects.toMatchObject({
        code: 'configuration',
        message: expect.stringContaining('conditional'),
      });
    });

    test('one that never accepts a version', async () => {
      proxy.plan = ({ headers }) =>
        headers['if-match'] === undefined ? undefined : { is: 'answer', status: 412, code: 'PreconditionFailed' };
      await expect(open()).rejects.toMatchObject({
        code: 'configuration',
        message: expect.stringContaining('refuses to replace a version that it has'),
      });
    });

    test('but one that compares versions without quotes is understood', async () => {
      proxy.plan = ({ headers }) =>
        headers['if-match']?.startsWith('"') ? { is: 'answer', status: 412, code: 'PreconditionFailed' } : undefined;
      const store = await open();
      const first = await store.put('quotes', randomBytes(9));
      const second = await store.put('quotes', randomBytes(9), { ifMatch: first.etag });
      await expect(store.put('quotes', randomBytes(9), { ifMatch: first.etag })).rejects.toMatchObject({
        code: 'precondition_failed',
      });
      expect((await store.head('quotes'))?.etag).toBe(second.etag);
    });
  });

  test('readers that give up, before or after the first byte, leave no connection open', async () => {
    await direct.put('given-up', LARGE);
    const store = storeWith();
    for (let reader = 0; reader < 120; reader += 1) {
      const stream = await store.stream('given-up');
      if (reader % 2 === 0) await once(stream, 'readable');
      stream.destroy();
    }
    expect((await store.get('given-up'))?.body.equals(LARGE)).toBe(true);
  });

  test('counting up from several handles under random faults counts each step once', async () => {
    await direct.put('soak', Buffer.from('0'));
    const faults: readonly Fault[] = [
      { is: 'answer-lost' },
      { is: 'request-cut', afterBytes: 1 },
      { is: 'answer-cut', afterBytes: 1 },
      { is: 'answer', status: 503, code: 'SlowDown' },
      { is: 'answer', status: 500, code: 'InternalError' },
    ];
    proxy.plan = () => (Math.random() < 0.15 ? faults[Math.floor(Math.random() * faults.length)] : undefined);
    const handles = Array.from({ length: 3 }, () => storeWith({ attemptsMax: 8 }));
    const counts = await Promise.all(handles.map((handle) => countUp(handle, 'soak', 15)));
    proxy.reset();
    const sum = (of: 'done' | 'uncertain') => counts.reduce((total, count) => total + count[of], 0);
    const counted = Number((await bodyOf('soak'))?.toString());
    expect(sum('done')).toBe(45);
    expect(counted).toBeGreaterThanOrEqual(sum('done'));
    expect(counted).toBeLessThanOrEqual(sum('done') + sum('uncertain'));
  }, 60_000);

  test('two uploads of 400 MB at once need less than 200 MB more memory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'modelstats-large-'));
    try {
      const path = join(folder, 'large');
      await writeFile(path, '');
      await truncate(path, 400_000_000);
      const child = ['--import', 'tsx', join(import.meta.dirname, 'testing/s3-put-child.ts')];
      const words = [minio.endpoint, `s3://${minio.bucket}/large`, path, path];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [...child, ...words]);
      const { before, after } = JSON.parse(stdout) as { before: number; after: number };
      expect((after - before) / 1024).toBeLessThan(200);
      expect(stderr).toBe('');
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 300_000);
});

/**
 * Adds one to a number until that was done so many times. A put that was refused is uncertain when its answer may have been lost
 * and somebody else was faster than the look at what became of it.
 */
async function countUp(store: ObjectStore, key: string, times: number): Promise<{ done: number; uncertain: number }> {
  let done = 0;
  let uncertain = 0;
  while (done < times) {
    const current = await store.get(key);
    const next = Buffer.from(String(Number(current?.body) + 1));
    try {
      await store.put(key, next, { ifMatch: current?.etag ?? '' });
      done += 1;
    } catch (error) {
      if (!isAppError(error, 'precondition_failed') && !isAppError(error, 'store_unavailable')) throw error;
      uncertain += 1;
    }
  }
  return { done, uncertain };
}
