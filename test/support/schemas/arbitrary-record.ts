/** Random published records, for property tests: every type at its edges, every nullable column null at times. */
import fc from 'fast-check';
import { dayFromDate, timestampFromDate } from '../../../runtime/day.ts';
import { type Column, type ColumnType, type Dataset, publishedColumns } from '../../../schemas/datasets.ts';
import { MODALITIES_FORM } from '../../../schemas/json-columns.ts';
import type { JsonForm } from '../../../schemas/json-form.ts';
import { APPLIES, METERS, RATE_UNITS, RATES_FORM, type Rate, TIERS } from '../../../schemas/rates.ts';
import type { PublishedRecord, PublishedValue } from '../../../schemas/records.ts';

/** Control characters that a text may hold; an id holds none. See the row rules of the capture. */
const ALLOWED_IN_TEXT = ['\t', '\n', '\r', '\u007f'];

const EDGE_NUMBERS = [
  ...[0, -0, 1, -1, 0.1 + 0.2, 5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1e-7, 1e-6, 1.5e-7],
  ...[1e-5, 1e-4, 123456.789, 999999999999999.9, 1e15, 1e16, 1e20, 123456789012345680000, 1e21, 1.5e21, 1e22, 1e23],
  ...[2 ** 53, 2 ** 53 + 2, -(2 ** 63), 2 ** 64, Number.MAX_VALUE, -Number.MAX_VALUE, Number.EPSILON],
];

/** Finite doubles of all magnitudes. */
export const anyNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(...EDGE_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((thousandths) => thousandths / 1000),
  fc
    .tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.integer({ min: -330, max: 300 }))
    .map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
);

const anyCharacters = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '/', ':', '%', '\n', '\t', '\u007f', '\u2028', 'é', '言', '😀', "'", '{', ' '),
    maxLength: 30,
  }),
);

export const anyText: fc.Arbitrary<string> = anyCharacters.map((text) => withoutControl(text, ALLOWED_IN_TEXT));
export const anyId: fc.Arbitrary<string> = anyCharacters
  .map((text) => withoutControl(text, []).trim())
  .filter((text) => text.length > 0 && text.length <= 200);

const anyInstant = fc.date({
  min: new Date('1970-01-01'),
  max: new Date('2100-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

const anyCondition = fc.oneof(
  fc.record(
    {
      tier: fc.constantFrom(...TIERS),
      region: fc.constantFrom('eu', 'us-gov-west-1'),
      context_min: fc.integer({ min: 1, max: 2_000_000 }),
    },
    { requiredKeys: [] },
  ),
  fc.record({ context_min: fc.integer({ min: 1 }), applies: fc.constantFrom(...APPLIES) }),
);

export const anyRate: fc.Arbitrary<Rate> = fc.record(
  {
    meter: fc.constantFrom(...METERS),
    unit: fc.constantFrom(...RATE_UNITS),
    per: fc.constantFrom(1, 1000, 1_000_000),
    price: anyNumber.map(Math.abs).filter((price) => price <= 1e12),
    when: anyCondition,
  },
  { requiredKeys: ['meter', 'unit', 'per', 'price'] },
);

const anyModality = fc.constantFrom('text', 'image', 'audio', 'video', 'pdf');

const ANY_OF_TYPE: Readonly<Record<ColumnType, fc.Arbitrary<PublishedValue>>> = {
  id: anyId,
  text: anyText,
  'text[]': fc.array(anyId, { maxLength: 4 }),
  double: anyNumber,
  integer: fc.integer(),
  bigint: fc.maxSafeInteger(),
  boolean: fc.boolean(),
  date: anyInstant.map(dayFromDate),
  timestamp: fc.oneof(
    anyInstant.map(timestampFromDate),
    anyInstant.map((date) => timestampFromDate(new Date(Math.trunc(date.getTime() / 1000) * 1000))),
  ),
  rates: fc.array(anyRate, { minLength: 1, maxLength: 5 }).map((rates) => canonical(RATES_FORM, distinct(rates))),
  modalities: fc
    .record({
      input: fc.array(anyModality, { minLength: 1, maxLength: 3 }),
      output: fc.array(anyModality, { maxLength: 3 }),
    })
    .map((modalities) => canonical(MODALITIES_FORM, modalities)),
};

function canonical<T>(form: JsonForm<T>, value: unknown): T {
  const parsed = form.parse(JSON.stringify(value));
  if ('problem' in parsed || parsed.value === null) throw new Error(`not ${form.label}: ${JSON.stringify(parsed)}`);
  return parsed.value;
}

/** One per meter, unit and condition. */
function distinct(rates: readonly Rate[]): readonly Rate[] {
  return [...new Map(rates.map((rate) => [JSON.stringify({ ...rate, price: 0, per: 1 }), rate])).values()];
}

function withoutControl(text: string, allowed: readonly string[]): string {
  const isControl = (character: string) => character < ' ' || character === '\u007f';
  return [...text].filter((character) => !isControl(character) || allowed.includes(character)).join('');
}

function anyValue(column: Column) {
  const { nullable, min } = column;
  const value = notNull(column).map((of) => (typeof of === 'number' && min !== undefined ? Math.max(of, min) : of));
  return nullable ? fc.option(value, { nil: null, freq: 4 }) : value;
}

function notNull({ type, values, form }: Column): fc.Arbitrary<PublishedValue> {
  if (values !== undefined) return fc.constantFrom(...values);
  return form === undefined ? ANY_OF_TYPE[type] : fc.stringMatching(new RegExp(`^(?:${form.pattern})$`));
}

export function anyRecord(dataset: Dataset): fc.Arbitrary<PublishedRecord> {
  return fc.record(Object.fromEntries(publishedColumns(dataset).map((column) => [column.name, anyValue(column)])));
}
