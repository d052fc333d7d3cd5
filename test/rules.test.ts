/** docs/rules.txt names the test that holds each sentence of the specification; its head says how to use it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IS_UPDATE } from './night/golden-files.ts';
import { findUnheld, hashOf, type Rule, rulesFileOf, rulesOf, testTitlesIn } from './support/documents/rule-book.ts';
import { ROOT } from './support/documents/text-files.ts';

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const rules = rulesOf(textOf('docs/specification.md'));
const file = textOf('docs/rules.txt');

const known = new Map<string, readonly string[] | undefined>();
function titlesOf(path: string): readonly string[] | undefined {
  if (!known.has(path)) known.set(path, existsSync(join(ROOT, path)) ? testTitlesIn(textOf(path)) : undefined);
  return known.get(path);
}

test('each sentence is held by tests that exist, or says why it is not', () => {
  const unheld = findUnheld(rules, file, titlesOf);
  if (unheld.length > 0) expect.fail(`${unheld.length} to put right\n\n${unheld.join('\n\n')}\n`);
});

test('docs/rules.txt has a row for each sentence of the specification, in its order, and no other; make golden writes it so', () => {
  const expected = rulesFileOf(rules, file);
  if (IS_UPDATE) writeFileSync(join(ROOT, 'docs/rules.txt'), expected);
  else expect(file).toBe(expected);
});

test('each sentence has a hash of its own, so that a row is of one rule', () => {
  const byHash = Map.groupBy(rules, hashOf);
  expect([...byHash.values()].filter((alike) => alike.length > 1)).toEqual([]);
});

const RULE: Rule = { section: 'Keys', text: 'A key is kept.' };

test.each([
  ['a file that does not exist', `${hashOf(RULE)} b.test.ts › a key`, 'there is no b.test.ts'],
  ['a title that does not exist', `${hashOf(RULE)} a.test.ts › no key`, 'a.test.ts has no test no key'],
  ['a second test that does not exist', `${hashOf(RULE)} a.test.ts › keeps › a key | a.test.ts › no`, 'no test no'],
  ['words that name no test', `${hashOf(RULE)} somewhere`, 'this is no test: somewhere'],
  ['a rule whose test is still to be written', `${hashOf(RULE)} none`, 'no test is named'],
  ['a rule without a row', '', 'no test is named'],
])('what the table says wrong is found, with the sentence: %s', (_, row, message) => {
  const titlesOfA = (path: string) => (path === 'a.test.ts' ? ['keeps › a key'] : undefined);
  const [problem, ...others] = findUnheld([RULE], `# Head\n\n## Keys\n${row}\n`, titlesOfA);
  expect(problem).toContain(message);
  expect(problem).toContain(RULE.text);
  expect(others).toEqual([]);
});

test('a row of no sentence is taken out, and a sentence without a row gets one in its place', () => {
  const other = { section: 'Keys', text: 'It expires.' };
  const written = rulesFileOf([RULE, other], `# Head\n\n## Old\n00000000 explains\n${hashOf(other)} explains\n`);
  expect(written).toBe(`# Head\n\n## Keys\n${hashOf(RULE)} none\n${hashOf(other)} explains\n`);
});
