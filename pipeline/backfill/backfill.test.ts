import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadCatalog } from '../../storage/catalog.ts';
import { backfillKey, backfillMarkKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { CapturedStore } from '../../test/support/backfill/captured-store.ts';
import { readIntervals } from '../../test/support/backfill/read-intervals.ts';
import { tableRow } from '../../test/support/backfill/table-row.ts';

const PRICE = { model_id: 'm1', provider: 'p1', input_per_million: 7, output_per_million: 8 };
const ROWS = [
  tableRow({ effective_from: '2024-02-10', effective_to: '2024-02-29' }),
  tableRow({ effective_from: '2024-02-29', input_per_million: 3 }),
];

let twoDays: CapturedStore;
let place: CapturedStore;
/** The first day has no pricing file, so pricing is captured since the second. */
beforeAll(async () => {
  twoDays = await CapturedStore.open();
  await twoDays.publish('2024-03-01', ['m1', 'gone']);
  await twoDays.publish('2024-03-02', ['m1'], [PRICE]);
});
afterAll(() => twoDays.close());
beforeEach(async () => {
  place = await twoDays.copy();
});
afterEach(() => place.close());

test('intervals have the columns of history and end on the day before pricing was first captured', async () => {
  const result = await place.backfillRows(ROWS);
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
  const [first, second] = [
    {
      effective_from: '2024-02-10',
      updated_at: '2024-02-10 00:00:00',
      valid_from: '2024-02-10',
      valid_to: '2024-02-28',
    },
    {
      effective_from: '2024-02-29',
      updated_at: '2024-02-29 00:00:00',
      valid_from: '2024-02-29',
      valid_to: '2024-03-01',
    },
  ];
  const intervals = await readIntervals(place.store);
  expect(intervals).toEqual([
    { ...common, input_per_million: 1, ...first },
    { ...common, input_per_million: 3, ...second },
  ]);
  expect(Object.keys(intervals?.[0] ?? {}).join()).toBe(
    'model_id,provider,input_per_million,output_per_million,currency,effective_from,updated_at,valid_from,valid_to',
  );
});

test('the catalog lists the backfill and carries it through the nights that follow', async () => {
  const result = await place.backfillRows(ROWS);
  const { catalog: before } = await loadCatalog(place.store);
  const night = await place.publish('2024-03-05', ['m1'], [PRICE]);
  const { catalog: after } = await loadCatalog(place.store);
  expect(before?.backfill?.pricing).toMatchObject({ run: result.run, intervals: 2, last_day: '2024-03-01' });
  expect(after?.backfill).toEqual(before?.backfill);
  expect(after?.releases).toHaveLength(3);
  expect(night).toMatchObject({ status: 'published', events: { upsert: 0, delete: 0 }, first_seq: null });
});

test('the same table again is unchanged, in whatever order its rows are, and swaps nothing', async () => {
  const first = await place.backfillRows(ROWS);
  const catalog = await loadCatalog(place.store);
  const second = await place.backfillRows([...ROWS].reverse());
  expect(second).toMatchObject({ status: 'unchanged', run: first.run, intervals: 2 });
  expect(await loadCatalog(place.store)).toEqual(catalog);
});

test('a second table replaces the first as a whole and leaves its object to prune', async () => {
  const first = await place.backfillRows(ROWS);
  const second = await place.backfillRows([tableRow({ provider: 'p2', effective_from: '2024-02-28' })]);
  expect(second).toMatchObject({ status: 'published', replaced: first.run, intervals: 1 });
  expect(await readIntervals(place.store)).toMatchObject([{ provider: 'p2', valid_from: '2024-02-28' }]);
  expect(await place.store.head(backfillKey(first.run ?? ''))).toBeDefined();
});

test('an empty table takes the backfill back; a table of which nothing fits changes nothing', async () => {
  const first = await place.backfillRows(ROWS);
  const misfit = await place.backfillRows([tableRow({ model_id: 'nobody' })]);
  expect(misfit).toMatchObject({ status: 'nothing_placed', run: first.run, not_placed: { unknown_model: 1 } });
  expect(await readIntervals(place.store)).toHaveLength(2);
  expect(await place.backfillRows([])).toMatchObject({ status: 'published', intervals: 0, first_day: null });
  expect(await readIntervals(place.store)).toEqual([]);
});

test('a dry run reports the same and writes nothing to the store', async () => {
  const catalog = await loadCatalog(place.store);
  const dry = await place.backfillRows(ROWS, { dryRun: true });
  expect(dry).toMatchObject({ status: 'dry_run', dry_run: true, intervals: 2, run: null });
  expect(await loadCatalog(place.store)).toEqual(catalog);
  for await (const { key } of place.store.list('backfill/')) expect.unreachable(key);
});

test('without a captured pricing day, or with --from on it or later, nothing is reconstructed', async () => {
  const empty = await CapturedStore.open();
  await expect(empty.backfillRows(ROWS)).rejects.toMatchObject({ code: 'not_found' });
  await empty.publish('2024-03-01', ['m1']);
  await expect(empty.backfillRows(ROWS)).rejects.toMatchObject({ code: 'not_found' });
  await empty.close();
  for (const from of ['2024-03-02', '2024-03-03']) {
    await expect(place.backfillRows(ROWS, { from })).rejects.toMatchObject({ code: 'usage' });
  }
  expect(await readIntervals(place.store)).toBeUndefined();
});

test('a model that was removed has a past; one that never existed has none', async () => {
  const ids = ['gone', 'nobody', 'M1', 'm1 '];
  const result = await place.backfillRows(ids.map((model_id) => tableRow({ model_id, effective_from: '2024-02-01' })));
  expect(result).toMatchObject({ intervals: 1, not_placed: { bad_row: 1, unknown_model: 2 } });
  expect(await readIntervals(place.store)).toMatchObject([{ model_id: 'gone' }]);
});

test('an unknown start begins at --from, which also cuts what is earlier; effective_from stays as the table says', async () => {
  const rows = [
    tableRow({ effective_to: '2024-02-15' }),
    tableRow({ provider: 'p2', effective_from: '2023-12-31', effective_to: '2024-02-15' }),
    tableRow({ provider: 'p3', effective_to: '2024-02-01' }),
  ];
  const unbounded = await place.backfillRows(rows);
  expect(unbounded).toMatchObject({ intervals: 1, not_placed: { start_unknown: 2 } });
  const bounded = await place.backfillRows(rows, { from: '2024-02-01' });
  expect(bounded).toMatchObject({ intervals: 2, not_placed: { before_from: 1 } });
  expect(await readIntervals(place.store)).toMatchObject([
    { provider: 'p1', effective_from: null, valid_from: '2024-02-01', valid_to: '2024-02-14' },
    { provider: 'p2', effective_from: '2023-12-31', valid_from: '2024-02-01', valid_to: '2024-02-14' },
  ]);
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
    tableRow({ provider: 'p4', effective_from: '2024-02-01' }),
  ];
  const result = await place.backfillRows(rows);
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
  ]);
  expect(result.not_placed).toEqual({
    bad_row: 1,
    empty_interval: 1,
    implausible_price: 1,
    captured: 1,
    contradiction: 2,
    start_unknown: 1,
  });
});

test('rows that overlap with one price become one interval; rows that only touch stay two', async () => {
  await place.backfillRows([
    tableRow({ effective_from: '2024-01-31', effective_to: '2024-02-10' }),
    tableRow({ effective_from: '2024-01-01', effective_to: '2024-02-01', currency: null }),
    tableRow({ effective_from: '2024-01-05', effective_to: '2024-01-06' }),
    tableRow({ effective_from: '2024-02-10', effective_to: '2024-02-20' }),
  ]);
  expect(await readIntervals(place.store)).toMatchObject([
    { effective_from: '2024-01-01', valid_from: '2024-01-01', valid_to: '2024-02-09' },
    { effective_from: '2024-02-10', valid_from: '2024-02-10', valid_to: '2024-02-19' },
  ]);
});

/** A store on which something else happens just before a catalog is swapped, the first `times` times. */
function racing(store: ObjectStore, times: number, happen: () => Promise<unknown>): ObjectStore {
  let left = times;
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'put') return member.bind(target);
      return async (key: string, ...rest: unknown[]) => {
        if (key === 'catalog.json' && left > 0) {
          left -= 1;
          await happen();
        }
        return member.call(target, key, ...rest);
      };
    },
  });
}

test('a night that is faster keeps its release, and the backfill decides anew with what that night brought', async () => {
  const store = racing(place.store, 1, () => place.publish('2024-03-03', ['m1', 'late'], [PRICE]));
  const table = await place.writeTable([...ROWS, tableRow({ model_id: 'late', effective_from: '2024-02-01' })]);
  const result = await place.backfill({ table }, store);
  expect(result).toMatchObject({ status: 'published', intervals: 3, not_placed: {} });
  const { catalog } = await loadCatalog(place.store);
  expect(catalog?.releases.map(({ day }) => day)).toEqual(['2024-03-01', '2024-03-02', '2024-03-03']);
  expect(catalog?.backfill?.pricing?.run).toBe(result.run);
});

test('a backfill in force whose object is gone or damaged is put back by the same table', async () => {
  const first = await place.backfillRows(ROWS);
  await place.store.delete(backfillKey(first.run ?? ''));
  const second = await place.backfillRows(ROWS);
  expect(second).toMatchObject({ status: 'published', replaced: first.run });
  expect(await readIntervals(place.store)).toHaveLength(2);
});

test('a mark that a killed run could not put is put by the same table again', async () => {
  const { run } = await place.backfillRows(ROWS);
  await place.store.delete(backfillMarkKey(run ?? ''));
  expect(await place.backfillRows(ROWS)).toMatchObject({ status: 'unchanged', run });
  expect(await place.store.head(backfillMarkKey(run ?? ''))).toBeDefined();
});

test('a run leaves its report and its list of issues, and nothing else', async () => {
  const { issues } = await place.backfillRows(ROWS);
  const folder = issues.replace('/issues.jsonl', '');
  expect(JSON.parse(readFileSync(`${folder}/report.json`, 'utf8'))).toMatchObject({ status: 'published', rows: 2 });
  expect(existsSync(`${folder}/tmp`)).toBe(false);
});
