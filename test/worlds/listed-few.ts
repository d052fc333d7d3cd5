import fc from 'fast-check';
import { addDays, type Day } from '../../runtime/day.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';

/** A day's rows, and what upstreams call its models, as a CSV file. */
export interface ListedFew {
  readonly rows: DayRows;
  readonly aliases: string;
}

/** Of several scripts, beginning alike, of another order in UTF-16 than in UTF-8, and with what URLs, JSON and SQL write otherwise. */
const IDS = [
  ...['a', 'A', 'aa', 'a a', 'a/b', 'a:b', 'ab', 'b', 'é', 'e\u0301', 'É', 'ß', 'İ', 'ı', 'Σ', 'ς', '中文', 'العربية'],
  ...[
    '\uff5e',
    '\u{1f600}',
    '\u{10ffff}',
    '%',
    '%2F',
    '_',
    '"',
    `'`,
    '\\',
    '?#&=+',
    '{"',
    '0',
    '-1',
    'null',
    'x'.repeat(200),
  ],
];

/** Names with other cases, and with the same first 200 characters, which are those that they are sorted by. */
const NAMES = [
  ...[
    'Zulu',
    'zulu',
    'İstanbul',
    'istanbul',
    'Straße',
    'STRASSE',
    'ΟΔΟΣ',
    'οδος',
    '\u{1f600}',
    '\uff5e',
    '100% "best"',
  ],
  ...['long ', 'long 😀'].flatMap((stem) => [stem.repeat(50), `${stem.repeat(50)}b`, `${stem.repeat(50)}a`]),
];

const BENCHMARKS = ['code', 'Code', 'math/x', '数', '\u{1f600}'];
const SOURCES = ['official', 'Official', 'https://example.org/a', 'é', undefined];
/** One begins with what a decoder of UTF-8 may drop. */
const ORGANIZATIONS = ['x', 'X', '\ufeffx', 'ÿ', undefined];
const PROVIDERS = ['p1', 'P1', 'é'];
const CATEGORIES = ['general', 'General'];
const UPSTREAMS = ['shop', 'mall'];

const anyDay = (count: number) => fc.nat(count - 1).map((days): Day => addDays('2026-01-01', days));
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
/** Of three days, now and then with milliseconds. */
const anyTime = fc
  .tuple(anyDay(3), fc.constantFrom('00:00:00Z', '00:00:00.250Z', '20:55:45Z'))
  .map(([day, time]) => ({ updated_at: `${day}T${time}` }));

/** An id of the list, or any that is one: without control characters or white space around it. */
const anyId = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...IDS) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'binary', minLength: 1, maxLength: 6 })
      .map((text) =>
        [...text]
          .filter((character) => character > '\u009f')
          .join('')
          .trim(),
      )
      .filter((id) => id !== ''),
  },
);

const modelArbitrary = fc.record({
  name: fc.constantFrom(...NAMES),
  organization: fc.constantFrom(...ORGANIZATIONS),
  inference: maybe(fc.subarray(PROVIDERS, { minLength: 1 })),
  release_date: maybe(anyDay(4)),
  context_length: maybe(fc.constantFrom(0, 8000, 8001, Number.MAX_SAFE_INTEGER)),
  at: anyTime,
});

/** Many ties, and the ends of what a number may be. */
const anyValue = fc.oneof(
  fc.integer({ min: -1, max: 2 }),
  fc.constantFrom(0.1 + 0.2, 0.3, 1e15, 1e21, 1e22, 1e-7, 5e-324, 1.7976931348623157e308, -1e300),
);

const scoreArbitrary = fc.record({
  value: anyValue,
  source: fc.constantFrom(...SOURCES),
  measured_at: maybe(anyDay(4)),
  at: anyTime,
});

const priceArbitrary = fc.record({
  input_per_million: maybe(fc.constantFrom(0, 1, 2.5)),
  output_per_million: maybe(fc.constantFrom(0, 3, 10)),
  at: anyTime,
});

/** Each key with its own value, of all keys those that have one. */
function ofEach<T>(keys: readonly string[], values: fc.Arbitrary<T>) {
  return fc
    .tuple(...keys.map(() => maybe(values)))
    .map((all) => keys.flatMap((key, at) => (all[at] === undefined ? [] : [[key, all[at]] as const])));
}

/** A small day with equal, missing and extreme values in everything that can be filtered or sorted. */
export const listedFew: fc.Arbitrary<ListedFew> = fc
  .uniqueArray(anyId, { minLength: 6, maxLength: 14 })
  .chain((ids) =>
    fc.record({
      models: fc.tuple(...ids.map((id) => modelArbitrary.map(({ at, ...model }) => ({ id, ...model, ...at })))),
      benchmarks: fc.tuple(
        ...BENCHMARKS.map((id) =>
          fc.record({ category: fc.constantFrom('c', 'C', undefined), at: anyTime }).map(({ at, ...rest }) => {
            return { id, name: `Name of ${id}`, ...rest, ...at };
          }),
        ),
      ),
      scores: fc.tuple(...ids.map((id) => ofEach(BENCHMARKS, scoreArbitrary).map((scores) => ({ id, scores })))),
      rankings: fc.tuple(
        ...ids.map((id) => ofEach(CATEGORIES, fc.integer({ min: 1, max: 4 })).map((rankings) => ({ id, rankings }))),
      ),
      pricing: fc.tuple(...ids.map((id) => ofEach(PROVIDERS, priceArbitrary).map((prices) => ({ id, prices })))),
      aliases: fc.uniqueArray(
        fc.record({
          upstream: fc.constantFrom(...UPSTREAMS),
          name: fc.oneof(fc.constantFrom(...NAMES.filter((name) => name.length <= 200)), anyId),
          model: fc.constantFrom(...ids),
        }),
        { maxLength: 10, selector: ({ upstream, name }) => `${upstream} ${name}` },
      ),
    }),
  )
  .map(({ models, benchmarks, scores, rankings, pricing, aliases }) => ({
    rows: {
      models,
      benchmarks,
      scores: scores.flatMap(({ id, scores: its }) =>
        its.map(([benchmark_id, { at, ...score }]) => ({ model_id: id, benchmark_id, ...score, ...at })),
      ),
      rankings: rankings.flatMap(({ id, rankings: its }) =>
        its.map(([category, rank]) => ({ model_id: id, category, rank, updated_at: '2026-01-01T00:00:00Z' })),
      ),
      pricing: pricing.flatMap(({ id, prices }) =>
        prices.map(([provider, { at, ...price }]) => ({ model_id: id, provider, ...price, ...at })),
      ),
    },
    aliases: [
      'upstream,id,model_id',
      ...aliases.map(({ upstream, name, model }) => [upstream, name, model].map(quoted).join(',')),
      '',
    ].join('\n'),
  }));

function quoted(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}

/** The settings of the days' source, which name the upstreams. */
export const LISTED_FEW_SETTINGS = {
  aliases: 'aliases.csv',
  upstreams: UPSTREAMS.map((id) => ({ id, name: id, url: 'https://upstream.test' })),
};
