import { describe, expect, test } from 'vitest';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import type { ReleasedFile, Upstream } from '../../schemas/upstreams.ts';
import { canFollow, SourceSchema, sourcesFrom, type ViewMeta } from './view-meta.ts';

const SHOP: Upstream = {
  id: 'shop',
  name: 'The shop',
  url: 'https://shop.test',
  license: 'CC0-1.0',
  terms_url: 'https://shop.test/terms',
  attribution: 'Data from The shop',
  redistribution: true,
  checked: '2026-05-01',
};
const MALL: Upstream = {
  id: 'mall',
  name: 'The mall',
  url: 'https://mall.test',
  redistribution: false,
  license: null,
  terms_url: null,
  attribution: null,
  checked: null,
};

const FETCHED: ReleasedFile = {
  upstream: 'shop',
  url: `https://shop.test/a.json?key=\${KEY}`,
  file: 'a.json',
  status: 'fetched',
  bytes: 2,
  sha256: '0'.repeat(64),
  fetched_at: '2026-06-02T00:05:00Z',
  checked_at: '2026-06-02T00:05:00Z',
  problem: null,
  unzipped: null,
  failed_since: null,
};
/** Carried since a day, with bytes of a day before, and asked for later than the others. */
const carried = (since: string, file: string): ReleasedFile => ({
  ...FETCHED,
  file,
  status: 'carried',
  fetched_at: '2026-05-30T00:05:00Z',
  checked_at: '2026-06-02T00:06:00Z',
  failed_since: since,
  problem: 'was answered with 500',
});

test('an upstream has its terms, its newest file, its last request and the first day of a failure', () => {
  const fetched = [carried('2026-06-02', 'b.json'), FETCHED, carried('2026-05-31', 'c.json')];
  const [mall, shop] = sourcesFrom({ upstreams: [SHOP, MALL], fetched });
  expect(SourceSchema.parse(shop)).toEqual({
    id: 'shop',
    name: 'The shop',
    url: 'https://shop.test',
    license: 'CC0-1.0',
    terms_url: 'https://shop.test/terms',
    attribution: 'Data from The shop',
    redistribution: true,
    terms_checked: '2026-05-01',
    fetched_at: '2026-06-02T00:05:00Z',
    checked_at: '2026-06-02T00:06:00Z',
    failed_since: '2026-05-31',
    files: 3,
  });
  expect(SourceSchema.parse(mall)).toMatchObject({ id: 'mall', fetched_at: null, failed_since: null, files: 0 });
});

test('a file that was never fetched has its last request, but no fetch and no address', () => {
  const failed: ReleasedFile = { ...carried('2026-06-02', 'a.json'), status: 'failed', sha256: null, fetched_at: null };
  const [shop] = sourcesFrom({ upstreams: [SHOP], fetched: [failed] });
  expect(shop).toMatchObject({ fetched_at: null, checked_at: '2026-06-02T00:06:00Z', failed_since: '2026-06-02' });
  expect(JSON.stringify(shop)).not.toContain('KEY');
});

describe('a view can follow a catalog', () => {
  const release = (day: string, seqs: readonly [number, number], change: Partial<CatalogEntry> = {}): CatalogEntry => ({
    day,
    run: 'RUN',
    release_sha256: `hash of ${day}`,
    data_as_of: `${day}T23:59:59Z`,
    published_at: `${day}T23:59:59Z`,
    schema_version: '1.1',
    captured: ['models'],
    first_seq: seqs[0],
    last_seq: seqs[1],
    parts: ['snapshot', 'changes'],
    ...change,
  });
  const FIRST = release('2026-06-01', [1, 5]);
  const SECOND = release('2026-06-02', [6, 9]);
  const THIRD = release('2026-06-03', [10, 12]);
  const catalog = (...releases: readonly CatalogEntry[]): Catalog => ({
    format: 1,
    generation: 1,
    releases: [...releases],
  });
  const metaOf = (of: Catalog, ids = of.releases.map(({ day }) => day)) =>
    ({ catalog: of, manifests: ids.map((id) => ({ id })) }) as unknown as ViewMeta; // What is read of it.

  test.each([
    ['that goes on', catalog(FIRST, SECOND), catalog(FIRST, SECOND, THIRD), true],
    ['that is its own', catalog(FIRST, SECOND), catalog(FIRST, SECOND), true],
    [
      'that has another release',
      catalog(FIRST, SECOND),
      catalog(FIRST, { ...SECOND, release_sha256: 'x' }, THIRD),
      false,
    ],
    ['that lacks its last release', catalog(FIRST, SECOND), catalog(FIRST), false],
    ['in another version of the records', catalog(FIRST), catalog(FIRST, { ...SECOND, schema_version: '1.2' }), false],
    ['that has pruned events', catalog(FIRST, SECOND), catalog({ ...FIRST, parts: ['snapshot'] }, SECOND, THIRD), true],
    [
      'that has events again which the view has pruned',
      catalog({ ...FIRST, parts: ['snapshot'] }, SECOND),
      catalog(FIRST, SECOND, THIRD),
      false,
    ],
  ] as const)('%s: %s', (_, old, next, expected) => {
    expect(canFollow(metaOf(old), next)).toBe(expected);
  });

  test('only with the manifests of the snapshots that the catalog has', () => {
    const [old, next] = [catalog(FIRST, SECOND), catalog(FIRST, SECOND, THIRD)];
    expect(canFollow(metaOf(old, [FIRST.day]), next)).toBe(false);
    const pruned = catalog(FIRST, { ...SECOND, parts: ['changes'] }, THIRD);
    expect(canFollow(metaOf(old, [FIRST.day]), pruned)).toBe(true);
  });
});
