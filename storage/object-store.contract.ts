import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAppError } from '../schemas/errors.ts';
import type { ListedObject, ObjectStore, PutCondition } from './object-store.ts';

/** An empty store, as one process sees it. */
export interface OpenedStore {
  readonly store: ObjectStore;
  /** The same store through an object of its own, as another process would have it. */
  anotherHandle(): ObjectStore;
  close(): Promise<void>;
}

const IF_ABSENT: PutCondition = { ifAbsent: true };
const LARGE_BYTES = 20 * 1024 * 1024;

/** The tests that every adapter passes. Each test uses keys of its own in one store. */
export function describeObjectStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} as an object store`, () => {
    let opened: OpenedStore;
    let folder: string;
    const store = () => opened.store;

    beforeAll(async () => {
      opened = await open();
      folder = await mkdtemp(join(tmpdir(), 'modelstats-contract-'));
    });
    afterAll(async () => {
      await opened?.close();
      await rm(folder, { recursive: true, force: true });
    });

    describe('reading', () => {
      test('gives back the bytes that were written, by get and by stream', async () => {
        const bytes = randomBytes(1000);
        const { etag } = await store().put('read/some', bytes);
        expect(await store().get('read/some')).toEqual({ body: bytes, etag });
        expect(await read(store(), 'read/some')).toEqual(bytes);
      });

      test('gives back an empty object as empty, not as missing', async () => {
        const { etag } = await store().put('read/empty', new Uint8Array());
        expect(await store().get('read/empty')).toEqual({ body: Buffer.alloc(0), etag });
        expect(await store().head('read/empty')).toMatchObject({ bytes: 0, etag });
        expect(await read(store(), 'read/empty')).toHaveLength(0);
      });

      test('head tells size, version and age', async () => {
        const before = Date.now();
        const { etag } = await store().put('read/head', text('four'));
        const head = await store().head('read/head');
        expect(head).toMatchObject({ bytes: 4, etag });
        expect(Math.abs((head?.modifiedAt.getTime() ?? 0) - before)).toBeLessThan(60_000);
      });

      test('of a missing object is undefined, its stream rejects with not_found before the first byte', async () => {
        expect(await store().get('read/missing')).toBeUndefined();
        expect(await store().head('read/missing')).toBeUndefined();
        await expect(store().stream('read/missing')).rejects.toMatchObject({ code: 'not_found' });
      });

      test('of a key below or above another object finds nothing', async () => {
        await store().put('read/nested/object', text('x'));
        expect(await store().get('read/nested')).toBeUndefined();
        expect(await store().head('read/nested')).toBeUndefined();
        expect(await store().get('read/nested/object/below')).toBeUndefined();
        await expect(store().stream('read/nested')).rejects.toMatchObject({ code: 'not_found' });
      });
    });

    describe('writing', () => {
      test('replaces what was there and changes its version', async () => {
        const etags = new Set<string>();
        for (let round = 10; round < 30; round += 1)
          etags.add((await store().put('write/again', text(`${round}`))).etag);
        expect(etags.size).toBe(20);
        expect((await store().get('write/again'))?.body.toString()).toBe('29');
      });

      test('a version does not come back after delete and creation', async () => {
        const etags = new Set<string>();
        for (let round = 10; round < 30; round += 1) {
          etags.add((await store().put('write/reborn', text(`${round}`))).etag);
          await store().delete('write/reborn');
        }
        expect(etags.size).toBe(20);
      });

      test('putFile stores 20 MB byte for byte and leaves the file alone', async () => {
        const { bytes, path } = await largeFile(folder);
        const { etag } = await store().putFile('write/large', path);
        expect(await store().head('write/large')).toMatchObject({ bytes: LARGE_BYTES, etag });
        expect(await sha256Of(await store().stream('write/large'))).toBe(sha256(bytes));
        await writeFile(path, 'the file is the caller’s, the object does not follow it');
        expect(sha256((await store().get('write/large'))?.body)).toBe(sha256(bytes));
      });

      test('putFile stores an empty file', async () => {
        const path = join(folder, 'empty');
        await writeFile(path, '');
        await store().putFile('write/empty-file', path);
        expect(await store().head('write/empty-file')).toMatchObject({ bytes: 0 });
      });

      test('putFile of a file that is not there writes nothing', async () => {
        await expect(store().putFile('write/nothing', join(folder, 'none'))).rejects.toThrow('ENOENT');
        expect(await store().head('write/nothing')).toBeUndefined();
      });

      test('100 objects written at once all arrive', async () => {
        const keys = Array.from({ length: 100 }, (_, index) => `write/many/${index % 7}/${index}`);
        await Promise.all(keys.map((key) => store().put(key, text(key))));
        const bodies = await Promise.all(keys.map((key) => store().get(key)));
        expect(bodies.map((object) => object?.body.toString())).toEqual(keys);
      });
    });

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
        await expectLost(store().put('condition/match', text('3'), { ifMatch: first.etag }));
        expect(await store().get('condition/match')).toEqual({ body: text('2'), etag: second.etag });
      });

      test('put if match loses where the object is gone or never was', async () => {
        const { etag } = await store().put('condition/gone', text('1'));
        await store().delete('condition/gone');
        await expectLost(store().put('condition/gone', text('2'), { ifMatch: etag }));
        await expectLost(store().put('condition/never', text('2'), { ifMatch: etag }));
        expect(await store().head('condition/gone')).toBeUndefined();
      });

      test('hold for putFile of 20 MB as well', async () => {
        const { path } = await largeFile(folder);
        const { etag } = await store().putFile('condition/file', path, IF_ABSENT);
        await expectLost(store().putFile('condition/file', path, IF_ABSENT));
        await largeFile(folder);
        const next = await store().putFile('condition/file', path, { ifMatch: etag });
        await expectLost(store().putFile('condition/file', path, { ifMatch: etag }));
        expect(await store().head('condition/file')).toMatchObject({ etag: next.etag });
      });

      test('of 20 racing writers that expect the same version exactly one wins', async () => {
        const handles = [store(), opened.anotherHandle(), opened.anotherHandle(), opened.anotherHandle()];
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
        const handles = [store(), opened.anotherHandle(), opened.anotherHandle(), opened.anotherHandle()];
        for (let round = 0; round < 5; round += 1) {
          const key = `race/absent/${round}`;
          const winner = await onlyWinner(handles, (handle, body) => handle.put(key, body, IF_ABSENT));
          expect(await store().get(key)).toEqual({ body: winner.body, etag: winner.etag });
        }
      });

      test('counting up with retries from several handles loses no step', async () => {
        await store().put('race/counter', text('0'));
        const handles = [store(), opened.anotherHandle(), opened.anotherHandle()];
        await Promise.all(handles.map((handle) => countUp(handle, 'race/counter', 10)));
        expect((await store().get('race/counter'))?.body.toString()).toBe('30');
      });
    });

    test('a stream that is open while its object is replaced gives the whole old or the whole new one', async () => {
      const { bytes, path } = await largeFile(folder);
      await store().putFile('replaced/open', path);
      const stream = await store().stream('replaced/open');
      const next = await largeFile(folder);
      const writing = opened.anotherHandle().putFile('replaced/open', path);
      // Some stores let the writer wait for the reader, so the reader must not wait for ever.
      await Promise.race([writing, setTimeout(500)]);
      expect([sha256(bytes), sha256(next.bytes)]).toContain(await sha256Of(stream));
      await writing;
      expect(sha256((await store().get('replaced/open'))?.body)).toBe(sha256(next.bytes));
    });

    test('readers see whole objects only, while writers replace them', async () => {
      const bodies = ['a', 'b', 'c'].map((letter) => Buffer.alloc(200_000, letter));
      await store().put('replaced/often', Buffer.alloc(200_000, 'a'));
      const writing = Promise.all(
        bodies.map((body) => repeat(10, () => opened.anotherHandle().put('replaced/often', body))),
      );
      const reading = repeat(30, async () => {
        const body = (await store().get('replaced/often'))?.body;
        expect(body).toHaveLength(200_000);
        expect(new Set(body).size).toBe(1);
      });
      await Promise.all([writing, reading]);
    });

    describe('listing', () => {
      test('gives all keys of a prefix in the byte order of whole keys, with size and age', async () => {
        const keys = ['a', 'a-b/1', 'a.b', 'a0', 'B', 'd/2', 'd/10', 'd/1/x', 'd-e', 'd.e/f', '_z', 'a_/y'];
        await Promise.all(keys.map((key) => store().put(`list/${key}`, text(key))));
        const listed = await listAll(store(), 'list/');
        expect(listed.map(({ key }) => key)).toEqual(keys.map((key) => `list/${key}`).sort());
        expect(listed.map(({ bytes }) => bytes)).toEqual(listed.map(({ key }) => key.length - 'list/'.length));
        for (const { modifiedAt } of listed) expect(Math.abs(modifiedAt.getTime() - Date.now())).toBeLessThan(60_000);
      });

      test('takes a prefix that ends within a name', async () => {
        for (const key of ['part/ab', 'part/abc', 'part/abd/x', 'part/b']) await store().put(key, text(key));
        expect(await keysOf(store(), 'part/ab')).toEqual(['part/ab', 'part/abc', 'part/abd/x']);
        expect(await keysOf(store(), 'part/abc')).toEqual(['part/abc']);
        expect(await keysOf(store(), 'part/abcd')).toEqual([]);
      });

      test('of nothing is empty', async () => {
        expect(await keysOf(store(), 'nothing/here/')).toEqual([]);
      });

      test('goes on past a thousand objects', async () => {
        const keys = Array.from({ length: 1100 }, (_, index) => `pages/${String(index).padStart(4, '0')}`);
        for (let from = 0; from < keys.length; from += 100) {
          await Promise.all(keys.slice(from, from + 100).map((key) => store().put(key, new Uint8Array())));
        }
        expect(await keysOf(store(), 'pages/')).toEqual(keys);
      }, 60_000);

      test('without a prefix gives everything', async () => {
        await store().put('top', text('x'));
        const keys = await keysOf(store(), '');
        expect(keys).toContain('top');
        expect(keys).toEqual([...keys].sort());
      });
    });

    describe('deleting', () => {
      test('removes the object, and only it', async () => {
        for (const key of ['delete/a', 'delete/ab', 'delete/b/c']) await store().put(key, text(key));
        await store().delete('delete/a');
        await store().delete('delete/b/c');
        expect(await store().get('delete/a')).toBeUndefined();
        expect(await keysOf(store(), 'delete/')).toEqual(['delete/ab']);
      });

      test('is fine when there is nothing', async () => {
        await store().delete('delete/never');
        await store().delete('delete/never/there');
      });

      test('frees the name for other kinds of keys', async () => {
        await store().put('delete/name/below', text('x'));
        await store().delete('delete/name/below');
        await store().put('delete/name', text('y'));
        expect(await keysOf(store(), 'delete/name')).toEqual(['delete/name']);
      });

      test('while others write to the same folder disturbs nobody', async () => {
        const rounds = Array.from({ length: 8 }, (_, index) => index);
        await Promise.all(
          rounds.map((index) =>
            repeat(20, async () => {
              await store().put(`delete/busy/folder/${index}`, text('x'), IF_ABSENT);
              await opened.anotherHandle().delete(`delete/busy/folder/${index}`);
            }),
          ),
        );
        expect(await keysOf(store(), 'delete/busy/')).toEqual([]);
      });
    });

    describe('keys', () => {
      test.each([
        '',
        '/a',
        'a/',
        'a//b',
        '.',
        '..',
        'a/../b',
        '.hidden',
        'a/.tmp',
        'a b',
        'ä',
        'a\0b',
        'a\\b',
        'x'.repeat(513),
      ])('that are no plain paths are defects: %j', async (key) => {
        await expect(store().get(key)).rejects.toThrow(TypeError);
        await expect(store().head(key)).rejects.toThrow(TypeError);
        await expect(store().stream(key)).rejects.toThrow(TypeError);
        await expect(store().put(key, text('x'))).rejects.toThrow(TypeError);
        await expect(store().putFile(key, import.meta.filename)).rejects.toThrow(TypeError);
        await expect(store().delete(key)).rejects.toThrow(TypeError);
        await expect(store().signedUrl(key, { expiresInSeconds: 60 })).rejects.toThrow(TypeError);
      });

      test.each(['/', '../', 'a//', './', 'a/../'])(
        'that begin like no key are defects in a listing: %j',
        async (prefix) => {
          await expect(listAll(store(), prefix)).rejects.toThrow(TypeError);
        },
      );

      test('of any allowed shape are kept apart, differences of case too', async () => {
        const segment = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,20}$/);
        const key = fc
          .array(segment, { minLength: 1, maxLength: 4 })
          .map((segments) => `any/x${segments.join('/x')}.end`);
        await fc.assert(
          fc.asyncProperty(key, async (anyKey) => {
            await store().put(anyKey, text(anyKey));
            expect((await store().get(anyKey))?.body.toString()).toBe(anyKey);
          }),
          { numRuns: 30 },
        );
        await store().put('any/case', text('lower'));
        await store().put('any/CASE', text('upper'));
        expect((await store().get('any/case'))?.body.toString()).toBe('lower');
      });
    });
  });
}

function text(value: string): Buffer {
  return Buffer.from(value);
}

async function read(store: ObjectStore, key: string): Promise<Buffer> {
  return buffer(await store.stream(key));
}

function sha256(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

async function sha256Of(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

async function largeFile(folder: string): Promise<{ bytes: Buffer; path: string }> {
  const bytes = randomBytes(LARGE_BYTES);
  const path = join(folder, 'large');
  await writeFile(path, bytes);
  return { bytes, path };
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < times; round += 1) await work();
}

async function listAll(store: ObjectStore, prefix: string): Promise<ListedObject[]> {
  const listed: ListedObject[] = [];
  for await (const object of store.list(prefix)) listed.push(object);
  return listed;
}

async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await listAll(store, prefix)).map(({ key }) => key);
}

async function expectLost(writing: Promise<unknown>): Promise<void> {
  await expect(writing).rejects.toMatchObject({ name: 'AppError', code: 'precondition_failed' });
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
