import { expect, test } from 'vitest';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import { findReported, periodOf } from './digest-service.ts';

/** Releases by day; of those after `-` the snapshot was pruned. */
function catalogOf(...days: readonly string[]): Catalog {
  const releases = days.map((text): CatalogEntry => {
    const [isPruned, day] = [text.startsWith('-'), text.replace(/^-/, '')];
    const hash = day.padEnd(64, '0');
    return {
      day: `2026-06-${day}`,
      run: 'RUN',
      release_sha256: hash,
      data_as_of: '2026-06-01T00:00:00Z',
      published_at: '2026-06-01T00:00:00Z',
      schema_version: '1.1',
      captured: [],
      first_seq: null,
      last_seq: 0,
      parts: isPruned ? [] : ['snapshot'],
    };
  });
  return { format: 1, generation: 1, releases };
}

test.each([
  ['the day that a person was told about', ['01', '02', '03'], '02', ['02', '03']],
  ['the one before it, if it was taken back', ['01', '03'], '02', ['01', '03']],
  ['the next snapshot, if its own was pruned', ['01', '-02', '03', '04'], '02', ['03', '04']],
  ['the first, if all before it are gone', ['03', '04'], '01', ['03', '04']],
  ['nothing newer', ['01', '02'], '02', undefined],
  ['an older copy of the store', ['01', '02'], '03', undefined],
  ['only one snapshot', ['-01', '02'], '01', undefined],
  ['a store without a release', [], '01', undefined],
])('a digest compares with %s', (_, days, told, expected) => {
  const period = periodOf(catalogOf(...days), `2026-06-${told}`);
  expect(period && [period.before.day.slice(-2), period.after.day.slice(-2)]).toEqual(expected);
});

test('who was told nothing yet, and who has no store, is compared with nothing', () => {
  expect([periodOf(catalogOf('01', '02'), null), periodOf(undefined, '2026-06-01')]).toEqual([undefined, undefined]);
});

test('a day far ahead that got its right day later is continued from there', () => {
  const { releases, ...catalog } = catalogOf('01', '02', '03');
  const was = { day: '2026-06-30', run: 'RUN', release_sha256: '' };
  const redated = { ...catalog, releases: releases.map((one, at) => (at === 1 ? { ...one, redated_from: was } : one)) };
  expect(findReported(redated, '2026-06-30')).toBe('2026-06-02');
  expect(findReported(redated, '2026-06-01')).toBe('2026-06-01');
  // With a release of that very day.
  const later = { ...redated, releases: [...redated.releases, ...catalogOf('30').releases] };
  expect(findReported(later, '2026-06-30')).toBe('2026-06-30');
  expect([findReported(redated, null), findReported(undefined, '2026-06-01')]).toEqual([null, '2026-06-01']);
});
