import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isDay } from '../runtime/day.ts';
import { findUnknown, NAMED, type Named, repositoryOf } from './support/documents/citations.ts';
import { headingsOf } from './support/documents/markdown.ts';
import { ROOT, readTextFiles } from './support/documents/text-files.ts';

/** This file and its helpers hold examples of citations that lead nowhere. */
const EXAMPLES = /^test\/(documents\.test\.ts|support\/documents\/)/;
const files = readTextFiles().filter(({ path }) => !EXAMPLES.test(path));
const repository = repositoryOf(files, (path) => existsSync(join(ROOT, path)));
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('all texts of the repository are read', () => {
  const paths = files.map(({ path }) => path);
  const some = ['Makefile', '.ci/run', 'README.md', 'package.json', 'schemas/datasets.ts', 'scripts/minio.sh'];
  expect(paths).toEqual(expect.arrayContaining([...some, 'deploy/compose.yaml', 'fixtures/README.md']));
  expect(paths.filter((path) => /^(node_modules|dist|data)\/|package-lock/.test(path))).toEqual([]);
});

describe('every citation leads somewhere', () => {
  test.each(NAMED)('to %s', (kind) => {
    expect(findUnknown(kind, files, repository)).toEqual([]);
  });

  const SMALL = repositoryOf(
    [
      { path: 'docs/specification.md', text: '# Specification\n### Lists\n```\n# Quota\n```\n' },
      { path: 'docs/b.md', text: '# One two\n## It’s `three`\n## One two\n' },
      { path: 'docs/decisions/0001-numbers.md', text: '' },
      { path: 'api/data/app.ts', text: '' },
      { path: 'Makefile', text: 'test: build\ndemo:\n' },
    ],
    (path) => ['docs/b.md', 'api', 'api/data/app.ts'].includes(path.replace(/\/$/, '')),
  );
  const TITLE = 'a title of the specification';
  const OUTSIDE = 'a document that the repository does not hold';
  const LINK = 'a link in Markdown';

  test.each<[kind: Named, path: string, text: string, unknown: readonly string[]]>([
    [TITLE, 'a.ts', '// specification "Quota", "Limits" and "Lists"; decision 0001', ['Quota', 'Limits']],
    [TITLE, 'a.ts', '/**\n * What is (specification\n * "Quota"\n * and "Lists") so\n */', ['Quota']],
    ['a decision', 'a.ts', '// specification "Lists"; decisions 0001 and 0099', ['0099']],
    [OUTSIDE, 'a.ts', '\nSPEC "Errors"; see DESIGN §5 (DECISIONS)', ['SPEC', 'DESIGN', 'DECISIONS']],
    [LINK, 'docs/a.md', '[x](c.md) [x](../api/none.ts)', ['c.md', '../api/none.ts']],
    [LINK, 'docs/a.md', '[x](b.md#four) [x](#four) [x](../../outside.md)', ['b.md#four', '#four', '../../outside.md']],
    [LINK, 'docs/a.md', '[x](b.md) [x](b.md#one-two-1) [x](b.md#its-three) [x](../api/data/app.ts)', []],
    ['a path in backticks', 'docs/a.md', '`api/none.ts` `api/data/app.ts` `api/` `api/<name>.ts`', ['api/none.ts']],
    ['a source file in a comment', 'a.ts', '// see app.ts and none.ts\n * `x/gone.tsx`', ['none.ts', 'x/gone.tsx']],
    ['a document by its path', 'a.ts', '// see docs/b.md, docs/none.md', ['docs/none.md']],
    ['a target of make', 'docs/a.md', '`make test` can make things\n```\nmake demo    # x\nmake dmeo\n```', ['dmeo']],
  ])('%s: in %s «%s» names what is not there: %j', (kind, path, text, unknown) => {
    expect(findUnknown(kind, [{ path, text }], SMALL)).toEqual(unknown.map((name) => `${path} names ${name}`));
  });
});

test('every decision stands in the index, by its title', () => {
  const index = repository.textOf('docs/decisions/README.md');
  const missing = files.filter(({ path, text }) => {
    const [, name, number] = /^docs\/decisions\/((\d{4})-[\w-]+\.md)$/.exec(path) ?? [];
    return name !== undefined && !index.includes(`\n- [${number}](${name}) ${headingsOf(text)[0]}\n`);
  });
  expect(missing.map(({ path }) => path)).toEqual([]);
});

test('the README links every document of docs/', () => {
  const documents = files.map(({ path }) => path).filter((path) => /^docs\/[\w-]+\.md$/.test(path));
  expect(documents.filter((path) => !readme.includes(`](${path})`))).toEqual([]);
});

test("the README's map shows every folder, and no other", () => {
  const mapped = [...readme.matchAll(/^([a-z]+)\/ {2,}/gm)].map(([, name = '']) => name);
  expect(mapped.toSorted()).toEqual([...repository.folders].sort());
});

test("the specification's titles are unique", () => {
  const titles = headingsOf(repository.textOf('docs/specification.md'));
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

describe('what the README has people paste, in its order', () => {
  const lines = fencedLinesOf(readme);

  test('changes no setting of the lines that follow, outside of ( and )', () => {
    expect(settingsOutsideOf(lines)).toEqual([]);
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

  /** The lines of a text's code blocks that are commands. */
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

/** As those who upgrade read it: which version this is, and what each version changed. */
describe('the changelog', () => {
  const text = repository.textOf('api/guide/pages/changelog.md');
  const titles = [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title);
  const versions = titles.slice(1).map((title) => /^(\d+)\.(\d+)\.(\d+) - (\S+)$/.exec(title) ?? [title]);

  test('each version has a number and a day, the newest first, behind what is not released', () => {
    expect(titles[0]).toBe('Unreleased');
    expect(versions.filter(([, , , , day = '']) => !isDay(day))).toEqual([]);
    const days = versions.map(([, , , , day = '']) => day);
    expect(days).toEqual(days.toSorted().reverse());
    const numbers = versions.map((parts) => parts.slice(1, 4).map((part) => Number(part)));
    const rank = ([major = 0, minor = 0, patch = 0]: readonly number[]) => (major * 1000 + minor) * 1000 + patch;
    expect(numbers.map(rank)).toEqual([...new Set(numbers.map(rank))].toSorted((a, b) => b - a));
  });

  test('the newest is the version of the program', () => {
    const { version } = JSON.parse(repository.textOf('package.json'));
    expect(versions[0]?.slice(1, 4).join('.')).toBe(version);
  });

  test('what changed is under the titles of Keep a Changelog, once a version', () => {
    for (const part of text.split(/^## /m).slice(1)) {
      const kinds = [...part.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind);
      const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
      expect(kinds, part.slice(0, 30)).toEqual(known.filter((kind) => kinds.includes(kind)));
    }
  });
});
