import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isAppError } from '../../../runtime/errors.ts';
import { hashStream } from '../../../storage/hash.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { expectLost, hashOf, IF_ABSENT, largeFile, repeat, type Subject, text } from './contract-support.ts';

/** What holds when several write, or one writes what another reads. */
export function describeConditions({ store, anotherHandle, folder }: Subject): void {
  describe('conditions', () => {
    test('put if absent creates, and loses against anything that is there', async () => {
      const { etag } = await store().put('condition/absent', text('first'), IF_ABSENT);
      await expectLost(store().put('condition/absent', text('second'), IF_ABSENT));
      expect(await store().get('condition/absent')).toEqual({ body: text('first'), etag });
      await store().delete('condition/absent');
      await store().put('condition/absent', text('third'), IF_ABSENT);
    });

    test('put if match replaces this version, and loses against a newer one', async () => {
      const first = await store().put('condition/match', text('1'));
      const second = await store().put('condition/match', text('2'), { ifMatch: first.etag });
      await expectLost(store().put('condition/match', text('3'), { ifMatch: first.etag }), 'another process wrote it');
      expect(await store().get('condition/match')).toEqual({ body: text('2'), etag: second.etag });
    });

    test('put if match loses where the object is gone or never was', async () => {
      const { etag } = await store().put('condition/gone', text('1'));
      await store().delete('condition/gone');
      await expectLost(store().put('condition/gone', text('2'), { ifMatch: etag }), 'it is gone');
      await expectLost(store().put('condition/never', text('2'), { ifMatch: etag }));
      expect(await store().head('condition/gone')).toBeUndefined();
    });

    test('hold for putFile of 20 MB as well', async () => {
      const { path } = await largeFile(folder());
      const { etag } = await store().putFile('condition/file', path, IF_ABSENT);
      await expectLost(store().putFile('condition/file', path, IF_ABSENT));
      await largeFile(folder());
      const next = await store().putFile('condition/file', path, { ifMatch: etag });
      await expectLost(store().putFile('condition/file', path, { ifMatch: etag }));
      expect(await store().head('condition/file')).toMatchObject({ etag: next.etag });
    });

    test('of 20 racing writers that expect the same version exactly one wins', async () => {
      const handles = [store(), anotherHandle(), anotherHandle(), anotherHandle()];
      let { etag } = await store().put('race/match', text('start'));
      for (let round = 0; round < 5; round += 1) {
        const expected = etag;
        const winner = await onlyWinner(handles, (handle, body) =>
          handle.put('race/match', body, { ifMatch: expected }),
        );
        const now = await store().get('race/match');
        expect(now).toEqual({ body: winner.body, etag: winner.etag });
        etag = winner.etag;
      }
    });

    test('of 20 racing writers that expect nothing exactly one wins', async () => {
      const handles = [store(), anotherHandle(), anotherHandle(), anotherHandle()];
      for (let round = 0; round < 5; round += 1) {
        const key = `race/absent/${round}`;
        const winner = await onlyWinner(handles, (handle, body) => handle.put(key, body, IF_ABSENT));
        expect(await store().get(key)).toEqual({ body: winner.body, etag: winner.etag });
      }
    });

    test('counting up with retries from several handles loses no step', async () => {
      await store().put('race/counter', text('0'));
      const handles = [store(), anotherHandle(), anotherHandle()];
      await Promise.all(handles.map((handle) => countUp(handle, 'race/counter', 10)));
      expect((await store().get('race/counter'))?.body.toString()).toBe('30');
    });
  });

  test('a stream that is open while its object is replaced gives the whole old or the whole new one', async () => {
    const { path, ...old } = await largeFile(folder());
    await store().putFile('replaced/open', path);
    const stream = await store().stream('replaced/open');
    const { path: _, ...next } = await largeFile(folder());
    const writing = anotherHandle().putFile('replaced/open', path);
    // Some stores let the writer wait for the reader, so the reader must not wait for ever.
    await Promise.race([writing, setTimeout(500)]);
    expect([old, next]).toContainEqual(await hashStream(stream));
    await writing;
    expect(await hashOf(store(), 'replaced/open')).toEqual(next);
  });

  test('readers see whole objects only, while writers replace them', async () => {
    const bodies = ['a', 'b', 'c'].map((letter) => Buffer.alloc(200_000, letter));
    await store().put('replaced/often', Buffer.alloc(200_000, 'a'));
    const writing = Promise.all(bodies.map((body) => repeat(10, () => anotherHandle().put('replaced/often', body))));
    const reading = repeat(30, async () => {
      const body = (await store().get('replaced/often'))?.body;
      expect(body).toHaveLength(200_000);
      expect(new Set(body).size).toBe(1);
    });
    await Promise.all([writing, reading]);
  });
}

type PutNumbered = (handle: ObjectStore, body: Buffer) => Promise<{ etag: string }>;

/** Lets 20 writers race; the one that won, after checking that all others lost cleanly. */
async function onlyWinner(handles: readonly ObjectStore[], put: PutNumbered): Promise<{ body: Buffer; etag: string }> {
  const bodies = Array.from({ length: 20 }, () => randomBytes(100));
  const results = await Promise.allSettled(
    bodies.map((body, index) => put(handles[index % handles.length] as ObjectStore, body)),
  );
  const winners = results.flatMap((result, index) =>
    result.status === 'fulfilled' ? [{ body: bodies[index] as Buffer, etag: result.value.etag }] : [],
  );
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'precondition_failed' });
  }
  expect(winners).toHaveLength(1);
  return winners[0] as { body: Buffer; etag: string };
}

/** Adds one to a number, so many times, starting again whenever somebody else was faster. */
async function countUp(store: ObjectStore, key: string, times: number): Promise<void> {
  for (let done = 0; done < times; ) {
    const current = await store.get(key);
    const next = text(String(Number(current?.body) + 1));
    try {
      await store.put(key, next, { ifMatch: current?.etag ?? '' });
      done += 1;
    } catch (error) {
      if (!isAppError(error, 'precondition_failed')) throw error;
    }
  }
}
