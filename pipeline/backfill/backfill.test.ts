import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadCatalog } from '../../storage/catalog.ts';
import { backfillKey, backfillMarkKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { backfill, readIntervals, tableRow } from '../../test/support/backfill/pricing-table.ts';
import { storeWith } from '../../test/support/pipeline/store-with.ts';
import {
  copyTemporaryStore,
  openTemporaryStore,
  type TemporaryStore,
} from '../../test/support/pipeline/temporary-store.ts';

const PRICE = { model_id: 'm1', provider: 'p1', input_per_million: 7, output_per_million: 8 };
const ROWS = [
  tableRow({ effective_from: '2024-02-10', effective_to: '2024-02-29' }),
  tableRow({ effective_from: '2024-02-29', input_per_million: 3 }),
];

const named = (...ids: readonly string[]) => ids.map((id) => ({ id, name: id }));

let twoDays: TemporaryStore;
let place: TemporaryStore;
/** The first day has no pricing file, so pricing is captured since the second. */
beforeAll(async () => {
  twoDays = await openTemporaryStore();
  await twoDays.publish('2024-03-01', { models: named('m1', 'gone') });
  await twoDays.publish('2024-03-02', { models: named('m1'), pricing: [PRICE] });
});
afterAll(() => twoDays.dispose());
beforeEach(async () => {
  place = await copyTemporaryStore(twoDays);
  return () => place.dispose();
});

const store = () => place.deps.store;

test('intervals have the columns of history and end on the day before pricing was first captured', async () => {
  const result = await backfill(place, { rows: ROWS });
  expect(result).toMatchObject({
    status: 'published',
    rows: 2,
    rows_placed: 2,
    intervals: 2,
    models: 1,
    not_placed: {},
    first_captured: '2024-03-02',
    first_day: '2024-02-10',
    last_day: '2024-03-01',
    replaced: null,
  });
  const common = { model_id: 'm1', provider: 'p1', output_per_million: 2, currency: 'USD' };
  const interval = (valid_from: string, valid_to: string, input_per_million: number) => ({
    ...common,
    input_per_million,
    effective_from: valid_from,
    updated_at: `${valid_from} 00:00:00`,
    valid_from,
    valid_to,
  });
  const intervals = await readIntervals(place);
  expect(intervals).toEqual([interval('2024-02-10', '2024-02-28', 1), interval('2024-02-29', '2024-03-01', 3)]);
  expect(Object.keys(intervals?.[0] ?? {}).join()).toBe(
    'model_id,provider,input_per_million,output_per_million,currency,effective_from,updated_at,valid_from,valid_to',
  );
});

test('the catalog lists the backfill and carries it through the nights that follow', async () => {
  const result = await backfill(place, { rows: ROWS });
  const { catalog: before } = await loadCatalog(store());
  const night = await place.publish('2024-03-05', { models: named('m1'), pricing: [PRICE] });
  const { catalog: after } = await loadCatalog(store());
  expect(before?.backfill?.pricing).toMatchObject({ run: result.run, intervals: 2, last_day: '2024-03-01' });
  expect(after?.backfill).toEqual(before?.backfill);
  expect(after?.releases).toHaveLength(3);
  expect(night).toMatchObject({ status: 'published', events: { upsert: 0, delete: 0 }, first_seq: null });
});

test('the same table again is unchanged, in whatever order its rows are, and swaps nothing', async () => {
  const first = await backfill(place, { rows: ROWS });
  const catalog = await loadCatalog(store());
  const second = await backfill(place, { rows: [...ROWS].reverse() });
  expect(second).toMatchObject({ status: 'unchanged', run: first.run, intervals: 2 });
  expect(await loadCatalog(store())).toEqual(catalog);
});

test('a second table replaces the first as a whole and leaves its object to prune', async () => {
  const first = await backfill(place, { rows: ROWS });
  const second = await backfill(place, { rows: [tableRow({ provider: 'p2', effective_from: '2024-02-28' })] });
  expect(second).toMatchObject({ status: 'published', replaced: first.run, intervals: 1 });
  expect(await readIntervals(place)).toMatchObject([{ provider: 'p2', valid_from: '2024-02-28' }]);
  expect(await store().head(backfillKey(first.run ?? ''))).toBeDefined();
});

test('an empty table takes the backfill back; a table of which nothing fits changes nothing', async () => {
  const first = await backfill(place, { rows: ROWS });
  const misfit = await backfill(place, { rows: [tableRow({ model_id: 'nobody' })] });
  expect(misfit).toMatchObject({ status: 'nothing_placed', run: first.run, not_placed: { unknown_model: 1 } });
  expect(await readIntervals(place)).toHaveLength(2);
  expect(await backfill(place, { rows: [] })).toMatchObject({ status: 'published', intervals: 0, first_day: null });
  expect(await readIntervals(place)).toEqual([]);
});

test('a dry run reports the same and writes nothing to the store', async () => {
  const catalog = await loadCatalog(store());
  const dry = await backfill(place, { rows: ROWS, dryRun: true });
  expect(dry).toMatchObject({ status: 'dry_run', dry_run: true, intervals: 2, run: null });
  expect(await loadCatalog(store())).toEqual(catalog);
  for await (const { key } of store().list('backfill/')) expect.unreachable(key);
});

test('without a captured pricing day, or with --from on it or later, nothing is reconstructed', async () => {
  const empty = await openTemporaryStore();
  await expect(backfill(empty, { rows: ROWS })).rejects.toMatchObject({ code: 'not_found' });
  await empty.publish('2024-03-01', { models: named('m1') });
  await expect(backfill(empty, { rows: ROWS })).rejects.toMatchObject({ code: 'not_found' });
  await empty.dispose();
  for (const from of ['2024-03-02', '2024-03-03']) {
    await expect(backfill(place, { rows: ROWS, from })).rejects.toMatchObject({ code: 'usage' });
  }
  expect(await readIntervals(place)).toBeUndefined();
});

test('every row without a place is listed with its line and the reason', async () => {
  const rows = [
    tableRow({ effective_from: '2024-02-01', effective_to: '2024-02-20' }),
    tableRow({ effective_from: '2024-02-19', input_per_million: 9 }),
    tableRow({ provider: 'p2', effective_from: '2024-02-01', effective_to: '2024-02-01' }),
    tableRow({ provider: 'p2', effective_from: '2024-02-01', input_per_million: 10_001 }),
    tableRow({ provider: 'p2', effective_from: '2024-03-02' }),
    tableRow({ provider: 'p2' }),
    { ...tableRow({ provider: 'p3' }), input_per_million: 'cheap', effective_to: '2024-02-30' },
    tableRow({ model_id: 'M1', effective_from: '2024-02-01' }),
    tableRow({ provider: 'p4', effective_from: '2024-02-01' }),
    tableRow({ model_id: 'gone', effective_from: '2024-02-01' }),
  ];
  const result = await backfill(place, { rows });
  const issues = readFileSync(result.issues, 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const issue = (line: number, kind: string, field: string, value: string | null) =>
    expect.objectContaining({ file: 'table.jsonl', line, row: line, kind, field, value });
  expect(issues).toEqual([
    issue(1, 'contradiction', 'input_per_million, output_per_million, currency', '1.0, 2.0, USD'),
    issue(2, 'contradiction', 'input_per_million, output_per_million, currency', '9.0, 2.0, USD'),
    issue(3, 'empty_interval', 'effective_from, effective_to', '2024-02-01, 2024-02-01'),
    issue(4, 'implausible_price', 'input_per_million, output_per_million', '10001.0, 2.0'),
    issue(5, 'captured', 'effective_from', '2024-03-02'),
    issue(6, 'start_unknown', 'effective_from', null),
    issue(7, 'bad_row', 'effective_to', '2024-02-30'),
    issue(7, 'bad_row', 'input_per_million', 'cheap'),
    issue(8, 'unknown_model', 'model_id', 'M1'),
  ]);
  expect(result.not_placed).toEqual({
    bad_row: 1,
    empty_interval: 1,
    implausible_price: 1,
    captured: 1,
    contradiction: 2,
    start_unknown: 1,
    unknown_model: 1,
  });
  expect(await readIntervals(place)).toMatchObject([{ model_id: 'gone' }, { provider: 'p4' }]);
});

test('rows that overlap with one price become one interval; rows that only touch stay two', async () => {
  await backfill(place, {
    rows: [
      tableRow({ effective_from: '2024-01-31', effective_to: '2024-02-10' }),
      tableRow({ effective_from: '2024-01-01', effective_to: '2024-02-01', currency: null }),
      tableRow({ effective_from: '2024-01-05', effective_to: '2024-01-06' }),
      tableRow({ effective_from: '2024-02-10', effective_to: '2024-02-20' }),
    ],
  });
  expect(await readIntervals(place)).toMatchObject([
    { effective_from: '2024-01-01', valid_from: '2024-01-01', valid_to: '2024-02-09' },
    { effective_from: '2024-02-10', valid_from: '2024-02-10', valid_to: '2024-02-19' },
  ]);
});

test('a night that is faster keeps its release, and the backfill decides anew with what that night brought', async () => {
  const faster = await copyTemporaryStore(twoDays);
  onTestFinished(faster.dispose);
  await faster.publish('2024-03-03', { models: named('m1', 'late'), pricing: [PRICE] });
  let isFirst = true;
  const put: ObjectStore['put'] = async (key, ...rest) => {
    if (key === 'catalog.json' && isFirst) {
      isFirst = false;
      await cp(faster.folder, place.folder, { recursive: true });
    }
    return store().put(key, ...rest);
  };
  const rows = [...ROWS, tableRow({ model_id: 'late', effective_from: '2024-02-01' })];
  const result = await backfill(place, { rows }, storeWith(store(), { put }));
  expect(result).toMatchObject({ status: 'published', intervals: 3, not_placed: {} });
  const { catalog } = await loadCatalog(store());
  expect(catalog?.releases.map(({ day }) => day)).toEqual(['2024-03-01', '2024-03-02', '2024-03-03']);
  expect(catalog?.backfill?.pricing?.run).toBe(result.run);
});

test('a backfill in force whose object is gone or damaged is put back by the same table', async () => {
  const first = await backfill(place, { rows: ROWS });
  await store().delete(backfillKey(first.run ?? ''));
  const second = await backfill(place, { rows: ROWS });
  expect(second).toMatchObject({ status: 'published', replaced: first.run });
  expect(await readIntervals(place)).toHaveLength(2);
});

test('a mark that a killed run could not put is put by the same table again', async () => {
  const { run } = await backfill(place, { rows: ROWS });
  await store().delete(backfillMarkKey(run ?? ''));
  expect(await backfill(place, { rows: ROWS })).toMatchObject({ status: 'unchanged', run });
  expect(await store().head(backfillMarkKey(run ?? ''))).toBeDefined();
});

test('a run leaves its report and its list of issues, and nothing else', async () => {
  const { issues } = await backfill(place, { rows: ROWS });
  const folder = issues.replace('/issues.jsonl', '');
  expect(JSON.parse(readFileSync(`${folder}/report.json`, 'utf8'))).toMatchObject({ status: 'published', rows: 2 });
  expect(existsSync(`${folder}/tmp`)).toBe(false);
});
