import { expect, test } from 'vitest';
import type { Release } from './release.ts';
import { restrictedSources, termsOf } from './terms.ts';
import { UpstreamSchema } from './upstreams.ts';

const upstream = (id: string, redistribution: boolean) =>
  UpstreamSchema.parse({ id, name: id, url: 'https://upstream.test', license: 'MIT', redistribution });
const counted = { rows: 1, day: '2026-06-01' };
const RECORDS = { models: 2, benchmarks: 0, scores: 1, rankings: 1, pricing: 1 };
const UPSTREAM_ROWS: Release['upstream_rows'] = {
  models: { shop: counted, mall: counted },
  benchmarks: { mall: counted },
  pricing: { shop: counted },
  rankings: { mall: counted },
};

/** A release whose manifest has such terms. */
function releaseWith(terms: Readonly<Record<string, object>>, more: Partial<Release> = {}): Release {
  const datasets = ['models', 'scores'].map((name) => ({ name, terms: terms[name] }));
  const release = { manifest: { datasets }, records: RECORDS, ...more };
  return release as unknown as Release; // Only what is read.
}

test('terms are those of the manifest, else of the upstreams with rows; where no row names one, of every upstream', () => {
  const said = [{ source: 'mall', license: null, redistribution: false }];
  const upstreams = [upstream('shop', true), upstream('mall', false)];
  const listed = { upstreams, upstream_rows: UPSTREAM_ROWS };
  expect(termsOf(releaseWith({ scores: said }, listed))).toEqual({ scores: said });
  const [mall, shop] = [
    { source: 'mall', license: 'MIT', redistribution: false },
    { source: 'shop', license: 'MIT', redistribution: true },
  ];
  expect(termsOf(releaseWith({}, listed))).toEqual({
    models: [mall, shop],
    scores: [mall, shop],
    rankings: [mall],
    pricing: [shop],
  });
  expect(termsOf(releaseWith({}))).toEqual({});
});

test('restricted are sources that must not be passed on, by name, with the datasets that have records of them', () => {
  const of = (source: string, redistribution: boolean) => ({ source, license: null, redistribution });
  const terms = {
    models: [of('mall', false), of('shop', true)],
    scores: [of('bazaar', false)],
    pricing: [of('mall', false)],
  };
  expect(restrictedSources(terms)).toEqual([
    { source: 'bazaar', license: null, datasets: ['scores'] },
    { source: 'mall', license: null, datasets: ['models', 'pricing'] },
  ]);
  expect(restrictedSources({})).toEqual([]);
});
