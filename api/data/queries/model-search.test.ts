import { tmpdir } from 'node:os';
import { listValue } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database } from '../../../storage/duckdb/database.ts';
import { list, number, text } from '../../../storage/duckdb/row-shape.ts';
import { useViewFiles } from '../../../test/support/api/view-file.ts';
import { TEXTS_SEPARATOR } from '../../view/schema.ts';
import type { View } from '../../view/view.ts';
import { modelsNamedLike } from './model-search.ts';

/** More in `make test-long`. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 30);

const openView = useViewFiles();
let duckdb: Database;
beforeAll(async () => {
  duckdb = await Database.open(':memory:', { memoryLimit: '500MB', threads: 1, tempFolder: tmpdir() });
});
afterAll(() => duckdb.close());

/** A view of models that have these texts, in lower case as the writer stores them, and their place as number. */
async function viewOf(texts: readonly string[]): Promise<View> {
  const lowered = await duckdb.rows(
    { lower: text },
    'SELECT lower(t) AS lower FROM (SELECT unnest($1::VARCHAR[]) AS t)',
    [listValue([...texts])],
  );
  return openView((database) => {
    const insert = database.prepare(`INSERT INTO model_names VALUES (?, ?, '[]', 0, NULL, 0)`);
    for (const [at, { lower }] of lowered.entries()) insert.run(at, lower);
  });
}

/** For each part, the places of the texts that contain it, whatever the case, as DuckDB finds them. */
async function placesByDuckDB(texts: readonly string[], parts: readonly string[]) {
  const rows = await duckdb.rows(
    { places: list(number) },
    `SELECT list_filter(range(len($1::VARCHAR[])), lambda i: contains(lower(($1::VARCHAR[])[i + 1]), lower(p)))::DOUBLE[] AS places
     FROM (SELECT unnest($2::VARCHAR[]) AS p)`,
    [listValue([...texts]), listValue([...parts])],
  );
  return rows.map(({ places }) => places);
}

const CHARACTERS = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code > 0x20 && (code < 0xd800 || code > 0xdfff))
  .map((code) => String.fromCodePoint(code));

/** Every letter that has another case. */
const LETTERS = CHARACTERS.filter(
  (character) => character.toLowerCase() !== character || character.toUpperCase() !== character,
);

test('every letter of any script finds itself and its other case', async () => {
  const view = await viewOf(LETTERS);
  const isFoundBy = (at: number, part: string) => modelsNamedLike(view, part).includes(at);
  expect(LETTERS.filter((letter, at) => !isFoundBy(at, letter))).toEqual([]);
  expect(LETTERS.filter((letter, at) => !isFoundBy(at, simpleLower(letter)))).toEqual([]);
  const upper = LETTERS.filter((letter) => simpleLower(letter.toUpperCase()) === letter);
  expect(upper.length).toBeGreaterThan(1000);
  expect(upper.filter((letter) => !isFoundBy(LETTERS.indexOf(letter), letter.toUpperCase()))).toEqual([]);
});

/** One character for one, as texts are compared: İ is i, and no Σ is a final one. */
function simpleLower(name: string): string {
  return Array.from(name, (character) => [...character.toLowerCase()][0] ?? character).join('');
}

test.each([
  ['İstanbul', ['istanbul', 'İSTANBUL', 'ISTANBUL', 'İ', 'i'], ['ıstanbul', 'i̇stanbul']],
  ['STRASSE', ['strasse', 'ss'], ['straße', 'ß', 'ẞ']],
  ['Straße', ['straße', 'STRAẞE', 'ß', 'ẞ'], ['strasse', 'SS']],
  ['ΟΔΟΣ', ['οδοσ', 'Σ', 'σ'], ['οδος', 'ς']],
  ['οδος', ['ΟΔΟς', 'ς'], ['ΟΔΟΣ', 'σ']],
  ['ǅ', ['ǆ', 'Ǆ', 'ǅ'], ['dž']],
  ['K', ['k', 'K', 'K'], []],
  ['50%_a', ['%', '_', '50%_A'], ['5_%', '%a']],
])('%s is found by %j, not by %j', async (name, found, others) => {
  const view = await viewOf([name]);
  expect(found.filter((part) => modelsNamedLike(view, part).length === 0)).toEqual([]);
  expect(others.filter((part) => modelsNamedLike(view, part).length > 0)).toEqual([]);
});

test('a part finds the models that DuckDB finds', async () => {
  const unit = fc.constantFrom(...'aAbiIİıßẞΣσςéÉ%_\\" k', '\u212a', '\u{1f600}', '\u{10400}', '\u{10428}');
  const texts = fc.array(fc.string({ unit, maxLength: 8 }), { minLength: 1, maxLength: 10 });
  const parts = fc.array(fc.string({ unit, minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(texts, parts, async (names, searched) => {
      const view = await viewOf(names);
      expect(searched.map((part) => modelsNamedLike(view, part))).toEqual(await placesByDuckDB(names, searched));
      await view.retire();
    }),
    { numRuns: RUNS },
  );
});

test('no part goes over the end of a text', async () => {
  const view = await viewOf([['ab', 'cd'].join(TEXTS_SEPARATOR)]);
  expect(
    ['ab', 'cd', 'bc', `b${TEXTS_SEPARATOR}c`, TEXTS_SEPARATOR].map((part) => modelsNamedLike(view, part)),
  ).toEqual([[0], [0], [], [], []]);
});
