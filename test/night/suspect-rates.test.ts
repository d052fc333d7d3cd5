/** Rates follow the rules of suspect prices (specification "Suspect prices"). */
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { number, text } from '../../storage/duckdb/row-shape.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import { newestOf, readIssues, readRecords, recordsFrom } from '../support/pipeline/published.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { CUTOVER } from '../worlds/rated-days.ts';

const SETTINGS = { price_range: [0.001, 1000], max_price_ratio: 10, suspect_days: 3, max_suspect_fraction: 1 };

const cache = (price: number, more: object = {}) => ({
  ...{ meter: 'cache_read', unit: 'token', per: 1_000_000, price },
  ...more,
});
const search = (price: number, more: object = {}) => ({ meter: 'search', unit: 'request', per: 1, price, ...more });

/** What the source says of a price on a day, and what its record then has, with the suspect if it is one. */
interface Given {
  readonly rates: readonly object[];
  readonly input?: number;
  readonly isAccepted?: boolean;
}
interface Found {
  readonly price: unknown;
  readonly rates: unknown;
  readonly suspect: object | undefined;
  readonly issues: readonly object[];
}

/** The prices of this file, a model each, by days counted from the cutover: all are published in the same nights. */
const prices: { readonly given: ReadonlyMap<number, Given>; readonly found: Map<number, Found> }[] = [];
const idOf = (index: number) => `pricing:m${index}:p`;

/** Gives a price from a day on, a day each; the function resolves to what was found on a day. */
function inNights(first: number, ...days: readonly (Given | Given['rates'])[]): (at: number) => Found {
  const given = days.map((day, index): [number, Given] => [first + index, 'rates' in day ? day : { rates: day }]);
  const price = { given: new Map(given), found: new Map<number, Found>() };
  prices.push(price);
  return (at) => price.found.get(at) ?? expect.fail(`no night ${at}`);
}

beforeAll(async () => {
  const store = await openTemporaryStore();
  const nights = [...new Set(prices.flatMap(({ given }) => [...given.keys()]))].sort((a, b) => a - b);
  for (const at of nights) {
    const models = prices.map((_, index) => ({ id: `m${index}`, name: 'M' }));
    const pricing = prices.flatMap(({ given }, index) => {
      const { rates, input } = given.get(at) ?? {};
      const unconditioned = input === undefined ? [] : [{ ...cache(input), meter: 'input' }];
      const row = { model_id: `m${index}`, provider: 'p', input_per_million: input };
      return rates === undefined ? [] : [{ ...row, rates: [...rates, ...unconditioned] }];
    });
    const acceptSuspects = prices.flatMap(({ given }, index) => (given.get(at)?.isAccepted ? [idOf(index)] : []));
    const { report } = await store.publish(
      addDays(CUTOVER, at),
      { models, pricing },
      { settings: SETTINGS, acceptSuspects },
    );
    const records = await readRecords(store, 'pricing');
    const issues = recordsFrom(await readIssues(report));
    const held = await store.reader.rows(
      { model: text, rule: text, since: text, days: number },
      `SELECT model_id AS model, rule, since::VARCHAR AS since, days::DOUBLE AS days
       FROM read_parquet(${sqlText(join(store.folder, releaseKey(await newestOf(store), RELEASE_PATHS.suspects)))})`,
    );
    for (const [index, { found }] of prices.entries()) {
      const record = records.find(({ model_id }) => model_id === `m${index}`);
      const { model, ...suspect } = held.find((row) => row.model === `m${index}`) ?? {};
      found.set(at, {
        price: record?.['input_per_million'],
        rates: record?.['rates'],
        suspect: model === undefined ? undefined : suspect,
        issues: issues.filter(({ reason }) => String(reason).includes(idOf(index))),
      });
    }
  }
  return store.dispose;
});

const suspect = (rule: string, since: number, days: number) => ({ rule, since: addDays(CUTOVER, since), days });
const jump = (...rates: object[]) => `max_price_ratio ${rates.map((rate) => JSON.stringify(rate)).join(', ')}`;

const jumping = inNights(0, [cache(1)], [cache(11)], [cache(12)], [cache(12)], [cache(12)]);
test('a rate that jumps is held back, named, and admitted after the days on which exactly it was seen', () => {
  expect(jumping(1)).toMatchObject({
    rates: [cache(1)],
    suspect: suspect(jump(cache(11)), 1, 1),
    issues: [
      {
        kind: 'suspect',
        field: 'rates',
        value: JSON.stringify([cache(11)]),
        reason: `breaks ${jump(cache(11))} since ${addDays(CUTOVER, 1)}; accept it as pricing:m0:p`,
      },
    ],
  });
  expect(jumping(2)).toMatchObject({ rates: [cache(1)], suspect: suspect(jump(cache(12)), 2, 1) });
  expect(jumping(3)).toMatchObject({ rates: [cache(1)], suspect: suspect(jump(cache(12)), 2, 2) });
  expect(jumping(4)).toMatchObject({ rates: [cache(12)], suspect: undefined });
});

const [both, other] = [
  [cache(11), search(99)],
  [cache(11), search(98)],
];
const one = [cache(11), search(1)];
const joined = inNights(0, [cache(1), search(1)], one, one, both, other);
test('a second rate that jumps meanwhile counts its own days', () => {
  const before = [cache(1), search(1)];
  expect(joined(3)).toMatchObject({ rates: before, suspect: suspect(jump(...both), 3, 1) });
  expect(joined(4)).toMatchObject({ rates: before, suspect: suspect(jump(...other), 4, 1) });
});

const outside = [cache(100), cache(1001, { when: { tier: 'batch' } }), search(1)];
const outOfRange = inNights(
  0,
  [cache(1), search(1)],
  ...Array(4).fill(outside),
  { rates: outside, isAccepted: true },
  outside,
  [cache(1), search(1)],
);
test('an operator admits a rate, in or out of the range; time admits none out of it, also beside a jump', () => {
  for (const days of [1, 2, 3, 4]) {
    const rule = `price_range ${JSON.stringify(outside[1])}`;
    expect(outOfRange(days).suspect).toEqual(suspect(rule, 1, days));
  }
  expect(outOfRange(5)).toMatchObject({ rates: outside, suspect: undefined });
  expect(outOfRange(6).suspect).toBeUndefined();
  expect(outOfRange(7).rates).toEqual([cache(100), outside[1], search(1)]);
});

const dear = { rates: [cache(1)], input: 99 };
const withWrong = inNights(
  0,
  { rates: [cache(1)], input: 1 },
  dear,
  dear,
  { ...dear, rates: [cache(5000)] },
  dear,
  dear,
);
test('a price out of the range or one that jumps is not admitted with a rate that is new in it', () => {
  expect(withWrong(1).suspect).toEqual(suspect('max_price_ratio', 1, 1));
  expect(withWrong(3).suspect).toMatchObject({ rule: `price_range ${JSON.stringify(cache(5000))}` });
  // That day did not give exactly this price, and its days count anew.
  expect(withWrong(4).suspect).toEqual(suspect('max_price_ratio', 3, 2));
  expect(withWrong(5)).toMatchObject({ rates: [cache(1), { ...cache(99), meter: 'input' }], suspect: undefined });
});

const perThousand = search(10, { per: 1000 });
const inImages = [search(5000, { unit: 'image' }), perThousand];
const inOtherUnits = inNights(0, [search(0.01)], [perThousand], inImages);
test('a rate that changes its number of units, or is new, is no jump', () => {
  expect(inOtherUnits(1).rates).toEqual([perThousand]);
  expect(inOtherUnits(2).rates).toEqual(inImages);
});

const filled = inNights(-2, [cache(1)], [cache(500)], [cache(0.01)], [cache(900)]);
test('rates that are filled at the cutover are no jump, whatever the source said before', () => {
  expect(filled(-1)).toMatchObject({ rates: undefined, suspect: undefined });
  expect(filled(0)).toMatchObject({ rates: [cache(0.01)], suspect: undefined });
  expect(filled(1).suspect).toMatchObject({ rule: jump(cache(900)) });
});

const above = [cache(2000)];
const early = inNights(-2, { rates: above, input: 1 }, { rates: above, input: 3 });
test('before the cutover rates hold no price back: there are none to compare them with', () => {
  expect(early(-2)).toMatchObject({ price: 1, rates: undefined, suspect: undefined });
  expect(early(-1)).toMatchObject({ price: 3, rates: undefined, suspect: undefined });
});
