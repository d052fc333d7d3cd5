import { tmpdir } from 'node:os';
import { DOUBLE, LIST, listValue } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Database } from '../../../storage/duckdb/database.ts';
import { doubleTextSql } from '../../../storage/duckdb/record-sql.ts';
import { anyNumber } from '../../../test/support/schemas/arbitrary-record.ts';
import { type SortType, sortText, sortValue } from './sort-text.ts';

let duckdb: Database;
beforeAll(async () => {
  duckdb = await Database.open(':memory:', { memoryLimit: '300MB', threads: 1, tempFolder: tmpdir() });
});
afterAll(() => duckdb.close());

/** What DuckDB makes of each number `v`. */
async function byDuckDB(expression: string, numbers: readonly number[]): Promise<unknown> {
  const sql = `SELECT ${expression} AS text FROM (SELECT unnest($1) AS v)`;
  const reader = await duckdb.connection.runAndReadAll(sql, [listValue([...numbers])], [LIST(DOUBLE)]);
  return reader.getColumns()[0];
}

function textsOf(type: SortType, values: readonly number[]): readonly string[] {
  return values.map((value) => sortText(type, value));
}

/** Whether each value comes back from its text. */
function expectToReturn(type: SortType, values: readonly number[]): void {
  // No column tells the zeros apart.
  expect(values.map((value) => Number(sortValue(type, sortText(type, value))) + 0)).toEqual(values.map((v) => v + 0));
}

describe('doubles', () => {
  const expectAsPrinted = async (values: readonly number[]) => {
    expect(textsOf('double', values)).toEqual(await byDuckDB(doubleTextSql('v'), values));
    expectToReturn('double', values);
  };

  test('are as DuckDB prints them, at both sides of every power of two and ten', async () => {
    const exponents = Array.from({ length: 2098 }, (_, at) => at - 1074);
    const powers = exponents.flatMap((exponent) => [2 ** exponent, Number(`1e${exponent}`), Number(`7e${exponent}`)]);
    const around = powers.flatMap((power) => [power, power * (1 + Number.EPSILON), power * (1 - Number.EPSILON / 2)]);
    const values = around.filter((value) => Number.isFinite(value));
    await expectAsPrinted([...values, ...values.map((value) => -value)]);
  });

  test('are as DuckDB prints them: whole ones with a point, large and small ones with an exponent, -0', async () => {
    const values = [0, -0, 1, -1, 100, 0.1, 0.1 + 0.2, 1e15, 123456789012345680, 1e20, 1e21, 1e22, 1.5e300, 1e-4, 1e-5];
    await expectAsPrinted([
      ...values,
      1e-6,
      1e-7,
      1.25e-7,
      5e-324,
      Number.MAX_VALUE,
      2 ** 53,
      2 ** 81,
      8.535058474086213e242,
    ]);
    expect(textsOf('double', [0, -0, 100, 1e15, 1e22, 1e-7])).toEqual([
      '0.0',
      '-0.0',
      '100.0',
      '1000000000000000.0',
      '1e22',
      '1e-7',
    ]);
  });

  test('are as DuckDB prints them, whatever they are', async () => {
    const batch = fc.array(anyNumber, { minLength: 200, maxLength: 400 });
    await fc.assert(fc.asyncProperty(batch, expectAsPrinted), { numRuns: 15 });
  });
});

/** The days that records may have: 1970-01-01 to 2100-12-31. */
const LAST_DAY = 47_846;

describe('days', () => {
  test('are as DuckDB prints them, each that a record may have, and come back', async () => {
    const days = Array.from({ length: LAST_DAY + 1 }, (_, at) => at);
    const expected = await byDuckDB(`CAST(DATE '1970-01-01' + v::INTEGER AS VARCHAR)`, days);
    expect(textsOf('day', days)).toEqual(expected);
    expect([expected].flat().at(-1)).toBe('2100-12-31');
    expectToReturn('day', days);
  });
});

describe('times', () => {
  const expectAsPrinted = async (micros: readonly number[]) => {
    expect(textsOf('micros', micros)).toEqual(await byDuckDB('CAST(make_timestamp(v::BIGINT) AS VARCHAR)', micros));
    expectToReturn('micros', micros);
  };
  const second = fc.integer({ min: 0, max: (LAST_DAY + 1) * 86_400 - 1 });
  const fraction = fc.oneof(
    fc.integer({ min: 0, max: 999_999 }),
    fc.integer({ min: 0, max: 999 }).map((milliseconds) => milliseconds * 1000),
    fc.constantFrom(0, 1, 10, 100_000, 999_999, 123_450),
  );

  test('are as DuckDB prints them, without a fraction or with its last digit that counts', async () => {
    const of = (at: string) => Date.parse(at) * 1000;
    await expectAsPrinted([0, 1, 999_999, of('2026-06-10T20:55:45Z'), of('2026-06-10T20:55:45Z') + 120_000]);
    expect(textsOf('micros', [of('2026-06-10T20:55:45Z'), of('2026-06-10T20:55:45.12Z') + 3])).toEqual([
      '2026-06-10 20:55:45',
      '2026-06-10 20:55:45.120003',
    ]);
  });

  test('are as DuckDB prints them, each that a record may have', async () => {
    const micros = fc.tuple(second, fraction).map(([seconds, rest]) => seconds * 1e6 + rest);
    const batch = fc.array(micros, { minLength: 200, maxLength: 400 });
    await fc.assert(fc.asyncProperty(batch, expectAsPrinted), { numRuns: 15 });
  });
});

test('texts and whole numbers are as they are', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => sortValue('text', sortText('text', text)) === text));
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => sortValue('integer', sortText('integer', value)) === value));
});

test.each<readonly [type: SortType, texts: readonly string[]]>([
  ['double', ['', ' ', 'x', '1x', '1,5', '0x10', '1_0', 'NaN', 'null', '--1', '1e', '.', '1.0.0']],
  ['integer', ['', ' ', 'x', '1x', '0x10', '1.5', '1e3', 'NaN', 'null']],
  [
    'day',
    ['', 'x', '2026-13-01', '2026-02-30', '2026-06-1', '2026-06-01 ', '2026-06-01T00:00:00Z', '20260601', 'null'],
  ],
  [
    'micros',
    ['', 'x', '2026-06-01', '2026-06-01T20:55:45', '2026-06-01 25:00:00', '2026-06-01 20:55:45.', '1', 'null'],
  ],
  ['micros', ['2026-06-01 24:00:01', '2026-06-01 20:55:45.1234567', '2026-02-30 00:00:00', '2026-06-01 20:55:45Z']],
])('as a %s, none of these is a value: %j', (type, texts) => {
  expect(texts.filter((text) => sortValue(type, text) !== undefined)).toEqual([]);
});

test('any text is a value of its type or none, and never throws', () => {
  const types: readonly SortType[] = ['text', 'double', 'integer', 'day', 'micros'];
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.double().map(String), fc.date().map(String));
  fc.assert(
    fc.property(fc.constantFrom(...types), anyText, (type, text) => {
      const value = sortValue(type, text);
      if (value === undefined) return;
      expect(typeof value).toBe(type === 'text' ? 'string' : 'number');
      expect(sortValue(type, sortText(type, value))).toEqual(value);
    }),
  );
});
