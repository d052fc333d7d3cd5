import { describe, expect, test } from 'vitest';
import type { Release } from '../../../schemas/release.ts';
import type { ReleasedFile } from '../../../schemas/upstreams.ts';
import type { RecordedFile } from '../../source/fetch-record.ts';
import { findNeverFetched, type LastFetch } from './missing-files.ts';

function file(name: string, changes: Partial<RecordedFile> = {}): RecordedFile {
  const nothing = { bytes: null, sha256: null, fetched_at: null, unzipped: null, etag: null, last_modified: null };
  const failed = { ...nothing, checked_at: '2026-06-01T00:05:00Z', problem: 'answered 503' };
  const carry = { folder: null, columns: {} };
  return { upstream: 'mall', url: 'https://mall.test', file: name, status: 'failed', ...failed, carry, ...changes };
}

/** A last fetch; only what is looked at. */
function last(fetched: readonly Partial<ReleasedFile>[], rows = 0): LastFetch {
  const upstream_rows = rows === 0 ? {} : { pricing: { mall: { rows, day: '2026-06-01' } } };
  const files = fetched.map((one) => ({ ...file('a.json'), failed_since: '2026-06-01', ...one }));
  // A release has far more, which nobody asks for here.
  return { fetched: files, upstream_rows } as unknown as Release;
}

describe('a file that failed', () => {
  const isNew = (before: LastFetch, others: readonly RecordedFile[] = []) =>
    findNeverFetched([file('a.json'), ...others], before).length > 0;

  test('was never fetched before the first night, and while every night says so', () => {
    expect(isNew('none')).toBe(true);
    expect(isNew(last([{ never_fetched: true }]))).toBe(true);
  });

  test.each([
    ['where the store can not tell', 'unknown'],
    ['that the last fetch had', last([{ status: 'fetched' }])],
    ['that failed already, under a program that did not say more', last([{ status: 'failed' }])],
    ['of an upstream with rows in force, of which the last fetch has no file', last([], 5)],
    ['that may have had another name', last([{ status: 'fetched', file: 'b.json' }], 5)],
  ] as const)('may be in force %s', (_, before) => {
    expect(isNew(before)).toBe(false);
  });

  test('is new where the last fetch lists no such file, and all others of its upstream are listed still', () => {
    expect(isNew(last([{ upstream: 'shop', status: 'fetched' }]))).toBe(true);
    const other = file('b.json', { status: 'fetched' });
    expect(isNew(last([{ status: 'fetched', file: 'b.json' }], 5), [other])).toBe(true);
  });

  test('is none of these without carry', () => {
    const { carry, ...plain } = file('a.json');
    expect(findNeverFetched([plain, file('b.json', { status: 'carried' })], 'none')).toEqual([]);
  });
});
