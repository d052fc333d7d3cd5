import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  findMissingInIndex,
  findOutsideCitations,
  findUnknownDecisions,
  findUnknownTitles,
} from './support/documents/citations.ts';
import {
  findBrokenLinks,
  findMapFaults,
  findUnknownDocuments,
  findUnknownPaths,
  findUnknownSources,
  findUnknownTargets,
  findUnlinked,
  type Repository,
  repositoryOf,
} from './support/documents/links.ts';
import { headingsOf } from './support/documents/markdown.ts';
import { listFolders, ROOT, readTextFiles, type TextFile } from './support/documents/text-files.ts';

/** This file and its helpers hold examples of citations that lead nowhere. */
const EXAMPLES = /^test\/(documents\.test\.ts|support\/documents\/)/;
const files = readTextFiles().filter(({ path }) => !EXAMPLES.test(path));
const repository = repositoryOf(files);
const [specification, readme, makefile] = [textOf('docs/specification.md'), textOf('README.md'), textOf('Makefile')];

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** One file with this text. */
function fileWith(text: string, path = 'docs/a.md'): readonly TextFile[] {
  return [{ path, text }];
}

test('all texts of the repository are looked at', () => {
  const paths = files.map(({ path }) => path);
  const some = ['Makefile', '.ci/run', 'README.md', 'package.json', 'schemas/datasets.ts', 'scripts/minio.sh'];
  expect(paths).toEqual(expect.arrayContaining([...some, 'deploy/compose.yaml', 'fixtures/README.md']));
  expect(paths.filter((path) => /^(node_modules|dist|data)\/|package-lock/.test(path))).toEqual([]);
});

test('what a person keeps in a folder of the clone is none of the repository', () => {
  const mine = mkdtempSync(join(ROOT, 'mine-'));
  try {
    writeFileSync(join(mine, '.gitignore'), '*\n'); // As init writes it.
    writeFileSync(join(mine, 'README.md'), '[nowhere](../nowhere.md)');
    expect(readTextFiles().filter(({ path }) => path.startsWith('mine'))).toEqual([]);
    expect(listFolders().filter((name) => name.startsWith('mine'))).toEqual([]);
  } finally {
    rmSync(mine, { recursive: true });
  }
});

describe('every citation leads somewhere', () => {
  test('titles of the specification', () => {
    expect(findUnknownTitles(files, specification)).toEqual([]);
  });

  test.each([
    ['// See specification "Quota".', ['Quota']],
    ['/** Specification "Lists" and "Quota": */', ['Quota']],
    ['// specification "Quota", "Limits" and "Lists"; decision 0001', ['Quota', 'Limits']],
    ['/**\n * What is (specification\n * "Quota"\n * and "Lists") so\n */', ['Quota']],
    ['/** specification "Two\n * words" */', ['Two words']],
    ['// specification "Lists"', []],
  ])('«%s» cites what is not there: %j', (text, unknown) => {
    const found = findUnknownTitles(fileWith(text, 'a.ts'), '# Specification\n### Lists\n```\n# Quota\n```\n');
    expect(found.map((line) => /"(.*)"/.exec(line)?.[1])).toEqual(unknown);
  });

  test('decisions', () => {
    expect(findUnknownDecisions(files, readdirSync(join(ROOT, 'docs/decisions')))).toEqual([]);
  });

  test.each([
    ['// decision 0099', ['0099']],
    ['// decisions 0001 and 0099', ['0099']],
    ['/* decision\n * 0098, 0099 */', ['0098', '0099']],
    ['// specification "Lists"; decision 0001', []],
  ])('«%s» cites decisions that are not there: %j', (text, unknown) => {
    const found = findUnknownDecisions(fileWith(text, 'a.ts'), ['0001-numbers.md', 'README.md']);
    expect(found.map((line) => line.slice(-4))).toEqual(unknown);
  });

  test('every decision stands in the index, by its title', () => {
    expect(findMissingInIndex(textOf('docs/decisions/README.md'), files)).toEqual([]);
  });

  test('no document that the repository does not hold', () => {
    expect(findOutsideCitations(files)).toEqual([]);
  });

  test.each(['SPEC "Errors"', 'see DESIGN §5', '(DECISIONS)'])('«%s» is a citation of one', (text) => {
    expect(findOutsideCitations(fileWith(`\n${text}`))).toHaveLength(1);
    expect(findOutsideCitations(fileWith(text.toLowerCase()))).toEqual([]);
  });
});

describe('links, paths and targets', () => {
  const SMALL: Repository = {
    exists: (path) => ['docs', 'docs/a.md', 'docs/b.md', 'api', 'api/data/app.ts'].includes(path.replace(/\/$/, '')),
    markdownOf: (path) => (path === 'docs/b.md' ? '# One two\n## It’s `three`\n## One two\n' : undefined),
    folders: ['docs', 'api'],
  };

  test('links in Markdown lead to files and titles that are there', () => {
    expect(findBrokenLinks(files, repository)).toEqual([]);
  });

  test.each([
    ['[x](c.md)', 1],
    ['[x](../api/none.ts)', 1],
    ['[x](b.md#four)', 1],
    ['[x](#four)', 1],
    ['[x](../../outside.md)', 1],
    ['[x](b.md) [x](b.md#one-two-1) [x](b.md#its-three) [x](../api/data/app.ts) [x](https://example.com/none)', 0],
    ['`[x](c.md)`\n```\n[x](c.md)\n```', 0],
  ])('«%s» has %d broken links', (text, count) => {
    expect(findBrokenLinks(fileWith(text), SMALL)).toHaveLength(count);
  });

  test('paths in backticks are there', () => {
    expect(findUnknownPaths(files, repository)).toEqual([]);
  });

  test('a path that is not there is found, what is no path is not', () => {
    const found = findUnknownPaths(
      fileWith('`api/none.ts` `api/data/app.ts` `api/` `other/x.ts` `api/<name>.ts`'),
      SMALL,
    );
    expect(found).toEqual(['docs/a.md names api/none.ts']);
  });

  test('source files that comments name are there', () => {
    expect(findUnknownSources(files)).toEqual([]);
    const some = [
      ...fileWith('// see b.ts and none.ts\n * `x/gone.tsx`\nimport "./no.ts";', 'a.ts'),
      ...fileWith('', 'x/b.ts'),
    ];
    expect(findUnknownSources(some)).toEqual(['a.ts names none.ts', 'a.ts names x/gone.tsx']);
  });

  test('documents that are named by their path are there', () => {
    expect(findUnknownDocuments(files, repository)).toEqual([]);
  });

  test('a document that is not there is found', () => {
    const found = findUnknownDocuments(fileWith('// see docs/b.md, docs/none.md', 'a.ts'), SMALL);
    expect(found).toEqual(['a.ts names docs/none.md']);
  });

  test('every target of make that a text names is there', () => {
    expect(findUnknownTargets(files, makefile)).toEqual([]);
  });

  test('a target that is not there is found', () => {
    const text = '`make test` `make tset`\n```\nmake demo    # x\nmake dmeo\n```\nThis can make things.';
    const found = findUnknownTargets(fileWith(text), 'test: build\ndemo:\n');
    expect(found).toEqual(['docs/a.md names make tset', 'docs/a.md names make dmeo']);
  });

  test('the README links every document', () => {
    expect(findUnlinked(readme, files)).toEqual([]);
  });

  test("the README's map shows every folder, and no other", () => {
    expect(findMapFaults(readme, repository, [])).toEqual([]);
  });
});

describe('what the README has people paste, in its order', () => {
  const lines = fencedLinesOf(readme);

  test('changes no setting of the lines that follow, outside of ( and )', () => {
    expect(settingsOutsideOf(lines)).toEqual([]);
  });

  test.each([
    [['export MODELSTATS_STORE=x'], 1],
    [['set -a; . ./mine/.env; set +a'], 1],
    [['(', 'export MODELSTATS_STORE=x', ')'], 0],
    [['export MODELSTATS_API_URL=x MODELSTATS_API_KEY=y'], 0],
  ])('%j changes %d', (some, count) => {
    expect(settingsOutsideOf(some)).toHaveLength(count);
  });

  test('names days that the demo publishes, and files that are there', () => {
    const words = lines
      .map((line) => line.replace(/ #.*/, ''))
      .join(' ')
      .split(/\s+/);
    const days = words.filter((word) => /^\d{4}-\d{2}-\d{2}$/.test(word));
    expect(days.length).toBeGreaterThan(0);
    expect(days.filter((day) => !existsSync(join(ROOT, 'fixtures/days', day)))).toEqual([]);
    const paths = words.filter((word) => word.startsWith('fixtures/'));
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  /** The lines of its code blocks that are commands. */
  function fencedLinesOf(text: string): readonly string[] {
    return [...text.matchAll(/^```\n(.*?)^```$/gms)]
      .flatMap(([, block = '']) => block.split('\n'))
      .filter((line) => /^(modelstats|make|export|set|curl|sudo|redis-server|[A-Z]+=|[()]$)/.test(line));
  }

  /** Settings that a shell keeps, but for those of a consumer. */
  function settingsOutsideOf(some: readonly string[]): readonly string[] {
    let depth = 0;
    return some.filter((line) => {
      if (line === '(') depth += 1;
      if (line === ')') depth -= 1;
      const isSetting = /\bMODELSTATS_(?!API_)\w+=|\bset -a\b/.test(line);
      return depth === 0 && isSetting;
    });
  }
});

describe('titles', () => {
  test("the specification's are unique", () => {
    const titles = headingsOf(specification);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });
});
