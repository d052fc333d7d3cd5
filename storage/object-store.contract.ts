import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeConditions } from '../test/support/storage/contract-conditions.ts';
import { describeNames } from '../test/support/storage/contract-names.ts';
import { hashOf, largeFile, read, type Subject, text } from '../test/support/storage/contract-support.ts';
import { useFolder } from '../test/support/temporary-folder.ts';
import type { ObjectStore } from './object-store.ts';

/** An empty store, as one process sees it. */
export interface OpenedStore {
  readonly store: ObjectStore;
  /** The same store through an object of its own, as another process would have it. */
  anotherHandle(): ObjectStore;
  close(): Promise<void>;
}

/** The tests that every adapter passes, or a part of them. Each test uses keys of its own in one store. */
export function describeObjectStore(
  name: string,
  open: () => Promise<OpenedStore>,
  parts: readonly ((subject: Subject) => void)[] = [describeReadingAndWriting, describeConditions, describeNames],
): void {
  describe(`${name} as an object store`, () => {
    const folder = useFolder();
    let opened: OpenedStore;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    const subject = {
      store: () => opened.store,
      anotherHandle: () => opened.anotherHandle(),
      folder,
    };
    for (const describePart of parts) describePart(subject);
  });
}

function describeReadingAndWriting({ store, folder }: Subject): void {
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
      for (let round = 10; round < 30; round += 1) etags.add((await store().put('write/again', text(`${round}`))).etag);
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
      const { path, ...written } = await largeFile(folder());
      const { etag } = await store().putFile('write/large', path);
      expect(await store().head('write/large')).toMatchObject({ bytes: written.bytes, etag });
      await writeFile(path, 'the file is the caller’s, the object does not follow it');
      expect(await hashOf(store(), 'write/large')).toEqual(written);
    });

    test('putFile stores an empty file', async () => {
      const path = join(folder(), 'empty');
      await writeFile(path, '');
      await store().putFile('write/empty-file', path);
      expect(await store().head('write/empty-file')).toMatchObject({ bytes: 0 });
    });

    test('putFile of a file that is not there writes nothing', async () => {
      await expect(store().putFile('write/nothing', join(folder(), 'none'))).rejects.toThrow('ENOENT');
      expect(await store().head('write/nothing')).toBeUndefined();
    });

    test('100 objects written at once all arrive', async () => {
      const keys = Array.from({ length: 100 }, (_, index) => `write/many/${index % 7}/${index}`);
      await Promise.all(keys.map((key) => store().put(key, text(key))));
      const bodies = await Promise.all(keys.map((key) => store().get(key)));
      expect(bodies.map((object) => object?.body.toString())).toEqual(keys);
    });
  });
}
