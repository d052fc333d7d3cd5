import { writeFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { Database } from './database.ts';
import { nullable, number, text } from './row-shape.ts';

const RATE = '{"meter":"input","unit":"token","per":1000000,"price":3}';
const LIMITS = '{"price_range":[0.001,1000],"max_price_ratio":10}';

let database: Database;
const folder = useFolder();
beforeAll(async () => {
  database = await Database.open(':memory:', { memoryLimit: '500MB', threads: 2, tempFolder: folder() });
});
afterAll(() => database.close());

async function resultOf(sql: string, parameters: readonly string[] = []): Promise<string | null> {
  const { value } = await database.row({ value: nullable(text) }, `SELECT (${sql})::VARCHAR AS value`, parameters);
  return value;
}

describe('in SQL', () => {
  test.each<[string, string | null]>([
    [`canonical_rates('[ {"price":3.0,"per":1e6,"unit":"token","meter":"input","when":null} ]')`, `[${RATE}]`],
    [`canonical_rates('[]')`, null],
    [`canonical_rates('x')`, null],
    [`canonical_rates(NULL)`, null],
    [`canonical_modalities('{"output":[],"input":["text"]}')`, '{"input":["text"],"output":[]}'],
    [`rates_problem('[${RATE}]')`, null],
    [`rates_problem('[]')`, null],
    [`rates_problem('é')`, 'is not JSON'],
    [`rates_problem(NULL)`, null],
    [
      `modalities_problem('{"input":["É"],"output":[]}')`,
      'is wrong at .input[0]: is not a modality, such as text or image',
    ],
    [`input_price('[${RATE}]')`, '3.0'],
    [`output_price('[${RATE}]')`, null],
    [`input_price(NULL)`, null],
    [`suspect_rate('[]', '[]', '${LIMITS}')`, null],
    [`suspect_rate(NULL, '[]', '${LIMITS}')`, null],
    [
      `suspect_rate(replace('[${RATE}]', 'input', 'search'), replace('[${RATE.replace('3', '31')}]', 'input', 'search'), '${LIMITS}')`,
      `max_price_ratio ${RATE.replace('input', 'search')}`,
    ],
  ])('%s is %s', async (sql, expected) => {
    expect(await resultOf(sql)).toBe(expected);
  });

  test('forms that are kept for the next row take at most 32 MB, however long the texts are', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    collect();
    const before = process.memoryUsage().heapUsed;
    const raw = `'[' || replace('${RATE}', ':3}', ':' || i || '}') || ']' || repeat(' ', 60000)`;
    expect(await resultOf(`SELECT count(canonical_rates(${raw})) FROM range(2000) r(i)`)).toBe('2000');
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64_000_000);
  });

  test('rows of many vectors, some NULL, have each its own result, on both threads', async () => {
    await database.run(
      `CREATE TABLE many AS SELECT i, CASE WHEN i % 3 > 0 THEN
         format('[{{"price":{},"per":1000000,"meter":"{}","unit":"token"}}]', i, if(i % 3 = 1, 'input', 'inputs')) END AS raw
       FROM range(150000) r(i)`,
    );
    const counts = await database.row(
      { rows: number, right: number, wrong: number, none: number },
      `SELECT count(*)::DOUBLE AS rows,
         count(*) FILTER (i % 3 = 1 AND problem IS NULL AND price = i
           AND form = '[{"meter":"input","unit":"token","per":1000000,"price":' || i || '}]')::DOUBLE AS right,
         count(*) FILTER (i % 3 = 2 AND form IS NULL AND price IS NULL
           AND problem = 'is wrong at [0].meter: "inputs" is not a known meter')::DOUBLE AS wrong,
         count(*) FILTER (i % 3 = 0 AND form IS NULL AND price IS NULL AND problem IS NULL)::DOUBLE AS none
       FROM (SELECT i, canonical_rates(raw) AS form, rates_problem(raw) AS problem,
               input_price(form) AS price FROM many)`,
    );
    expect(counts).toEqual({ rows: 150_000, right: 50_000, wrong: 50_000, none: 50_000 });
  });
});

test('a price up to 1e12 has the same text in JSON that DuckDB reads and prints again', async () => {
  const powers = [
    ...Array.from({ length: 1114 }, (_, exponent) => 2 ** (exponent - 1074)),
    ...Array.from({ length: 336 }, (_, exponent) => Number(`1e${exponent - 323}`)),
  ];
  const around = powers.flatMap((power) => [power, power * (1 + Number.EPSILON), power * (1 - Number.EPSILON / 2)]);
  const lines = around
    .filter((price) => price <= 1e12)
    .map((price) => `{"rates":[{"meter":"input","unit":"token","per":1000000,"price":${JSON.stringify(price)}}]}`);
  await writeFile(folder('lines'), lines.join('\n'));
  const read = `read_json($1, format = 'newline_delimited', columns = {rates: 'JSON'})`;
  const rows = await database.rows(
    { line: text },
    `SELECT '{"rates":' || CAST(rates AS VARCHAR) || '}' AS line FROM ${read}`,
    [folder('lines')],
  );
  expect(rows.map(({ line }) => line)).toEqual(lines);
});
