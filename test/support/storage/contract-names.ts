import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IF_ABSENT, keysOf, listAll, repeat, type Subject, text } from './contract-support.ts';

/** Which names objects may have, and how they come, go and are listed. */
export function describeNames({ store, anotherHandle }: Subject): void {
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

    test('goes on past a thousand objects', async () => {
      const keys = Array.from({ length: 1100 }, (_, index) => `pages/${String(index).padStart(4, '0')}`);
      for (let from = 0; from < keys.length; from += 100) {
        await Promise.all(keys.slice(from, from + 100).map((key) => store().put(key, new Uint8Array())));
      }
      expect(await keysOf(store(), 'pages/')).toEqual(keys);
    }, 60_000);

    test('that starts after a text leaves out that key and all before it, in folders too', async () => {
      const keys = ['a', 'ab', 'b.1/x', 'b.1/y', 'b.10/x', 'b.2/x/z', 'b/x', 'c'].map((key) => `after/${key}`);
      for (const key of keys) await store().put(key, text(key));
      const after = async (startAfter: string) =>
        (await listAll(store(), 'after/', { startAfter: `after/${startAfter}` })).map(({ key }) => key);
      for (const from of ['', 'a', 'aa', 'abc', 'b', 'b.1', 'b.1/', 'b.1/x', 'b.2', 'b.2/x/z', 'bz', 'c', 'd']) {
        expect(await after(from), from).toEqual(keys.filter((key) => key > `after/${from}`).sort());
      }
      expect(await listAll(store(), 'after/', { startAfter: 'zzz' })).toEqual([]);
      expect(await listAll(store(), 'after/', { startAfter: 'aaa' })).toHaveLength(keys.length);
    });

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
            await anotherHandle().delete(`delete/busy/folder/${index}`);
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
}
