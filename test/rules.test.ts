/** docs/rules names the test that holds each sentence of the specification; see docs/rules/README.md. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { IS_UPDATE } from './night/golden-files.ts';
import { goldenTable } from './support/documents/golden-table.ts';
import {
  countsTable,
  fileOfChapter,
  findUnheld,
  lineOf,
  RULES_FOLDER,
  ruleFilesOf,
  rulesOf,
  testTitlesIn,
} from './support/documents/rule-book.ts';
import { ROOT } from './support/documents/text-files.ts';

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const specification = textOf('docs/specification.md');
/** A file per chapter, in the order of the specification. */
const files = [...new Set(rulesOf(specification).map(({ chapter }) => fileOfChapter(chapter)))]
  .filter((path) => existsSync(join(ROOT, path)))
  .map((path) => ({ path, text: textOf(path) }));

const known = new Map<string, readonly string[] | undefined>();
function titlesOf(path: string): readonly string[] | undefined {
  if (!known.has(path)) known.set(path, existsSync(join(ROOT, path)) ? testTitlesIn(textOf(path)) : undefined);
  return known.get(path);
}

test('docs/rules has every sentence of the specification, in its order, and nothing else; make golden writes it so', () => {
  const expected = ruleFilesOf(specification, files);
  if (IS_UPDATE) for (const { path, text } of expected) writeFileSync(join(ROOT, path), text);
  else expect(files).toEqual(expected);
  const names = [...expected.map(({ path }) => basename(path)), 'README.md'];
  expect(readdirSync(join(ROOT, RULES_FOLDER)).toSorted()).toEqual(names.toSorted());
});

test('each sentence is held by tests that are there, or says why it is not', () => {
  const unheld = findUnheld(files, titlesOf);
  if (unheld.length > 0) expect.fail(`${unheld.length} to put right\n\n${unheld.join('\n\n')}\n`);
});

test('the rules of each kind are counted', () => {
  const table = countsTable(files);
  expect(goldenTable(`${RULES_FOLDER}README.md`, 'counts: made by test/rules.test.ts', table)).toEqual(table);
});

test('nothing stands twice in one section of the specification, so that a row is of one rule', () => {
  const names = rulesOf(specification).map(({ section, text }) => `${section}: ${text}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each([
  ['a file that is not there', '[b.test.ts](../../b.test.ts) › a key', 'there is no b.test.ts'],
  ['a title that is not there', '[a.test.ts](../../a.test.ts) › no key', 'a.test.ts has no test\nno key'],
  ['nothing at all', '', 'this names no test'],
  ['a rule whose test is still to be written', 'none', 'no test is named'],
])('what the tables say wrong is found: %s', (_, heldBy, message) => {
  const text = ['# Small', '| rule | held by |', '| --- | --- |', lineOf('A key is kept.', heldBy)].join('\n');
  const titlesOfA = (path: string) => (path === 'a.test.ts' ? ['keeps › a key'] : undefined);
  expect(findUnheld([{ path: `${RULES_FOLDER}small.md`, text }], titlesOfA).join('\n')).toContain(message);
});
