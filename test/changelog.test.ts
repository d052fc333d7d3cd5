/** CHANGELOG.md as those who upgrade read it: which version this is, and what each version changed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDay } from '../runtime/day.ts';
import { ROOT } from './support/documents/text-files.ts';

const text = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
const titles = [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title);
const versions = titles.slice(1).map((title) => /^\[(\d+)\.(\d+)\.(\d+)\] - (\S+)$/.exec(title) ?? [title]);

test('each version has a number and a day, the newest first, behind what is not released', () => {
  expect(titles[0]).toBe('[Unreleased]');
  expect(versions.filter(([, , , , day = '']) => !isDay(day))).toEqual([]);
  const days = versions.map(([, , , , day = '']) => day);
  expect(days).toEqual(days.toSorted().reverse());
  const numbers = versions.map((parts) => parts.slice(1, 4).map((part) => Number(part)));
  const rank = ([major = 0, minor = 0, patch = 0]: readonly number[]) => (major * 1000 + minor) * 1000 + patch;
  expect(numbers.map(rank)).toEqual([...new Set(numbers.map(rank))].toSorted((a, b) => b - a));
});

test('the newest is the version of the program', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(versions[0]?.slice(1, 4).join('.')).toBe(version);
});

test('what changed is under the titles of Keep a Changelog, once a version', () => {
  for (const part of text.split(/^## /m).slice(1)) {
    const kinds = [...part.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind);
    const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    expect(kinds, part.slice(0, 30)).toEqual(known.filter((kind) => kinds.includes(kind)));
  }
});
