/** Whose word a record is: what a SELECT, a row or `source.json` says of it (specification "Datasets"). */
import { expect, test } from 'vitest';
import { newestOf, readIssues, readRecords, readRelease } from '../support/pipeline/published.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';

const DAY = '2026-11-24';
const UPSTREAMS = ['shop', 'mall'].map((id) => ({ id, name: id, url: 'https://upstream.test' }));

const store = useStore();
const source = sourceOf(store);

async function night(files: Readonly<Record<string, string>>, day = DAY) {
  for (const [name, text] of Object.entries(files)) await source.write(name, text);
  return source.night(day);
}

/** The source of each record of the newest snapshot, by the first part of its key. */
async function sources(dataset: 'models' | 'pricing' | 'scores' = 'models') {
  const records = await readRecords(store, dataset);
  return Object.fromEntries(records.map((record) => [record['id'] ?? record['model_id'], record['source']]));
}

/** A SELECT of models, one per id, with `more` in further columns. */
const select = (rows: string, columns: string) =>
  `-- models\nSELECT id, id AS name, ${columns} FROM (VALUES ${rows}) t(id, x)`;
const named = (upstreams: readonly object[]) => JSON.stringify({ upstreams });

test('is the upstream that its row names, the first of several, and of rows that say the same that of the first', async () => {
  const rows = `('one', 'shop'), ('text', ' mall , shop'), ('list', '["mall", "shop"]'), ('none', ''), ('null', NULL),
    ('twice', 'mall'), ('twice', 'shop')`;
  const prices = `-- pricing\nSELECT 'one' AS model_id, 'p' AS provider, ['mall', 'shop'] AS upstream`;
  const { quarantined, report } = await night({
    'source.sql': `${select(rows, 'x AS upstream')};\n\n${prices};\n`,
    'source.json': named(UPSTREAMS),
  });
  expect(await sources()).toEqual({ one: 'shop', text: 'mall', list: 'mall', none: null, null: null, twice: 'mall' });
  expect(await sources('pricing')).toEqual({ one: 'mall' });
  expect(quarantined).toBe(0);
  expect(await readIssues(report)).toContain('appears more than once, identically');
});

test('is what the SELECT says as source, whatever its upstream, also where that is nothing; of a score, who measured it', async () => {
  const models = select(`('a', 'another'), ('b', NULL)`, `x AS source, 'shop' AS upstream`);
  const scores = `-- scores\nSELECT 'a' AS model_id, 'x' AS benchmark_id, 1 AS value, 'vendor' AS source, 'shop' AS upstream`;
  const files = { 'source.json': named(UPSTREAMS), 'benchmarks.csv': 'id,name\nx,X\n' };
  await night({ ...files, 'source.sql': `${models};\n\n${scores};\n` });
  expect([await sources(), await sources('scores')]).toEqual([{ a: 'another', b: null }, { a: 'vendor' }]);
});

test('is the one upstream of a source whose SELECT names none, and nothing where there are several or none', async () => {
  const sql = select(`('a', 1)`, 'x AS context_length');
  await night({ 'source.sql': sql, 'source.json': named(UPSTREAMS.slice(0, 1)) });
  expect(await sources()).toEqual({ a: 'shop' });
  const { upstream_rows } = await readRelease(store, await newestOf(store));
  expect(upstream_rows, 'its rows are counted as its own').toEqual({ models: { shop: { rows: 1, day: DAY } } });
  await night({ 'source.json': named(UPSTREAMS) }, '2026-11-25');
  expect(await sources()).toEqual({ a: null });
  await night({ 'source.json': '{}' }, '2026-11-26');
  expect(await sources()).toEqual({ a: null });
});

test('is what a file says as source, and nothing where it says none, without a warning', async () => {
  const { warnings } = await night({
    'models.csv': 'id,name,source\na,A,shop\nb,B,\n',
    'pricing.csv': 'model_id,provider\na,p\n',
  });
  expect([await sources(), await sources('pricing')]).toEqual([{ a: 'shop', b: null }, { a: null }]);
  expect(warnings.filter((warning) => warning.includes('source'))).toEqual([]);
});
