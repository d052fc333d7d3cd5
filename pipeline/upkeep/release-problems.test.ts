import { expect, test } from 'vitest';
import type { Release } from '../../schemas/release.ts';
import type { ReleasedFile } from '../../schemas/upstreams.ts';
import { findFetchedProblems } from './release-problems.ts';

const FETCHED: ReleasedFile = {
  upstream: 'shop',
  url: 'https://shop.test/a',
  file: 'a',
  status: 'fetched',
  bytes: 1,
  sha256: '0'.repeat(64),
  fetched_at: '2026-06-01T00:05:00Z',
  checked_at: '2026-06-01T00:05:00Z',
  problem: null,
  unzipped: null,
  failed_since: null,
};
const FAILED: ReleasedFile = {
  ...FETCHED,
  status: 'failed',
  bytes: null,
  sha256: null,
  fetched_at: null,
  problem: 'shop.test answered 500',
  failed_since: '2026-05-30',
};

/** A release of which only this is looked at. */
function releaseWith(fetched: ReleasedFile, files: Release['files'] = []): Release {
  return { day: '2026-06-01', upstreams: [{ id: 'shop' }], fetched: [fetched], files } as unknown as Release;
}

const CARRIED: ReleasedFile = { ...FETCHED, status: 'carried', failed_since: '2026-05-30' };

test.each([FETCHED, { ...FETCHED, status: 'unchanged' as const }, FAILED, CARRIED])(
  'nothing is wrong with $status as it is',
  (file) => {
    expect(findFetchedProblems(releaseWith(file))).toEqual([]);
  },
);

test.each([
  [{ ...FETCHED, upstream: 'other' }, 'a was fetched from other, which is not listed'],
  [{ ...FETCHED, sha256: null }, 'a is fetched, but its other fields contradict that'],
  [{ ...FETCHED, failed_since: '2026-05-30' }, 'a is fetched, but its other fields contradict that'],
  [{ ...CARRIED, failed_since: null }, 'a is carried, but its other fields contradict that'],
  [{ ...CARRIED, sha256: null }, 'a is carried, but its other fields contradict that'],
  [{ ...FAILED, failed_since: null }, 'a is failed, but its other fields contradict that'],
  [{ ...FAILED, failed_since: '2026-06-02' }, 'a is failed, but its other fields contradict that'],
  [{ ...FAILED, fetched_at: '2026-06-01T00:05:00Z' }, 'a is failed, but its other fields contradict that'],
])('what a release says of a file against itself is found', (file, problem) => {
  expect(findFetchedProblems(releaseWith(file))).toEqual([problem]);
});

test('a stored file that is another than the one that was fetched is found', () => {
  const stored = { path: 'state/fetched/a', bytes: 1, sha256: '0'.repeat(64) };
  expect(findFetchedProblems(releaseWith(CARRIED, [stored]))).toEqual([]);
  const other = { ...stored, sha256: '1'.repeat(64) };
  expect(findFetchedProblems(releaseWith(CARRIED, [other]))).toEqual(['state/fetched/a is not the a that was fetched']);
});
