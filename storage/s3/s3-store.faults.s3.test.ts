import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  describeOnFaultyMinio,
  isCompletion,
  isGet,
  isPart,
  isPut,
} from '../../test/support/processes/faulty-minio.ts';
import type { PutCondition } from '../object-store.ts';

const LARGE = randomBytes(20_000_000);

describeOnFaultyMinio('S3Store', (faulty) => {
  describe('a write whose answer got lost', () => {
    const lose = { is: 'answer-lost' } as const;

    test('is done, not lost: put if absent', async () => {
      faulty().proxy.failNext(isPut, lose);
      const { etag } = await faulty().storeWith().put('lost/absent', Buffer.from('mine'), { ifAbsent: true });
      expect(await faulty().direct.get('lost/absent')).toEqual({ body: Buffer.from('mine'), etag });
      expect(faulty().proxy.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(2);
    });

    test('is done, not lost: put if match', async () => {
      const first = await faulty().direct.put('lost/match', Buffer.from('before'));
      faulty().proxy.failNext(isPut, lose);
      const { etag } = await faulty().storeWith().put('lost/match', Buffer.from('mine'), { ifMatch: first.etag });
      expect(await faulty().direct.get('lost/match')).toEqual({ body: Buffer.from('mine'), etag });
    });

    test.each<[string, PutCondition | undefined]>([
      ['without a condition', undefined],
      ['if absent', { ifAbsent: true }],
    ])('is done, not lost: an upload in parts, %s', async (name, condition) => {
      const key = `lost/parts-${name.replaceAll(' ', '-')}`;
      faulty().proxy.failNext(isCompletion, lose);
      const { etag } = await faulty().storeWith().put(key, LARGE, condition);
      const found = await faulty().direct.get(key);
      expect(found?.etag).toBe(etag);
      expect(found?.body.equals(LARGE)).toBe(true);
    });

    test('is done, even when all answers got lost', async () => {
      faulty().proxy.failNext(isPut, lose, 3);
      await faulty().storeWith().put('lost/all', Buffer.from('mine'), { ifAbsent: true });
      expect((await faulty().bodyOf('lost/all'))?.toString()).toBe('mine');
    });

    test('is lost when somebody else really was faster', async () => {
      const first = await faulty().direct.put('lost/race', Buffer.from('before'));
      await faulty().direct.put('lost/race', Buffer.from('theirs'), { ifMatch: first.etag });
      faulty().proxy.failNext(isPut, lose);
      const writing = faulty().storeWith().put('lost/race', Buffer.from('mine'), { ifMatch: first.etag });
      await expect(writing).rejects.toMatchObject({ code: 'precondition_failed' });
      expect((await faulty().bodyOf('lost/race'))?.toString()).toBe('theirs');
    });
  });

  describe('a connection that breaks', () => {
    test('in the middle of a small upload is made up for', async () => {
      faulty().proxy.failNext(isPut, { is: 'request-cut', afterBytes: 300_000 });
      const body = LARGE.subarray(0, 1_000_000);
      await faulty().storeWith().put('cut/small', body, { ifAbsent: true });
      expect((await faulty().bodyOf('cut/small'))?.equals(body)).toBe(true);
    });

    test('in the middle of a part is made up for', async () => {
      faulty().proxy.failNext(isPart(2), { is: 'request-cut', afterBytes: 3_000_000 });
      await faulty().storeWith().put('cut/part', LARGE);
      expect((await faulty().bodyOf('cut/part'))?.equals(LARGE)).toBe(true);
    });

    test('in the middle of an upload at each try leaves what was there, and a clear error', async () => {
      await faulty().direct.put('cut/always', Buffer.from('before'));
      faulty().proxy.failNext(isPart(2), { is: 'request-cut', afterBytes: 3_000_000 }, Number.POSITIVE_INFINITY);
      await expect(faulty().storeWith().put('cut/always', LARGE)).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(
          `cannot write cut/always in the store ${faulty().url}: the connection to .* broke`,
        ),
      });
      expect(faulty().proxy.requests.filter((line) => line.includes('partNumber=2&'))).toHaveLength(3);
      expect((await faulty().bodyOf('cut/always'))?.toString()).toBe('before');
    });

    test('in the middle of a download is made up for, by stream and by get', async () => {
      await faulty().direct.put('cut/download', LARGE);
      const wholly = [
        async () => buffer(await faulty().storeWith().stream('cut/download')),
        async () => (await faulty().storeWith().get('cut/download'))?.body,
      ];
      for (const download of wholly) {
        faulty().proxy.reset();
        faulty().proxy.failNext(isGet, { is: 'answer-cut', afterBytes: 3_000_000 }, 4);
        expect((await download())?.equals(LARGE)).toBe(true);
        expect(faulty().proxy.requests.length).toBe(5);
      }
    });

    test.each([
      ['longer', (key: string) => faulty().direct.put(key, Buffer.alloc(21_000_000))],
      ['shorter', (key: string) => faulty().direct.put(key, Buffer.alloc(10))],
      ['nothing', (key: string) => faulty().direct.delete(key)],
    ])('in a download of what became %s meanwhile never mixes the two', async (size, replace) => {
      const key = `cut/replaced-by-${size}`;
      await faulty().direct.put(key, LARGE);
      faulty().proxy.failNext(isGet, { is: 'answer-cut', afterBytes: 3_000_000 });
      const stream = await faulty().storeWith().stream(key);
      await replace(key);
      await expect(buffer(stream)).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(/^cannot read all of cut.*it was replaced.* during the read/),
      });
    });

    test('in a get of what was replaced meanwhile gives a whole object, old or new', async () => {
      await faulty().direct.put('cut/swapped', LARGE);
      const next = Buffer.alloc(20_000_000, 'n');
      let swap: Promise<unknown> | undefined;
      faulty().proxy.plan = (proxied) => {
        if (!isGet(proxied) || swap !== undefined) return undefined;
        // The answer was asked for before; what it holds is what it was.
        swap = setTimeout(10).then(() => faulty().direct.put('cut/swapped', next));
        return { is: 'answer-cut', afterBytes: 3_000_000 };
      };
      const found = await faulty()
        .storeWith({ random: () => 1 })
        .get('cut/swapped');
      expect([LARGE, next].some((body) => found?.body.equals(body))).toBe(true);
      await swap;
      expect((await faulty().storeWith().get('cut/swapped'))?.body.equals(next)).toBe(true);
    });

    test('again and again without a byte of progress ends in an error', async () => {
      await faulty().direct.put('cut/never', LARGE);
      faulty().proxy.failNext(isGet, { is: 'answer-cut', afterBytes: 0 }, Number.POSITIVE_INFINITY);
      await expect(faulty().storeWith().get('cut/never')).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining('cannot read'),
      });
    });
  });

  test('readers that give up, before or after the first byte, leave no connection open', async () => {
    await faulty().direct.put('given-up', LARGE);
    const store = faulty().storeWith();
    for (let reader = 0; reader < 120; reader += 1) {
      const stream = await store.stream('given-up');
      if (reader % 2 === 0) await once(stream, 'readable');
      stream.destroy();
    }
    expect((await store.get('given-up'))?.body.equals(LARGE)).toBe(true);
  });
});
