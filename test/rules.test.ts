/** docs/rules names the test that holds each sentence of the specification; see docs/rules/README.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findRuleFaults, type RuleBook } from './support/documents/rule-faults.ts';
import { holdingOf, lineOf, RULES_FOLDER, ruleRowsOf } from './support/documents/rule-tables.ts';
import { rulesOf } from './support/documents/rules.ts';
import { testTitlesIn } from './support/documents/test-titles.ts';
import { ROOT } from './support/documents/text-files.ts';

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const specification = textOf('docs/specification.md');
const files = readdirSync(join(ROOT, RULES_FOLDER)).map((name) => {
  const path = `${RULES_FOLDER}${name}`;
  return { path, text: textOf(path) };
});

/** The titles of a file's tests, parsed once. */
const known = new Map<string, readonly string[] | undefined>();
function titlesOf(path: string): readonly string[] | undefined {
  if (!known.has(path)) known.set(path, existsSync(join(ROOT, path)) ? testTitlesIn(textOf(path)) : undefined);
  return known.get(path);
}

test('docs/rules has every sentence of the specification, with tests that are there, and counts them', () => {
  const faults = findRuleFaults({ specification, files, titlesOf });
  if (faults.length > 0) expect.fail(`${faults.length} to put right\n\n${faults.join('\n\n')}\n`);
});

test('no rule is without a test, or without a reason for it', () => {
  const unheld = ruleRowsOf(files).filter((row) => holdingOf(row).kind === 'none');
  expect(unheld.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
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
  const COUNTS = ['| [Small](small.md) | 1 | 0 | 0 | 1 | 2 |', '| together | 1 | 0 | 0 | 1 | 2 |'];
  const ROWS = [lineOf({ text: NEEDS }, HELD), lineOf({ text: 'So it is.' }, 'explains')];

  /** The faults of a small book, whose rows or counts are others. */
  function faultsOf({ rows = ROWS, counts = COUNTS }: { rows?: readonly string[]; counts?: readonly string[] }) {
    const book: RuleBook = {
      specification: `# Small\n\n${NEEDS} So it is.\n`,
      files: [
        { path: 'docs/rules/README.md', text: ['| held by | means |', '| none | nothing |', ...counts].join('\n') },
        { path: SMALL, text: ['# Small', '| rule | held by |', '| --- | --- |', ...rows].join('\n') },
      ],
      titlesOf: (path) => (path === 'a.test.ts' ? ['keeps › a key', 'a key'] : undefined),
    };
    return findRuleFaults(book);
  }

  test('a sentence that is missing, with the line to add', () => {
    const [fault, ...others] = faultsOf({ rows: ROWS.slice(0, 1), counts: [] });
    expect(fault).toBe(`${SMALL}: under "Small" add the line\n| So it is. | none |`);
    expect(others).toEqual([
      'docs/rules/README.md: the line of the counts is\n| [Small](small.md) | 1 | 0 | 0 | 0 | 1 |',
      'docs/rules/README.md: the line of the counts is\n| together | 1 | 0 | 0 | 0 | 1 |',
    ]);
  });

  test.each([
    ['a sentence that the specification has not', lineOf({ text: 'It is lost.' }), 'is not in the specification'],
    ['a sentence twice', lineOf({ text: 'So it is.' }, 'explains'), 'stands twice'],
  ])('%s', (_, row, why) => {
    const [fault] = faultsOf({ rows: [...ROWS, row] });
    expect(fault).toBe(`${SMALL}: under "Small" take out the line, which ${why}\n${row}`);
  });

  test('rows in another order', () => {
    expect(faultsOf({ rows: ROWS.toReversed() })).toEqual([
      `${SMALL}: in the order of the specification the next line is\n| ${NEEDS} | … |`,
    ]);
  });

  test.each([
    ['a file that is not there', '[b.test.ts](../../b.test.ts) › a key', 'there is no b.test.ts'],
    ['a title that is not there', '[a.test.ts](../../a.test.ts) › no key', 'a.test.ts has no test\nno key'],
    ['one of two tests', `${HELD}<br>[a.test.ts](../../a.test.ts) › no key`, 'a.test.ts has no test\nno key'],
    ['a link to another file', '[a.test.ts](../../b.test.ts) › a key', 'this names no test'],
    ['nothing at all', '', 'this names no test'],
    ['no reason why no test could', 'not by a test: ', 'this names no test'],
  ])('%s', (_, heldBy, message) => {
    const faults = faultsOf({ rows: [lineOf({ text: NEEDS }, heldBy), ROWS[1] ?? ''] });
    expect(faults.join('\n')).toContain(message);
  });

  test.each(['none', 'explains', 'not by a test: people do it'])('%s in place of a test, by the counts', (heldBy) => {
    const faults = faultsOf({ rows: [lineOf({ text: NEEDS }, heldBy), ROWS[1] ?? ''] });
    expect(faults).toHaveLength(2);
    expect(faults.join('\n')).toContain('docs/rules/README.md: the line of the counts is\n| together | 0 ');
  });
});
