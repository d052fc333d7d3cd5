import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCatalog } from '../../../storage/catalog.ts';
import { dumpView } from '../../../test/support/api/dump-view.ts';
import { openTemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { useFolder } from '../../../test/support/temporary-folder.ts';
import { fileSum } from '../file-sum.ts';
import { buildView, type ViewFile } from '../follow/build-view.ts';
import { NumbersUsedUp, numbersFor } from './ids.ts';
import { writeView } from './write-view.ts';

type NumberedId = Parameters<typeof numbersFor>[1][number];

const anew = (...ids: readonly string[]) => ids.map((id): NumberedId => ({ id, number: undefined }));
/** Ids with what numbers they have after another one is numbered. */
const numbered = (ids: readonly string[]): readonly NumberedId[] => {
  const numbers = numbersFor('model', anew(...ids));
  return ids.map((id) => ({ id, number: numbers.get(id) }));
};

describe('the numbers of ids', () => {
  test('are in the order of the ids, above 0, with room between them', () => {
    const numbers = numbered(['a', 'b', 'c']).map(({ number }) => number ?? 0);
    const gaps = numbers.map((number, at) => number - (numbers[at - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(65_536);
  });

  test('stay what they are, and new ones are spread over the room between their neighbours', () => {
    const numbers = numbersFor('model', [
      ...anew('a', 'b'),
      { id: 'c', number: 300 },
      ...anew('d'),
      { id: 'e', number: 302 },
      ...anew('f'),
    ]);
    expect([...numbers].slice(0, 5)).toEqual([
      ['a', 100],
      ['b', 200],
      ['c', 300],
      ['d', 301],
      ['e', 302],
    ]);
    expect(numbers.get('f')).toBe(302 + 65_536);
  });

  test('of nothing are none', () => {
    expect(numbersFor('model', [])).toEqual(new Map());
  });

  test.each([
    [[{ id: 'a', number: 7 }, ...anew('b'), { id: 'c', number: 8 }]],
    [[...anew('a'), { id: 'b', number: 1 }]],
    [[{ id: 'a', number: 7 }, ...anew('b', 'c', 'd'), { id: 'e', number: 10 }]],
  ])('are used up where more ids come between two than there is room for: %j', (ids) => {
    expect(() => numbersFor('model', ids)).toThrow(NumbersUsedUp);
    expect(() => numbersFor('model', ids)).toThrow(expect.objectContaining({ code: 'corrupt' }));
  });

  test('between two that were numbered together hold an id a night at the same place, for sixteen nights', () => {
    let ids = numbered(['a', 'b']);
    const nights = () => {
      for (let night = 1; ; night += 1) {
        const [first, ...rest] = ids;
        const next = [...(first === undefined ? [] : [first]), ...anew(`a${100 - night}`), ...rest];
        const numbers = numbersFor('model', next);
        ids = next.map(({ id }) => ({ id, number: numbers.get(id) }));
        if (night > 100) return;
      }
    };
    expect(nights).toThrow(NumbersUsedUp);
    expect(ids).toHaveLength(2 + 16);
  });

  test('of any ids that come in any nights are whole, in order and never change, until they are used up', () => {
    const id = fc.oneof(
      fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
      fc.constantFrom('a', 'aa', 'ab', 'b', 'é', 'z', '\u{1F600}'),
    );
    const nights = fc.array(fc.uniqueArray(id, { maxLength: 6 }), { maxLength: 30 });
    fc.assert(
      fc.property(nights, (added) => {
        let known: ReadonlyMap<string, number> = new Map();
        for (const ids of added) {
          const all = [...new Set([...known.keys(), ...ids])].sort((a, b) => Buffer.from(a).compare(Buffer.from(b)));
          let numbers: ReadonlyMap<string, number>;
          try {
            numbers = numbersFor(
              'model',
              all.map((each) => ({ id: each, number: known.get(each) })),
            );
          } catch (error) {
            expect(error).toBeInstanceOf(NumbersUsedUp);
            return;
          }
          expect([...numbers.keys()].sort()).toEqual([...all].sort());
          const inOrder = all.map((each) => numbers.get(each) ?? 0);
          expect(inOrder.every((number, at) => Number.isSafeInteger(number) && number > (inOrder[at - 1] ?? 0))).toBe(
            true,
          );
          for (const [each, number] of known) expect(numbers.get(each)).toBe(number);
          known = numbers;
        }
      }),
    );
  });
});

const place = useFolder();

test('a view whose numbers are used up is built anew, with room again', async () => {
  const store = await openTemporaryStore();
  try {
    const publish = (day: string, ids: readonly string[]) =>
      store.publish(day, { models: ids.map((id) => ({ id, name: id })) });
    const build = async (name: string, previous?: ViewFile) => {
      const { catalog = expect.fail() } = await loadCatalog(store.deps.store);
      const paths = { path: place(`${name}.sqlite`), scratch: join(place(name), 'parts') };
      const duckdb = { memoryLimit: '300MB', threads: 1 };
      return buildView(
        { catalog, previous, ...paths },
        { store: store.deps.store, downloadsMax: 4, duckdb, write: writeView },
      );
    };
    await publish('2026-06-01', ['a', 'c']);
    const first = await build('first');
    // As after many nights that put ids between these two.
    const database = new SqliteDatabase(first.path);
    const [number] = database.prepare(`SELECT number FROM ids WHERE id = 'a'`).pluck().all();
    for (const table of [
      'ids SET number',
      'models SET model',
      'model_names SET model',
      'name_forms SET model',
      'intervals SET model',
    ]) {
      const column = table.replace(/.* /, '');
      database.prepare(`UPDATE ${table} = ? WHERE ${column} > ?`).run([Number(number) + 1, number]);
    }
    database.close();
    const full = { ...first, sum: await fileSum(first.path) };
    expect(dumpView(full.path)['ids']).toHaveLength(2);
    await publish('2026-06-02', ['a', 'c', 'd']);
    const beside = await build('beside', full);
    expect(beside.isExtended, 'no id between the two').toBe(true);
    await publish('2026-06-03', ['a', 'b', 'c', 'd']);
    const rebuilt = await build('rebuilt', beside);
    expect(rebuilt.isExtended).toBe(false);
    await publish('2026-06-04', ['a', 'b', 'bb', 'c', 'd']);
    const followed = await build('followed', rebuilt);
    expect(followed.isExtended).toBe(true);
    expect(dumpView(followed.path)).toEqual(dumpView((await build('anew')).path));
  } finally {
    await store.dispose();
  }
});
