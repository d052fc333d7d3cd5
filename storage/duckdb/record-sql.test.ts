import { DOUBLE, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entityIdFromKey } from '../../schemas/change.ts';
import { type Column, DATASET_NAMES, DATASETS, type Dataset, publishedColumns } from '../../schemas/datasets.ts';
import { SCHEMA_VERSION } from '../../schemas/record-versions.ts';
import { canonicalLine, type PublishedRecord } from '../../schemas/records.ts';
import { anyNumber, anyRecord } from '../../test/support/schemas/arbitrary-record.ts';
import { versionTwo } from '../../test/support/schemas/record-versions.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { Database } from './database.ts';
import { columnDefinitions, DUCKDB_TYPES, entityIdSql, lineSql } from './record-sql.ts';
import { text } from './row-shape.ts';

let database: Database;
const folder = useFolder();

beforeAll(async () => {
  database = await Database.open(':memory:', { memoryLimit: '500MB', threads: 1, tempFolder: folder() });
});

afterAll(() => database.close());

describe('a number in SQL', () => {
  it('is printed as JSON.stringify prints it', async () => {
    const batch = fc.array(anyNumber, { minLength: 200, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(batch, async (numbers) => {
        expect(await printed(numbers)).toEqual(numbers.map((number) => JSON.stringify(number)));
      }),
      { numRuns: 15 },
    );
  });

  it('is printed so also where DuckDB itself prints another number, and at both sides of every power', async () => {
    const exponents = Array.from({ length: 2098 }, (_, index) => index - 1074);
    const powers = [
      ...exponents.map((exponent) => 2 ** exponent),
      ...exponents.map((exponent) => Number(`1e${exponent}`)),
    ];
    const around = powers.flatMap((power) => [power, power * (1 + Number.EPSILON), power * (1 - Number.EPSILON / 2)]);
    const numbers = [8.535058474086213e242, ...around].filter((number) => Number.isFinite(number));
    expect(await printed(numbers)).toEqual(numbers.map((number) => JSON.stringify(number)));
  });
});

async function printed(numbers: readonly number[]): Promise<unknown> {
  const reader = await database.connection.runAndReadAll(
    'SELECT es_number(v) AS text FROM (SELECT unnest($1) AS v)',
    [listValue([...numbers])],
    [LIST(DOUBLE)],
  );
  return reader.getColumns()[0];
}

const VERSIONS = [
  { version: SCHEMA_VERSION, datasets: DATASETS },
  { version: 'a later version', datasets: versionTwo('2026-05-01').datasets },
];
const DATASETS_OF_VERSIONS = VERSIONS.flatMap(({ version, datasets }) =>
  DATASET_NAMES.map((name) => ({ version, name, dataset: datasets[name] })),
);

describe.each(DATASETS_OF_VERSIONS)('a row of $name in SQL, in $version', ({ name, dataset }) => {
  const batch = fc.array(anyRecord(dataset), { minLength: 1, maxLength: 20 });

  it('gives the canonical line and the entity id, byte for byte', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (records) => {
        await fill(dataset, records);
        const rows = await database.rows(
          { line: text, entity_id: text },
          `SELECT ${lineSql(dataset, 'r')} AS line, ${entityIdSql(dataset, 'r')} AS entity_id FROM records r`,
        );
        expect(rows).toEqual(
          records.map((record) => ({
            line: canonicalLine(name, record, dataset),
            entity_id: entityIdFromKey(dataset.key.map((part) => String(record[part]))),
          })),
        );
      }),
      { numRuns: 8 },
    );
  });
});

async function fill(dataset: Dataset, records: readonly PublishedRecord[]): Promise<void> {
  await database.run(`CREATE OR REPLACE TABLE records (${columnDefinitions(dataset)})`);
  const columns = publishedColumns(dataset);
  const values = columns.map(valueSql).join(', ');
  const insert = `INSERT INTO records (${columns.map(({ name }) => name).join(', ')}) VALUES (${values})`;
  for (const record of records) {
    const bound = columns.map(({ name }) => boundValue(record[name]));
    const types = bound.map((value) => (typeof value === 'number' ? DOUBLE : VARCHAR));
    await database.connection.run(insert, bound, types);
  }
}

function valueSql({ type }: Column, index: number): string {
  const parameter = `$${index + 1}`;
  return type === 'text[]' ? `from_json(${parameter}, '["VARCHAR"]')` : `CAST(${parameter} AS ${DUCKDB_TYPES[type]})`;
}

function boundValue(value: PublishedRecord[string] | undefined): string | number | null {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
}
