/** docs/rules names the test that holds each sentence of the specification; see docs/rules/README.md. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

/** The titles of a file's tests, parsed once. */
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

const SPECIFICATION = `# Spec

It says all.

## Store

A key is kept. It is \`a. B\`, see [Keys](#keys). Of 3.5 only
the whole part counts (e.g. 3). \`x\` too.

### Keys

- One; two.
  It goes on.
1. Third

| key | what |
| --- | --- |
| \`a\\|b\` | see [Store](#store) |
| | empty |

<!-- keys: made by keys.test.ts -->
| key |
| --- |
| made |

\`\`\`
run  --a
\`\`\`
`;

describe('the specification falls into', () => {
  test('sentences, items, rows and lines of code, by chapter and section; what a test makes it holds', () => {
    expect(rulesOf(SPECIFICATION).map(({ chapter, section, text }) => `${chapter}/${section}: ${text}`)).toEqual([
      'Spec/Spec: It says all.',
      'Store/Store: A key is kept.',
      'Store/Store: It is `a. B`, see Keys.',
      'Store/Store: Of 3.5 only the whole part counts (e.g. 3).',
      'Store/Store: `x` too.',
      'Store/Keys: One; two.',
      'Store/Keys: It goes on.',
      'Store/Keys: Third',
      'Store/Keys: `a|b` · see Store',
      'Store/Keys: empty',
      'Store/Keys: run --a',
    ]);
  });

  test('nothing that stands twice in one section, so that a row is of one rule', () => {
    const names = rulesOf(specification).map(({ section, text }) => `${section}: ${text}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

test('the titles of tests are found in the source, with their groups, and nothing that never runs', () => {
  const source = `
    test('one', () => {});
    it.each([['a']] as const)("%s isn't two", async (name: string): Promise<void> => {});
    describe.skipIf(true)('group', () => {
      describe.each(rows)('of $name', () => {
        test.for(['x'])(\`each of \${COUNT} nights\`, { timeout: 1 }, () => {});
      });
      test('inside', () => {});
    });
    describe.skip('idle', () => {});
    test.todo('later');
    test.skip('skipped', () => {});
    const text = "test('no test', () => {})"; // test('none either', () => {})
    test(title, () => {});`;
  const inGroup = `group › of $name › each of \${COUNT} nights`;
  expect(testTitlesIn(source)).toEqual(['one', "%s isn't two", inGroup, 'group › inside']);
});

describe('what the tables say wrong is found:', () => {
  const SMALL = `${RULES_FOLDER}small.md`;
  const NEEDS = 'A key is kept.';
  const HELD = '[a.test.ts](../../a.test.ts) › keeps › a key';
  const ROWS = [lineOf(NEEDS, HELD), lineOf('So it is.', 'explains')];
  const titlesOfA = (path: string) => (path === 'a.test.ts' ? ['keeps › a key', 'a key'] : undefined);

  /** A chapter's file with these rows. */
  const fileWith = (rows: readonly string[]) => ({
    path: SMALL,
    text: ['# Small', '| rule | held by |', '| --- | --- |', ...rows].join('\n'),
  });

  test.each([
    ['a sentence that is missing', ROWS.slice(0, 1), [ROWS[0], '| So it is. | none |']],
    ['a sentence that the specification has not', [...ROWS, lineOf('It is lost.')], ROWS],
    ['a sentence twice', [...ROWS, lineOf('So it is.', 'explains')], ROWS],
    ['rows in another order', ROWS.toReversed(), ROWS],
  ])('%s', (_, rows, right) => {
    const [file] = ruleFilesOf(`# Small\n\n${NEEDS} So it is.\n`, [fileWith(rows)]);
    expect(file?.path).toBe(SMALL);
    expect(file?.text.split('\n').filter((line) => /^\| (?!rule|-)/.test(line))).toEqual(right);
  });

  test.each([
    ['a file that is not there', '[b.test.ts](../../b.test.ts) › a key', 'there is no b.test.ts'],
    ['a title that is not there', '[a.test.ts](../../a.test.ts) › no key', 'a.test.ts has no test\nno key'],
    ['one of two tests', `${HELD}<br>[a.test.ts](../../a.test.ts) › no key`, 'a.test.ts has no test\nno key'],
    ['a link to another file', '[a.test.ts](../../b.test.ts) › a key', 'this names no test'],
    ['nothing at all', '', 'this names no test'],
    ['no reason why no test could', 'not by a test: ', 'this names no test'],
    ['a rule whose test is still to be written', 'none', 'no test is named'],
  ])('%s', (_, heldBy, message) => {
    const faults = findUnheld([fileWith([lineOf(NEEDS, heldBy)])], titlesOfA);
    expect(faults.join('\n')).toContain(message);
  });

  test.each([HELD, 'explains', 'not by a test: people do it'])('nothing in %s', (heldBy) => {
    expect(findUnheld([fileWith([lineOf(NEEDS, heldBy)])], titlesOfA)).toEqual([]);
  });

  test('how many are of each kind is counted', () => {
    expect(countsTable([fileWith(ROWS)]).slice(2)).toEqual([
      '| [Small](small.md) | 1 | 0 | 0 | 1 | 2 |',
      '| together | 1 | 0 | 0 | 1 | 2 |',
    ]);
  });
});
