import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../test/support/processes/fault-proxy.ts';
import { describeOnFaultyMinio, isPut } from '../../test/support/processes/faulty-minio.ts';
import { Minio } from '../../test/support/processes/minio.ts';
import { openStore } from '../open-store.ts';
import { s3AddressFrom } from './client.ts';
import { S3Store } from './s3-store.ts';

const LARGE = randomBytes(20_000_000);

describeOnFaultyMinio('S3Store', (faulty) => {
  describe('a store in trouble', () => {
    test.each([
      ['answers 503 for a while', 503, 'SlowDown'],
      ['lets two conditional writes meet (409)', 409, 'ConditionalRequestConflict'],
      ['denies a write in passing, as MinIO does where the folder of a key goes meanwhile,', 403, 'AccessDenied'],
    ])('that %s is asked again', async (_, status, code) => {
      faulty().proxy.failNext(isPut, { is: 'answer', status, code }, 2);
      await faulty().storeWith().put(`trouble/${code}`, Buffer.from('x'), { ifAbsent: true });
      expect((await faulty().bodyOf(`trouble/${code}`))?.toString()).toBe('x');
    });

    test.each([
      { trouble: 'asks to slow down', status: 503, name: 'SlowDown', words: 'is overloaded or limits requests' },
      { trouble: 'fails', status: 500, name: 'InternalError', words: 'as planned (InternalError 500)' },
      { trouble: 'is full', status: 507, name: 'XMinioStorageFull', words: 'is full' },
      {
        trouble: 'has another time',
        status: 403,
        name: 'RequestTimeTooSkewed',
        words: 'clock of this machine is too far',
      },
      { trouble: 'knows no session', status: 400, name: 'ExpiredToken', words: 'the credentials have expired' },
      { trouble: 'got damaged bytes', status: 400, name: 'BadDigest', words: 'damaged in transit' },
    ])('that always $trouble gives an error that says so', async ({ status, name, words }) => {
      faulty().proxy.failNext(() => true, { is: 'answer', status, code: name }, Number.POSITIVE_INFINITY);
      await expectEverywhere({ code: 'store_unavailable', message: expect.stringContaining(words) });
    });

    test.each([
      { trouble: 'denies a right', status: 403, name: 'AccessDenied', words: 'the credentials lack a right' },
      { trouble: 'is in another region', status: 301, name: 'PermanentRedirect', words: 'is in another region' },
      { trouble: 'lacks a function', status: 501, name: 'NotImplemented', words: "doesn't support conditional writes" },
    ])('that $trouble gives a configuration error that says so', async ({ status, name, words }) => {
      faulty().proxy.failNext(() => true, { is: 'answer', status, code: name }, Number.POSITIVE_INFINITY);
      await expectEverywhere({ code: 'configuration', message: expect.stringContaining(words) });
    });

    async function expectEverywhere(error: object): Promise<void> {
      const store = faulty().storeWith();
      await expect(store.put('trouble/always', Buffer.from('x'))).rejects.toMatchObject(error);
      await expect(store.put('trouble/always', LARGE)).rejects.toMatchObject(error);
      await expect(store.get('trouble/always')).rejects.toMatchObject(error);
      await expect(store.stream('trouble/always')).rejects.toMatchObject(error);
      await expect(store.list('trouble/').next()).rejects.toMatchObject(error);
      await expect(store.delete('trouble/always')).rejects.toMatchObject(error);
    }

    test('that never answers is given up in time', async () => {
      faulty().proxy.failNext(() => true, { is: 'silence' }, Number.POSITIVE_INFINITY);
      const error = { code: 'store_unavailable', message: expect.stringContaining('did not respond in time') };
      for (const limit of [{ requestTimeoutMs: 100 }, { idleTimeoutMs: 100 }]) {
        const store = faulty().storeWith({ attemptsMax: 2, ...limit });
        await expect(store.get('trouble/silent')).rejects.toMatchObject(error);
        await expect(store.put('trouble/silent', Buffer.from('x'))).rejects.toMatchObject(error);
      }
    });

    test('that answered too late did the write once', async () => {
      faulty().proxy.failNext(isPut, { is: 'answer-late', ms: 600 });
      await faulty().storeWith({ idleTimeoutMs: 200 }).put('trouble/too-late', Buffer.from('x'), { ifAbsent: true });
      expect((await faulty().bodyOf('trouble/too-late'))?.toString()).toBe('x');
    });

    test('that is not there can’t be reached', async () => {
      const nowhere = [
        'http://127.0.0.1:9', // The port of `discard`; nobody listens.
        'http://there-is-no-such-host.invalid',
      ];
      for (const endpoint of nowhere) {
        await expect(faulty().storeAt(endpoint).get('key')).rejects.toMatchObject({
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
      openStore(`s3://${faulty().minio.bucket}/faults`, {
        access: 'write',
        s3: { ...faulty().minio.options, endpoint: faulty().proxy.endpoint },
      });
    const response = (status: number, code: string): Fault => ({
      is: 'answer',
      status,
      code,
      headers: { etag: '"1"' },
    });

    test.each([
      [
        'overwrites what must not exist',
        'if-none-match',
        response(200, ''),
        'overwrites an object that must not exist',
      ],
      ['replaces any version', 'if-match', response(200, ''), 'replaces a version that it no longer has'],
      ['knows no conditions at all', 'if-none-match', response(501, 'NotImplemented'), 'conditional'],
      [
        'never accepts a version',
        'if-match',
        response(412, 'PreconditionFailed'),
        'refuses to replace a version that it has',
      ],
    ])('one that %s', async (_, header, fault, words) => {
      faulty().proxy.plan = ({ headers }) => (headers[header] === undefined ? undefined : fault);
      await expect(open()).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining(words) });
    });

    test('but one that compares versions without quotes is understood', async () => {
      faulty().proxy.plan = ({ headers }) =>
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

  test('two uploads of 400 MB at once need less than 200 MB more memory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'modelstats-large-'));
    try {
      const path = join(folder, 'large');
      await writeFile(path, '');
      await truncate(path, 400_000_000);
      const child = ['--import', 'tsx', join(import.meta.dirname, '../../test/support/storage/s3-put-child.ts')];
      const words = [faulty().minio.endpoint, `s3://${faulty().minio.bucket}/large`, path, path];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [...child, ...words]);
      const { before, after } = JSON.parse(stdout) as { before: number; after: number };
      expect((after - before) / 1024).toBeLessThan(200);
      expect(stderr).toBe('');
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 300_000);
});
