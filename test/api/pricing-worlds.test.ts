/**
 * The list of prices over small random days, against an independent reading of their rows: every combination of filters, order and
 * page, by every index; before record version 1.2 and after it; and over a publication.
 */
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { View } from '../../api/view/view.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import { METERS, type Meter } from '../../schemas/rates.ts';
import { compareText } from '../api-oracle/order.ts';
import { getList, type ListedRecord, pageList } from '../support/api/lists.ts';
import { useApi } from '../support/api/use-api.ts';
import { useViews } from '../support/api/use-views.ts';
import { readRecords } from '../support/pipeline/published.ts';
import { createChooser } from '../support/random.ts';
import { dayRows, PROVIDERS, type PricedRow, plainPrices, pricedFew } from '../worlds/priced-few.ts';
import { CUTOVER, nextDays } from '../worlds/rated-days.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const SEED = Number(process.env['PRICES_SEED'] ?? 1);
/** More in `make test-long`. */
const [AROUND, ROUNDS] = process.env['LISTS'] === 'all' ? [[-2, -1, 0, 1, 2], 3] : [[-2, 0, 1, 2], 1];
const DAYS = AROUND.map((days) => addDays(CUTOVER, days));

const choose = createChooser(SEED);
const WORLDS = new Map<Day, readonly PricedRow[]>();
for (const [at, day] of DAYS.entries()) {
  // From day to day some stay as they are, some go, some come and the others change.
  const stay = worldOf(DAYS[at - 1] ?? '').filter(({ row }) => row.provider === 'p1');
  const others = pricedFew(choose, day).filter(({ row }) => at === 0 || row.provider !== 'p1');
  WORLDS.set(day, [...stay, ...others]);
}

function worldOf(day: Day): readonly PricedRow[] {
  return WORLDS.get(day) ?? [];
}

const api = useApi({
  days: (store) => store.publish(DAYS[0] ?? '', dayRows(worldOf(DAYS[0] ?? ''))),
  now: `${addDays(CUTOVER, 9)}T12:00:00Z`,
  settings: { cacheBytes: 1 },
});
const { servedTables } = useViews(() => api.store);

interface Priced {
  readonly record: ListedRecord;
  readonly key: readonly [model: string, provider: string];
  readonly prices: PricedRow['prices'];
}

/** The published records with the prices of the day's rows, by key. */
async function pricesOn(day: Day): Promise<readonly Priced[]> {
  const keyText = (model: unknown, provider: unknown) => JSON.stringify([model, provider]);
  const rows = new Map(worldOf(day).map((priced) => [keyText(priced.row.model_id, priced.row.provider), priced]));
  const records = await readRecords(api.store, 'pricing');
  expect(records).toHaveLength(rows.size);
  return records
    .map((record): Priced => {
      const key = [String(record['model_id']), String(record['provider'])] as const;
      const { row, prices } = rows.get(keyText(...key)) ?? { row: {}, prices: new Map() };
      return { record, key, prices: day < CUTOVER ? plainPrices(row) : prices };
    })
    .sort((a, b) => compareKeys(a, b));
}

function compareKeys(a: Pick<Priced, 'key'>, b: Pick<Priced, 'key'>): number {
  return compareText(a.key[0], b.key[0]) || compareText(a.key[1], b.key[1]);
}

interface Query {
  readonly model?: string;
  readonly provider?: string;
  readonly meter?: Meter;
  readonly min_price?: number;
  readonly max_price?: number;
  readonly sort?: 'model_id' | 'price' | '-price' | '-updated_at';
}

/** The meter by which a request filters, bounds and sorts. */
function meterOf({ meter, min_price: min, max_price: max, sort }: Query): Meter | undefined {
  const isByRate = min !== undefined || max !== undefined || sort === 'price' || sort === '-price';
  return meter ?? (isByRate ? 'input' : undefined);
}

function compareIn(query: Query): (a: Priced, b: Priced) => number {
  const { sort = 'model_id' } = query;
  const meter = meterOf(query);
  const sortedBy = ({ record, prices }: Priced): number | null => {
    if (sort === '-updated_at') return Date.parse(String(record['updated_at']));
    return meter === undefined ? null : (prices.get(meter) ?? null);
  };
  return (a, b) => {
    const [one, other] = sort === 'model_id' ? [null, null] : [sortedBy(a), sortedBy(b)];
    if (one === other) return compareKeys(a, b);
    if (one === null || other === null) return one === null ? 1 : -1;
    return sort.startsWith('-') ? other - one : one - other;
  };
}

function expectedOf(all: readonly Priced[], query: Query): readonly Priced[] {
  const { model, provider, min_price: min, max_price: max } = query;
  const meter = meterOf(query);
  return all
    .filter(({ key }) => (model === undefined || key[0] === model) && (provider === undefined || key[1] === provider))
    .filter(({ prices }) => {
      if (meter === undefined) return true;
      const price = prices.get(meter);
      if (price === undefined) return false;
      if (min === undefined && max === undefined) return true;
      return price !== null && price >= (min ?? -Infinity) && price <= (max ?? Infinity);
    })
    .toSorted(compareIn(query));
}

function pathOf(query: Query, limit: number): string {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return `/v1/pricing?${new URLSearchParams([...given, ['limit', String(limit)]])}`;
}

const SORTS = ['model_id', 'price', '-price', '-updated_at'] as const;

/** Each combination of filters in each order, and each meter alone. */
function* queries(): Iterable<Query> {
  const filters: readonly ((all: readonly Priced[]) => Query)[] = [
    () => ({ model: choose.pick(['a', 'A', 'a/b', '\u{1f600}', 'nobody']) }),
    () => ({ provider: choose.pick([...PROVIDERS, 'none']) }),
    () => ({ meter: choose.pick(METERS) }),
    () => ({ min_price: choose.pick([0, 0.65, 1, 1.3, 99]) }),
    () => ({ max_price: choose.pick([0, 0.65, 0.99, 2.5, 99]) }),
  ];
  for (const sort of SORTS) {
    for (const meter of METERS) yield { meter, sort };
    for (let combination = 0; combination < 2 ** filters.length; combination += 1) {
      const chosen = filters.filter((_, at) => (combination >> at) % 2 === 1);
      for (let round = 0; round < (chosen.length === 0 ? 1 : ROUNDS); round += 1) {
        yield { ...Object.assign({}, ...chosen.map((pick) => pick([]))), sort };
      }
    }
  }
}

const INDEXES = [
  ...['sqlite_autoindex_price_meters_1', 'price_meters_price', 'price_meters_updated_at', 'price_meters_provider'],
];

/** Finds each page by every index, and counts the pages by the index that was chosen. */
function tryEveryIndex(): ReadonlySet<string> {
  const chosen = new Set<string>();
  const { rows } = View.prototype;
  vi.spyOn(View.prototype, 'rows').mockImplementation(function (this: View, sql, values) {
    const found = rows.call(this, sql, values);
    const index = /INDEXED BY (\w+)/.exec(sql)?.[1];
    if (index === undefined) return found;
    chosen.add(index);
    for (const other of INDEXES) {
      expect(rows.call(this, sql.replace(index, other), values), `${sql} by ${other}`).toEqual(found);
    }
    return found;
  });
  return chosen;
}

afterEach(() => void vi.restoreAllMocks());

describe.each(nextDays(DAYS))('on $day, in version $version', ({ day, next }) => {
  let all: readonly Priced[];
  beforeAll(async () => {
    all = await pricesOn(day);
  });

  test('every combination of filters and order is listed in full, by every index', async () => {
    expect(api.follower.current().newest.day).toBe(day);
    const chosen = tryEveryIndex();
    let found = 0;
    for (const query of queries()) {
      const expected = expectedOf(all, query).map(({ record }) => record);
      const limit = choose.pick([1, 3, 7, 500]);
      const path = pathOf(query, limit);
      const first = await getList(api, path);
      expect(first.total, path).toBe(expected.length);
      expect(await pageList(api, path), path).toEqual(expected);
      found += expected.length;
    }
    expect(found).toBeGreaterThan(170 * ROUNDS);
    expect([...chosen].sort()).toEqual([...INDEXES].sort());
  });

  test('pages go on where they were after the next release, whatever is gone', async () => {
    const begun: { readonly query: Query; readonly cursor: string; readonly last: Priced }[] = [];
    for (const query of queries()) {
      const expected = expectedOf(all, query);
      let path = pathOf(query, 2);
      for (let at = 1; at < Math.min(expected.length - 1, 12); at += 2) {
        const cursor = String((await getList(api, path)).next_cursor);
        const last = expected[at];
        if (last !== undefined) begun.push({ query, cursor, last });
        path = `${pathOf(query, 2)}&cursor=${cursor}`;
      }
    }
    await api.store.publish(next, dayRows(worldOf(next)));
    await api.follower.refresh();
    const renewed = await pricesOn(next);
    for (const { query, cursor, last } of begun) {
      const compare = compareIn(query);
      const later = expectedOf(renewed, query).filter((price) => compare(price, last) > 0);
      const sent = await pageList(api, pathOf(query, 500), { from: cursor });
      expect(sent, `${pathOf(query, 2)} after ${last.key}`).toEqual(later.map(({ record }) => record));
    }
    expect(begun.length).toBeGreaterThan(40 * ROUNDS);
  });

  test('the view that followed the night has the meters of one built anew', async () => {
    const { price_meters: meters = [] } = await servedTables(api, next !== CUTOVER);
    expect(meters.length > 4 * worldOf(next).length).toBe(next >= CUTOVER);
  });
});
