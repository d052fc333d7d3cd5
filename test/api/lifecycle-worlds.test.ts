/**
 * Dates of retirement over small random days, against an independent reading of their rows: every combination of filters and page,
 * before record version 1.2 and after it, and over a publication.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { addDays, type Day } from '../../runtime/day.ts';
import { compareText } from '../api-oracle/order.ts';
import { getList, pageList } from '../support/api/lists.ts';
import { useApi } from '../support/api/use-api.ts';
import { readRecords } from '../support/pipeline/published.ts';
import { createChooser } from '../support/random.ts';
import { dayRows, LIVED_DAYS, LIVING_IDS, type LivingRow, livingFew } from '../worlds/living-few.ts';
import { CUTOVER, nextDays } from '../worlds/rated-days.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const SEED = Number(process.env['LIFECYCLE_SEED'] ?? 1);
/** More in `make test-long`. */
const ROUNDS = process.env['LISTS'] === 'all' ? 4 : 3;
const choose = createChooser(SEED);
const WORLDS = livingFew(choose);
const worldOf = (day: Day): readonly LivingRow[] => WORLDS.get(day) ?? [];
const [FIRST = ''] = LIVED_DAYS;

const api = useApi({
  days: (store) => store.publish(FIRST, dayRows(worldOf(FIRST))),
  now: `${addDays(CUTOVER, 90)}T12:00:00Z`,
  settings: { cacheBytes: 1 },
});

interface Entry {
  readonly model_id: string;
  readonly event: 'deprecation' | 'retirement';
  readonly date: string | null;
  readonly status: unknown;
  readonly organization: unknown;
}

/** What a row says of the events; nothing before version 1.2. */
function datesOf(row: LivingRow | undefined, day: Day): Readonly<Record<Entry['event'], unknown>> {
  if (row === undefined || day < CUTOVER) return { deprecation: undefined, retirement: undefined };
  const { status, deprecated_on: deprecation, retires_on: retirement } = row;
  const isLeaving = ['deprecated', 'retired'].includes(String(status)) || deprecation !== null;
  return { deprecation: deprecation ?? undefined, retirement: retirement ?? (isLeaving ? null : undefined) };
}

/** The first of the days up to one on which the model was there that all say the same. */
function knownSince(id: string, event: Entry['event'], day: Day): Day | undefined {
  const rowOn = (on: Day) => worldOf(on).find((row) => row.id === id);
  const days = LIVED_DAYS.filter((on) => on <= day && rowOn(on) !== undefined);
  const said = (on: Day) => datesOf(rowOn(on), on)[event];
  const other = days.findLastIndex((on) => said(on) !== said(day));
  return days[other + 1];
}

async function entriesOn(day: Day): Promise<readonly Entry[]> {
  const records = await readRecords(api.store, 'models');
  expect(records).toHaveLength(worldOf(day).length);
  return records
    .flatMap((record) => {
      const id = String(record['id']);
      const dates = datesOf(
        worldOf(day).find((row) => row.id === id),
        day,
      );
      return (['deprecation', 'retirement'] as const)
        .filter((event) => dates[event] !== undefined)
        .map((event) => ({
          model_id: id,
          name: record['name'],
          organization: record['organization'],
          event,
          date: dates[event] as string | null,
          status: record['status'],
          replaced_by: record['replaced_by'],
          source: record['source'],
          known_since: knownSince(id, event, day),
          updated_at: record['updated_at'],
        }));
    })
    .sort(compareEntries);
}

function compareEntries(a: Entry, b: Entry): number {
  const dates = compareText(a.date ?? '~', b.date ?? '~');
  return dates || compareText(a.model_id, b.model_id) || compareText(a.event, b.event);
}

interface Query {
  readonly days?: number;
  readonly from?: string;
  readonly model?: string;
  readonly organization?: string;
  readonly event?: string;
}

function expectedOf(all: readonly Entry[], query: Query, day: Day): readonly Entry[] {
  const { days = 365, from, model, organization, event } = query;
  const first = from ?? (model === undefined ? day : '');
  const last = addDays(from ?? day, days);
  return all
    .filter(({ date }) => date === null || (date >= first && (date <= last || last.startsWith('+'))))
    .filter(({ date, status }) => date !== null || status !== 'retired' || from !== undefined || model !== undefined)
    .filter(({ model_id: id }) => model === undefined || model.split(',').includes(id))
    .filter((entry) => organization === undefined || entry.organization === organization)
    .filter((entry) => event === undefined || entry.event === event);
}

function pathOf(query: Query, limit: number): string {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return `/v1/lifecycle?${new URLSearchParams([...given, ['limit', String(limit)]])}`;
}

/** Each combination of filters, of models that were captured up to the day. */
function* queries(day: Day): Iterable<Query> {
  const known = LIVING_IDS.filter(
    (id) => !id.includes(',') && LIVED_DAYS.some((on) => on <= day && worldOf(on).some((row) => row.id === id)),
  );
  const makers: readonly (() => Query)[] = [
    () => ({ days: choose.pick([1, 2, 30, 364, 3650]) }),
    () => ({ from: choose.pick(['0001-01-01', '2024-02-29', day, addDays(day, -1), addDays(day, 1), '9999-12-31']) }),
    () => ({ model: Array.from({ length: choose.integer(1, 12) }, () => choose.pick(known)).join(',') }),
    () => ({ organization: choose.pick(['maker', 'Maker', 'ö', 'nobody']) }),
    () => ({ event: choose.pick(['deprecation', 'retirement']) }),
  ];
  for (let combination = 0; combination < 2 ** makers.length; combination += 1) {
    const chosen = makers.filter((_, at) => (combination >> at) % 2 === 1);
    for (let round = 0; round < (chosen.length === 0 ? 1 : ROUNDS); round += 1) {
      yield Object.assign({}, ...chosen.map((make) => make()));
    }
  }
}

describe.each(nextDays(LIVED_DAYS))('on $day, in version $version', ({ day, next }) => {
  let all: readonly Entry[];
  beforeAll(async () => {
    all = await entriesOn(day);
  });

  test('every combination of filters is listed in full, by date, then id; before version 1.2 nothing is', async () => {
    expect(api.follower.current().newest.day).toBe(day);
    let found = 0;
    for (const query of queries(day)) {
      const expected = expectedOf(all, query, day);
      const path = pathOf(query, choose.pick([1, 3, 7, 500]));
      expect((await getList(api, path)).total, path).toBe(expected.length);
      expect(await pageList(api, path), path).toEqual(expected);
      found += expected.length;
    }
    if (day < CUTOVER) expect(found).toBe(0);
    else expect(found).toBeGreaterThan(300);
  });

  test('pages go on where they were after the next release, and the window is that of the next one', async () => {
    const begun: { readonly query: Query; readonly cursor: string; readonly last: Entry }[] = [];
    for (const query of queries(day)) {
      const last = expectedOf(all, query, day)[1];
      const { next_cursor: cursor } = await getList(api, pathOf(query, 2));
      if (cursor !== null && last !== undefined) begun.push({ query, cursor, last });
    }
    await api.store.publish(next, dayRows(worldOf(next)));
    await api.follower.refresh();
    const renewed = await entriesOn(next);
    for (const { query, cursor, last } of begun) {
      const later = expectedOf(renewed, query, next).filter((entry) => compareEntries(entry, last) > 0);
      const path = pathOf(query, 500);
      expect(await pageList(api, path, { from: cursor }), `${path} after ${last.model_id}`).toEqual(later);
    }
    if (day >= CUTOVER) expect(begun.length).toBeGreaterThan(30);
  });
});
