import { expect, test } from 'vitest';
import type { ReleasedFile, Upstream } from '../../schemas/upstreams.ts';
import { SourceSchema, sourcesFrom } from './view-meta.ts';

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
