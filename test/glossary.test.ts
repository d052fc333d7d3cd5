/**
 * The glossary of docs/architecture.md gives each word one meaning. Its column `not` lists words that these replace; this test refuses
 * them in product code and in documents, also as a part of an identifier (`giveBack` in `giveBackUnit`, `give_back`) and with a
 * plural s.
 */
import { expect, test } from 'vitest';
import { sectionOf, tableRowsOf } from './support/documents/markdown.ts';
import { readTextFiles, type TextFile } from './support/documents/text-files.ts';
import { SHIPPED } from './support/may-import.ts';

const GLOSSARY = 'docs/architecture.md';

/** Names that others fixed, or that we published, and that hold a replaced word. */
const EXCEPTED: Readonly<Record<string, string>> = {
  'font-face': 'a rule of CSS',
};

const files = readTextFiles();
const glossary = sectionOf(files.find(({ path }) => path === GLOSSARY)?.text ?? '', 'Glossary') ?? '';
const entries = tableRowsOf(glossary).slice(1);
const replaced = entries.flatMap(([, , not = '']) => not.split(', ').filter((word) => word !== ''));

/** The words of a name, in lower case: `give back unit` of `giveBackUnit`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, ' ')
    .trim()
    .toLowerCase();
}

/** Each place that uses a replaced word, as `path:line word`. */
function findReplaced(some: readonly TextFile[], words: readonly string[] = replaced): readonly string[] {
  const pattern = new RegExp(`(?:^| )(${words.map(wordsOf).join('|')})s?(?: |$)`);
  const excepted = new RegExp(Object.keys(EXCEPTED).join('|'), 'g');
  return some.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) =>
      [...line.replaceAll(excepted, '').matchAll(/\w+/g)].flatMap(([name]) => {
        const [, word] = pattern.exec(wordsOf(name)) ?? [];
        return word === undefined ? [] : [`${path}:${index + 1} ${word}`];
      }),
    ),
  );
}

const isProductCode = ({ path }: TextFile) =>
  [...SHIPPED, 'scripts'].includes(path.replace(/\/.*/, '')) &&
  /\.(tsx?|css|m?js)$/.test(path) &&
  !/\.(test|contract)\.tsx?$/.test(path);

/** The documents; of the glossary's page without the table that lists the words. */
const documents = files
  .filter(({ path }) => path.endsWith('.md'))
  .map(({ path, text }) => ({ path, text: path === GLOSSARY ? text.replace(glossary, '') : text }));

test('each word of the glossary has one line, and no line replaces a word of another', () => {
  const words = entries.flatMap(([word = '']) => word.split(', '));
  expect(words.length).toBeGreaterThan(30);
  expect(replaced.length).toBeGreaterThan(10);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  expect(replaced.filter((word, index) => replaced.indexOf(word) !== index || words.includes(word))).toEqual([]);
});

test.each<[text: string, found: readonly string[]]>([
  ['const giveBackUnit = give_back;', ['a.ts:1 give back', 'a.ts:1 give back']],
  ['x\n// told, retold, Untold, isTold', ['a.ts:2 told', 'a.ts:2 told']],
  ['openFaces(); surface interface typeface @font-face', ['a.ts:1 face']],
  ['gives it back; visitor; HTTPVisit', ['a.ts:1 visit']],
])('in «%s» %j is found', (text, found) => {
  expect(findReplaced([{ path: 'a.ts', text }], ['giveBack', 'told', 'face', 'visit'])).toEqual(found);
});

test.each(documents.map((file) => [file.path, file] as const))('%s uses no word that is replaced', (_, file) => {
  expect(findReplaced([file])).toEqual([]);
});

test('product code uses no word that is replaced', () => {
  const code = files.filter(isProductCode);
  expect(code.length).toBeGreaterThan(100);
  expect(findReplaced(code)).toEqual([]);
});
