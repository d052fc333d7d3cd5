/**
 * Models that are no longer in the data, over small random days, against an independent reading of their rows: every combination of
 * filters, order and page; before record version 1.2 and after it; and over a publication.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { addDays, type Day } from '../../runtime/day.ts';
import { compareText, laterRows, sortRecords } from '../api-oracle/order.ts';
import type { WireRecord } from '../api-oracle/world.ts';
import { getList, pageList } from '../support/api/lists.ts';
import { openOwnApi, useApi } from '../support/api/use-api.ts';
import { useViews } from '../support/api/use-views.ts';
import { readRecords } from '../support/pipeline/published.ts';
import { createChooser } from '../support/random.ts';
import { dayRows, LIVED_DAYS, LIVING_IDS, type LivingRow, livingFew } from '../worlds/living-few.ts';
import { CUTOVER, nextDays } from '../worlds/rated-days.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const SEED = Number(process.env['REMOVED_SEED'] ?? 1);
const choose = createChooser(SEED);
const WORLDS = livingFew(choose);
const worldOf = (day: Day): readonly LivingRow[] => WORLDS.get(day) ?? [];
const [FIRST = ''] = LIVED_DAYS;

/** A day's rows as its source has them. */
function sentOn(day: Day) {
  const aside = asideOn(day);
  return dayRows(worldOf(day).map((row) => (row.id === aside ? { ...row, context_length: -1 } : row)));
}

/** The model whose row is set aside on a day, if one is: it was there the day before, and is gone the day after. */
function asideOn(day: Day): string | undefined {
  const at = LIVED_DAYS.indexOf(day);
  const isThere = (id: string, on: number) => worldOf(LIVED_DAYS[on] ?? '').some((row) => row.id === id);
  const ids = at % 3 === 1 ? LIVING_IDS : [];
  return ids.find((id) => isThere(id, at - 1) && isThere(id, at) && !isThere(id, at + 1));
}

const api = useApi({
  days: (store) => store.publish(FIRST, sentOn(FIRST)),
  now: `${addDays(CUTOVER, 90)}T12:00:00Z`,
  settings: { cacheBytes: 1 },
});
const { servedTables } = useViews(() => api.store);

/** Each model's newest record as published, with the day on which it was missing. */
const seen = new Map<string, WireRecord>();

/** All models by id: those of the day, and those of earlier ones that are gone. */
async function modelsOn(day: Day): Promise<readonly WireRecord[]> {
  const current = (await readRecords(api.store, 'models')) as unknown as readonly WireRecord[]; // Lines of a snapshot.
  expect(current).toHaveLength(worldOf(day).length);
  const ids = new Set(current.map((record) => String(record['id'])));
  const dayBefore = LIVED_DAYS[LIVED_DAYS.indexOf(day) - 1] ?? '';
  const aside = asideOn(dayBefore);
  for (const [id, record] of seen) {
    if (ids.has(id) || record['removed_at'] !== undefined) continue;
    seen.set(id, { ...record, removed_at: id === aside ? dayBefore : day });
  }
  for (const record of current) seen.set(String(record['id']), record);
  return [...seen.values()]
    .map((record) => (day < CUTOVER ? record : inNewest(record)))
    .sort((a, b) => compareText(String(a['id']), String(b['id'])));
}

/** In version 1.2, whatever the version in which the record was published. */
function inNewest(record: WireRecord): WireRecord {
  const row = { status: null, deprecated_on: null, retires_on: null, replaced_by: null, max_output_tokens: null };
  return { ...row, knowledge_cutoff: null, open_weights: null, modalities: null, capabilities: null, ...record };
}

interface Query {
  readonly q?: string;
  readonly alias?: string;
  readonly organization?: string;
  readonly provider?: string;
  readonly min_context?: string;
  readonly released_after?: string;
  readonly max_input_price?: string;
  readonly sort?: string;
}

function expectedOf(all: readonly WireRecord[], query: Query, day: Day): readonly WireRecord[] {
  const { q, alias, organization, provider, min_context: context, released_after: after, max_input_price: max } = query;
  const prices = new Map(
    dayRows(worldOf(day)).pricing?.map((row) => [Object(row)['model_id'], Object(row)['input_per_million']]),
  );
  const lower = (text: unknown) => Array.from(String(text), (each) => [...each.toLowerCase()][0]).join('');
  const rows = all
    .filter(({ id, name }) => q === undefined || [id, name].some((text) => lower(text).includes(lower(q))))
    .filter(({ id }) => alias === undefined || id === alias)
    .filter((model) => organization === undefined || model['organization'] === organization)
    .filter((model) => provider === undefined || (model['inference'] as readonly string[] | null)?.includes(provider))
    .filter((model) => context === undefined || Number(model['context_length'] ?? -1) >= Number(context))
    .filter((model) => after === undefined || String(model['release_date'] ?? '') >= after)
    .filter(({ id, removed_at: at }) => max === undefined || (at === undefined && prices.get(id) <= Number(max)));
  return sortRecords('models', rows, query.sort ?? 'id');
}

function pathOf(query: Query, limit: number, more: Readonly<Record<string, string>> = { include: 'removed' }): string {
  return `/v1/models?${new URLSearchParams([...Object.entries({ ...query, ...more }), ['limit', String(limit)]])}`;
}

const SORTS = ['id', 'name', 'release_date', 'context_length', 'updated_at'].flatMap((sort) => [sort, `-${sort}`]);

/** Each combination of filters in a random order, and each order alone. */
function* queries(): Iterable<Query> {
  const makers: readonly (() => Query)[] = [
    () => ({ q: choose.pick(['a', 'N1', 'same', 'İ', 'σ', '%']) }),
    () => ({ alias: choose.pick(LIVING_IDS) }),
    () => ({ organization: choose.pick(['maker', 'Maker', 'ö', 'nobody']) }),
    () => ({ provider: choose.pick(['p1', 'p2', 'p3']) }),
    () => ({ min_context: choose.pick(['0', '1001', '2000']) }),
    () => ({ released_after: choose.pick(['2025-01-01', '2025-01-02']) }),
    () => ({ max_input_price: choose.pick(['0', '2', '99']) }),
  ];
  for (const sort of SORTS) yield { sort };
  for (let combination = 0; combination < 2 ** makers.length; combination += 1) {
    const chosen = makers.filter((_, at) => (combination >> at) % 2 === 1);
    yield { ...Object.assign({}, ...chosen.map((make) => make())), sort: choose.pick(SORTS) };
  }
}

describe.each(nextDays(LIVED_DAYS))('on $day, in version $version', ({ day, next }) => {
  let all: readonly WireRecord[];
  beforeAll(async () => {
    all = await modelsOn(day);
  });

  test('every combination of filters and order lists the models that are gone among the others', async () => {
    expect(api.follower.current().newest.day).toBe(day);
    expect(all.some((model) => model['removed_at'] !== undefined)).toBe(day !== FIRST);
    for (const query of queries()) {
      const expected = expectedOf(all, query, day);
      const path = pathOf(query, choose.pick([3, 7, 200]));
      expect((await getList(api, path)).total, path).toBe(expected.length);
      expect(await pageList(api, path), path).toEqual(expected);
    }
  });

  test('without include there are none of them, and a cursor of one list is refused by the other', async () => {
    const current = all.filter((model) => model['removed_at'] === undefined);
    const { records, total, next_cursor: cursor } = await getList(api, pathOf({}, 3, {}));
    expect([records, total]).toEqual([current.slice(0, 3), current.length]);
    const crossed = await api.get(`${pathOf({}, 3)}&cursor=${cursor}`);
    expect([crossed.statusCode, crossed.json().detail]).toMatchObject([422, [{ type: 'cursor_invalid' }]]);
  });

  test('pages go on where they were after the next release', async () => {
    const begun: { readonly query: Query; readonly cursor: string; readonly last: WireRecord }[] = [];
    for (const sort of ['id', 'name', '-release_date', '-updated_at']) {
      const last = expectedOf(all, { sort }, day)[4];
      const { next_cursor: cursor } = await getList(api, pathOf({ sort }, 5));
      if (last !== undefined && cursor !== null) begun.push({ query: { sort }, cursor, last });
    }
    await api.store.publish(next, sentOn(next));
    await api.follower.refresh();
    const renewed = await modelsOn(next);
    for (const { query, cursor, last } of begun) {
      const rows = expectedOf(renewed, query, next);
      const later = laterRows('models', rows, { sort: query.sort ?? 'id', last });
      expect(await pageList(api, pathOf(query, 200), { from: cursor }), query.sort ?? '').toEqual(later);
    }
    expect(begun).toHaveLength(4);
  });

  test('the view that followed the night has the models that are gone, and the events, of one built anew', async () => {
    const { ended_models: gone = [], lifecycle: events = [] } = await servedTables(api, next !== CUTOVER);
    expect([gone.length > 0, events.length > 0]).toEqual([true, next >= CUTOVER]);
  });
});

test('a model whose row is set aside is current; once it is gone, it is gone since that row; one that came and went is listed too', async () => {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = [1, 2, 3, 4, 5].map((days) =>
    addDays(CUTOVER, days),
  );
  const stays = { id: 'stays', name: 'Stays', updated_at: '2025-01-01T00:00:00Z' };
  const leaves = { id: 'leaves', name: 'Leaves' };
  const own = await openOwnApi({
    now: `${addDays(CUTOVER, 9)}T12:00:00Z`,
    days: (store) => store.publish(first, { models: [stays, leaves] }),
  });
  const listed = async () => {
    await own.follower.refresh();
    const { records } = await getList(own, '/v1/models?include=removed');
    return records.map(({ id, removed_at: at }) => [id, at]);
  };
  const tags = async () => {
    const [current, all] = [await own.get('/v1/models'), await own.get('/v1/models?include=removed')];
    return { current: current.headers['etag'], all: all.headers['etag'] };
  };
  const [left, stayed] = [
    ['leaves', second],
    ['stays', undefined],
  ];
  await own.store.publish(second, { models: [stays, { ...leaves, context_length: -1 }] });
  expect(await listed()).toEqual([['leaves', undefined], stayed]);
  await own.store.publish(third, { models: [stays] });
  expect(await listed()).toEqual([left, stayed]);
  // The current models are the same as before the one that passes.
  const before = await tags();
  await own.store.publish(fourth, { models: [stays, { id: 'passes', name: 'Passes' }] });
  await own.store.publish(fifth, { models: [stays] });
  expect(await listed()).toEqual([left, ['passes', fifth], stayed]);
  const after = await tags();
  expect([after.all === before.all, after.current === before.current]).toEqual([false, true]);
});
