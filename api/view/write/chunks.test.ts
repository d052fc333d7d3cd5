import { LIST, listValue, VARCHAR } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database } from '../../../storage/duckdb/database.ts';
import { useFolder } from '../../../test/support/temporary-folder.ts';
import { chunksOf } from './chunks.ts';

const folder = useFolder();
let duckdb: Database;
beforeAll(async () => {
  duckdb = await Database.open(':memory:', { memoryLimit: '300MB', threads: 1, tempFolder: folder('tmp') });
});
afterAll(() => duckdb.close());

async function read(sql: string, values: readonly (string | null)[]) {
  const result = await duckdb.connection.stream(sql, [listValue([...values])], [LIST(VARCHAR)]);
  const columns: unknown[][] = Array.from({ length: result.columnCount }, () => []);
  let chunks = 0;
  for await (const chunk of chunksOf(result)) {
    chunks += 1;
    for (const [index, column] of chunk.columns.entries()) columns[index]?.push(...column);
  }
  return { columns, chunks };
}

const textArbitrary = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 11, maxLength: 14 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `\u{feff}${text}`),
  fc.string({ maxLength: 30 }).map((text) => text.repeat(30)),
);

test('texts of any kind, length and place are those that DuckDB has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(textArbitrary), { minLength: 1, maxLength: 60 }), async (values) => {
      const sql = `SELECT text, text || '', 1::DOUBLE, concat('{"long text":"', text, '"}'), repeat(text, 2)
        FROM (SELECT unnest($1::VARCHAR[]) AS text)`;
      const { columns } = await read(sql, values);
      expect(columns).toEqual([
        values,
        values,
        values.map(() => 1),
        values.map((text) => `{"long text":"${text ?? ''}"}`),
        values.map((text) => text?.repeat(2) ?? null),
      ]);
    }),
  );
});

test('so are those of many chunks, repeated, without an order in memory, and of a file', async () => {
  const values = Array.from({ length: 10_000 }, (_, at) =>
    at % 7 === 0 ? null : `${'text '.repeat(at % 60)}${at % 100 === 0 ? 'é' : ''}${at % 500}`,
  );
  const rows = '(SELECT unnest($1::VARCHAR[]) AS text, generate_subscripts($1, 1) AS row)';
  const { columns, chunks } = await read(`SELECT text FROM ${rows} ORDER BY row`, values);
  expect(columns[0]).toEqual(values);
  expect(chunks).toBeGreaterThan(1);
  const turned = await read(`SELECT text FROM ${rows} ORDER BY row DESC`, values);
  expect(turned.columns[0]).toEqual(values.toReversed());
  const path = folder('texts.parquet');
  await duckdb.connection.run(
    `COPY (SELECT text FROM ${rows} ORDER BY row) TO '${path}'`,
    [listValue(values)],
    [LIST(VARCHAR)],
  );
  expect((await read(`SELECT text FROM read_parquet('${path}') WHERE $1 IS NOT NULL`, ['x'])).columns[0]).toEqual(
    values,
  );
});
