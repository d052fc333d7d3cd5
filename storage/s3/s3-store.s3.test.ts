import { createHash } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { HeadObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { describeOnMinio, Minio } from '../../test/support/processes/minio.ts';
import { listenOnFreePort } from '../../test/support/processes/servers.ts';
import { describeObjectStore } from '../object-store.contract.ts';
import { openStore } from '../open-store.ts';
import { s3AddressFrom } from './client.ts';
import { S3Store, type S3StoreOptions } from './s3-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describeOnMinio('S3Store', () => {
  let minio: Minio;
  const x = Buffer.from('x');

  beforeAll(async () => {
    minio = await Minio.start();
  });
  afterAll(() => minio?.stop());

  function storeAt(path: string, options: S3StoreOptions = {}): S3Store {
    return new S3Store(s3AddressFrom(`s3://${minio.bucket}${path}`), { ...minio.options, ...options });
  }

  function client(): S3Client {
    const { endpoint = '', credentials } = minio.options;
    return new S3Client({ endpoint, ...(credentials && { credentials }), region: 'us-east-1', forcePathStyle: true });
  }

  describeObjectStore('S3Store below a prefix', async () => ({
    store: storeAt('/contract/store'),
    anotherHandle: () => storeAt('/contract/store'),
    close: async () => undefined,
  }));

  async function keysOf(store: S3Store): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of store.list('')) keys.push(key);
    return keys;
  }

  describe('prefixes', () => {
    test('keep stores in one bucket apart, also where one begins like the other', async () => {
      await storeAt('/one').put('key', Buffer.from('one'));
      await storeAt('/one-more').put('key', Buffer.from('one more'));
      expect(await keysOf(storeAt('/one'))).toEqual(['key']);
      expect((await storeAt('/one').get('key'))?.body.toString()).toBe('one');
      expect(await keysOf(storeAt('/on'))).toEqual([]);
    });

    test('may be missing, then the store is the whole bucket', async () => {
      await storeAt('/whole').put('key', x);
      expect((await storeAt('/').get('whole/key'))?.body).toEqual(x);
      expect((await storeAt('').get('whole/key'))?.body).toEqual(x);
    });
  });

  describe('uploads', () => {
    const headOf = (key: string) =>
      client().send(new HeadObjectCommand({ Bucket: minio.bucket, Key: key, ChecksumMode: 'ENABLED' }));

    test('carry the SHA-256 of their bytes, which the store verified', async () => {
      await storeAt('/sums').put('small.json', x);
      const sum = createHash('sha256').update(x).digest('base64');
      expect(await headOf('sums/small.json')).toMatchObject({ ChecksumSHA256: sum, ContentType: 'application/json' });
    });

    test('in parts carry a SHA-256 of each part', async () => {
      await storeAt('/sums').put('large.jsonl.gz', Buffer.alloc(20_000_000));
      expect(await headOf('sums/large.jsonl.gz')).toMatchObject({
        ChecksumSHA256: expect.stringMatching(/-3$/),
        ContentType: 'application/gzip',
        ContentLength: 20_000_000,
      });
    });

    test('of exactly one part, and of one byte more, are whole', async () => {
      const store = storeAt('/parts', { partBytes: 5 * 1024 * 1024 });
      for (const bytes of [5 * 1024 * 1024, 5 * 1024 * 1024 + 1, 10 * 1024 * 1024]) {
        const body = Buffer.alloc(bytes, bytes.toString());
        await store.put('key', body);
        expect((await store.get('key'))?.body.equals(body)).toBe(true);
      }
    });
  });

  describe('signed URLs', () => {
    test('let anybody download the object, whole or in part, and only that', async () => {
      const store = storeAt('/signed');
      await store.put('some.json', Buffer.from('0123456789'));
      await store.put('other.json', x);
      const url = await store.signedUrl('some.json', { expiresInSeconds: 900 });
      const whole = await fetch(url);
      expect([whole.status, await whole.text()]).toEqual([200, '0123456789']);
      const part = await fetch(url, { headers: { range: 'bytes=2-5' } });
      expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
        206,
        '2345',
        'bytes 2-5/10',
      ]);
      expect((await fetch(url.replace('some.json', 'other.json'))).status).toBe(403);
      expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
    });

    test('are signed for the public endpoint, while the store itself is asked at its own', async () => {
      const own = new URL(minio.endpoint);
      const forwarder = createServer((asking) => {
        asking
          .pipe(connect(Number(own.port), own.hostname))
          .on('error', () => asking.destroy())
          .pipe(asking);
        asking.on('error', () => {});
      });
      const port = await listenOnFreePort(forwarder);
      onTestFinished(() => void forwarder.close());
      const store = storeAt('/public', { publicEndpoint: `http://localhost:${port}` });
      await store.put('some.json', Buffer.from('0123456789'));
      const url = await store.signedUrl('some.json', { expiresInSeconds: 900 });
      expect(url).toMatch(new RegExp(`^http://localhost:${port}/${minio.bucket}/public/some\\.json\\?`));
      const response = await fetch(url);
      expect([response.status, await response.text()]).toEqual([200, '0123456789']);
      const elsewhere = url.replace(`localhost:${port}`, own.host);
      expect((await fetch(elsewhere)).status, 'signed for that host alone').toBe(403);
    });

    test('name the bucket in the host of the public endpoint where the store is set to', async () => {
      const url = await storeAt('/public', {
        publicEndpoint: 'https://data.example.com',
        forcePathStyle: false,
      }).signedUrl('some.json', { expiresInSeconds: 900 });
      expect(url).toMatch(new RegExp(`^https://${minio.bucket}\\.data\\.example\\.com/public/some\\.json\\?`));
    });

    test('expire', async () => {
      const store = storeAt('/signed');
      await store.put('some.json', x);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - DAY_MS });
      const url = await store.signedUrl('some.json', { expiresInSeconds: 900 });
      vi.useRealTimers();
      expect((await fetch(url)).status).toBe(403);
    });
  });

  describe('opened by its address', () => {
    test('for writing, proves that the store keeps conditions, and leaves nothing behind', async () => {
      const store = await openStore(`s3://${minio.bucket}/probed`, { access: 'write', s3: minio.options });
      expect(store.url).toBe(`s3://${minio.bucket}/probed`);
      await store.put('key', x, { ifAbsent: true });
      const listed = await client().send(new ListObjectsV2Command({ Bucket: minio.bucket, Prefix: 'probed/' }));
      expect(listed.Contents?.map(({ Key }) => Key)).toEqual(['probed/key']);
    });
  });

  describe('what an operator has to repair is a configuration error that says so:', () => {
    const { accessKeyId, secretAccessKey } = Minio.CREDENTIALS;

    test.each([
      ['an unknown key', { accessKeyId: 'unknown', secretAccessKey }],
      ['a wrong secret', { accessKeyId, secretAccessKey: 'wrong' }],
    ])('%s', async (_, credentials) => {
      const store = storeAt('/wrong', { credentials });
      const error = {
        code: 'configuration',
        message: expect.stringContaining(`${minio.endpoint} refuses these credentials`),
      };
      await expect(store.get('key')).rejects.toMatchObject(error);
      await expect(store.put('key', x)).rejects.toMatchObject(error);
      await expect(keysOf(store)).rejects.toMatchObject(error);
      await expect(store.head('key')).rejects.toMatchObject({ code: 'configuration' });
    });

    test('a missing bucket', async () => {
      const store = new S3Store(s3AddressFrom('s3://not-there/store'), minio.options);
      const error = {
        code: 'configuration',
        message: expect.stringContaining(`${minio.endpoint} has no bucket not-there: create it`),
      };
      await expect(store.get('catalog.json')).rejects.toMatchObject(error);
      await expect(store.put('key', x, { ifAbsent: true })).rejects.toMatchObject(error);
      await expect(store.put('key', x, { ifMatch: '"1"' })).rejects.toMatchObject(error);
      await expect(keysOf(store)).rejects.toMatchObject(error);
      await expect(store.put('large', Buffer.alloc(9_000_000))).rejects.toMatchObject(error);
    });
  });

  test('a clock that is an hour wrong is noticed and made up for', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * 60 * 1000 });
    try {
      const store = storeAt('/skewed');
      await store.put('key', x);
      expect((await store.get('key'))?.body).toEqual(x);
    } finally {
      vi.useRealTimers();
    }
  });
});
