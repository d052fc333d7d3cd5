/** Rates follow the rules of suspect prices (specification "Suspect prices"). */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { number, text } from '../../storage/duckdb/row-shape.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import { newestOf, readIssues, readRecords, recordsFrom } from '../support/pipeline/published.ts';
import { useStore } from '../support/pipeline/use-store.ts';
import { CUTOVER } from '../worlds/rated-days.ts';

const SETTINGS = { price_range: [0.001, 1000], max_price_ratio: 10, suspect_days: 3, max_suspect_fraction: 1 };
const ID = 'm:p';

const store = useStore();

const cache = (price: number, more: object = {}) => ({
  ...{ meter: 'cache_read', unit: 'token', per: 1_000_000, price },
  ...more,
});
const search = (price: number, more: object = {}) => ({ meter: 'search', unit: 'request', per: 1, price, ...more });

/** Publishes a day, counted from the cutover; resolves to what the record then has, and the suspect if it is one. */
async function publish(at: number, rates: readonly object[], more: { input?: number; acceptSuspects?: string[] } = {}) {
  const { input, acceptSuspects = [] } = more;
  const unconditioned = input === undefined ? [] : [{ ...cache(input), meter: 'input' }];
  const row = { model_id: 'm', provider: 'p', input_per_million: input, rates: [...rates, ...unconditioned] };
  const rows = { models: [{ id: 'm', name: 'M' }], pricing: [row] };
  const result = await store.publish(addDays(CUTOVER, at), rows, { settings: SETTINGS, acceptSuspects });
  const [record] = await readRecords(store, 'pricing');
  const suspects = sqlText(join(store.folder, releaseKey(await newestOf(store), RELEASE_PATHS.suspects)));
  const [suspect] = await store.reader.rows(
    { rule: text, since: text, days: number },
    `SELECT rule, since::VARCHAR AS since, days::DOUBLE AS days FROM read_parquet(${suspects})`,
  );
  return { price: record?.['input_per_million'], rates: record?.['rates'], suspect, report: result.report };
}

const suspect = (rule: string, since: number, days: number) => ({ rule, since: addDays(CUTOVER, since), days });
const jump = (...rates: object[]) => `max_price_ratio ${rates.map((rate) => JSON.stringify(rate)).join(', ')}`;

test('a rate that jumps is held back, named, and admitted after the days on which exactly it was seen', async () => {
  await publish(0, [cache(1)]);
  const held = await publish(1, [cache(11)]);
  expect(held).toMatchObject({ rates: [cache(1)], suspect: suspect(jump(cache(11)), 1, 1) });
  expect(recordsFrom(await readIssues(held.report))).toMatchObject([
    {
      kind: 'suspect',
      field: 'rates',
      value: JSON.stringify([cache(11)]),
      reason: `breaks ${jump(cache(11))} since ${addDays(CUTOVER, 1)}; accept it as pricing:m:p`,
    },
  ]);
  expect(await publish(2, [cache(12)])).toMatchObject({ rates: [cache(1)], suspect: suspect(jump(cache(12)), 2, 1) });
  expect(await publish(3, [cache(12)])).toMatchObject({ rates: [cache(1)], suspect: suspect(jump(cache(12)), 2, 2) });
  expect(await publish(4, [cache(12)])).toMatchObject({ rates: [cache(12)], suspect: undefined });
});

test('a second rate that jumps meanwhile counts its own days', async () => {
  await publish(0, [cache(1), search(1)]);
  await publish(1, [cache(11), search(1)]);
  await publish(2, [cache(11), search(1)]);
  const both = await publish(3, [cache(11), search(99)]);
  expect(both).toMatchObject({ rates: [cache(1), search(1)], suspect: suspect(jump(cache(11), search(99)), 3, 1) });
  const other = await publish(4, [cache(11), search(98)]);
  expect(other).toMatchObject({ rates: [cache(1), search(1)], suspect: suspect(jump(cache(11), search(98)), 4, 1) });
});

test('an operator admits a rate, in or out of the range; time admits none out of it, also beside a jump', async () => {
  await publish(0, [cache(1), search(1)]);
  const outside = [cache(100), cache(1001, { when: { tier: 'batch' } }), search(1)];
  for (const [at, days] of [
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
  ] as const) {
    expect((await publish(at, outside)).suspect).toEqual(suspect(`price_range ${JSON.stringify(outside[1])}`, 1, days));
  }
  const admitted = await publish(5, outside, { acceptSuspects: [`pricing:${ID}`] });
  expect(admitted).toMatchObject({ rates: outside, suspect: undefined });
  expect((await publish(6, outside)).suspect).toBeUndefined();
  expect((await publish(7, [cache(1), search(1)])).rates).toEqual([cache(100), outside[1], search(1)]);
});

test('a price out of the range or one that jumps is not admitted with a rate that is new in it', async () => {
  await publish(0, [cache(1)], { input: 1 });
  expect((await publish(1, [cache(1)], { input: 99 })).suspect).toEqual(suspect('max_price_ratio', 1, 1));
  await publish(2, [cache(1)], { input: 99 });
  const wrong = await publish(3, [cache(5000)], { input: 99 });
  expect(wrong.suspect?.rule).toBe(`price_range ${JSON.stringify(cache(5000))}`);
  // That day did not give exactly this price, and its days count anew.
  expect((await publish(4, [cache(1)], { input: 99 })).suspect).toEqual(suspect('max_price_ratio', 3, 2));
  const back = await publish(5, [cache(1)], { input: 99 });
  expect(back).toMatchObject({ rates: [cache(1), { ...cache(99), meter: 'input' }], suspect: undefined });
});

test('a rate that changes its number of units, or is new, is no jump', async () => {
  await publish(0, [search(0.01)]);
  const perThousand = search(10, { per: 1000 });
  expect((await publish(1, [perThousand])).rates).toEqual([perThousand]);
  const inImages = [search(5000, { unit: 'image' }), perThousand];
  expect((await publish(2, inImages)).rates).toEqual(inImages);
});

test('rates that are filled at the cutover are no jump, whatever the source said before', async () => {
  await publish(-2, [cache(1)]);
  expect(await publish(-1, [cache(500)])).toMatchObject({ rates: undefined, suspect: undefined });
  expect(await publish(0, [cache(0.01)])).toMatchObject({ rates: [cache(0.01)], suspect: undefined });
  expect((await publish(1, [cache(900)])).suspect?.rule).toBe(jump(cache(900)));
});

test('before the cutover rates hold no price back: there are none to compare them with', async () => {
  const above = cache(2000);
  expect(await publish(-2, [above], { input: 1 })).toMatchObject({ rates: undefined, suspect: undefined });
  expect(await publish(-1, [above], { input: 3 })).toMatchObject({ price: 3, rates: undefined, suspect: undefined });
});
