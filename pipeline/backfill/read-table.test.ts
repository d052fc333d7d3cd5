import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlText } from '../../storage/duckdb/database.ts';
import { backfill, readIntervals, tableRow } from '../../test/support/backfill/pricing-table.ts';
import { openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';

const ROWS = [
  tableRow({ effective_from: '2024-01-31', effective_to: '2024-02-29' }),
  tableRow({ effective_from: '2024-02-29', input_per_million: null, output_per_million: 0.125 }),
];
const CSV = [
  'provider,model_id,effective_from,effective_to,input_per_million,output_per_million',
  'p1,m1,2024-01-31,2024-02-29,1,2',
  'p1,m1,2024-02-29,,,0.125',
].join('\n');

let place: TemporaryStore;
beforeAll(async () => {
  place = await openTemporaryStore();
  const price = { model_id: 'm1', provider: 'p1' };
  await place.publish('2024-03-02', { models: [{ id: 'm1', name: 'm1' }], pricing: [price] });
});
afterAll(() => place.dispose());

const path = (name: string) => join(place.folder, '..', name);

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(path(name), content);
  return path(name);
}

async function writeParquet(lines: string): Promise<string> {
  const to = path('table.parquet');
  await place.reader.run(
    `COPY (FROM read_json(${sqlText(write('rows.jsonl', lines))})) TO ${sqlText(to)} (FORMAT parquet)`,
  );
  return to;
}

test('JSON Lines, JSON, CSV, each compressed too, and Parquet give the same intervals', async () => {
  const lines = ROWS.map((row) => JSON.stringify(row)).join('\n');
  const json = JSON.stringify(ROWS);
  const tables = [
    write('table.jsonl', lines),
    write('table.jsonl.gz', gzipSync(lines)),
    write('table.json', json),
    write('table.json.gz', gzipSync(json)),
    write('table.csv', CSV),
    write('table.csv.gz', gzipSync(CSV)),
    await writeParquet(lines),
  ];
  const statuses: string[] = [];
  for (const table of tables) statuses.push((await backfill(place, { table })).status);
  expect(statuses).toEqual(['published', ...Array.from({ length: 6 }, () => 'unchanged')]);
  expect(await readIntervals(place)).toMatchObject([
    { input_per_million: 1, valid_from: '2024-01-31', valid_to: '2024-02-28' },
    { input_per_million: null, output_per_million: 0.125, valid_from: '2024-02-29', valid_to: '2024-03-01' },
  ]);
});

test.each([
  ['table.txt', '', 'table.txt: the name must end in .jsonl'],
  ['broken.jsonl', '{"model_id":"m1","provider":"p1"}\n{"model_id":', 'broken.jsonl line 2: is not valid JSON'],
  ['keyless.csv', 'model_id,input_per_million\nm1,1\n', 'the column provider is missing'],
])('%s is refused as a whole, saying what is wrong', async (name, content, message) => {
  const table = write(name, content);
  const before = await readIntervals(place);
  await expect(backfill(place, { table })).rejects.toMatchObject({
    code: 'source_rejected',
    message: expect.stringContaining(message),
  });
  expect(await readIntervals(place)).toEqual(before);
});

test('a table that is not there, or is a folder, is refused by name', async () => {
  for (const name of ['absent.csv', 'folder.csv/..']) {
    const table = path(name);
    await expect(backfill(place, { table })).rejects.toMatchObject({ code: 'source_rejected' });
  }
});

test('unknown columns are ignored and reported, absent ones taken as empty', async () => {
  const row = { model_id: 'm1', provider: 'p9', input_per_million: 1, effective_from: '2024-02-01', note: 'x' };
  const { intervals, warnings } = await backfill(place, { rows: [row] });
  expect(intervals).toBe(1);
  expect(warnings).toContain('table.jsonl: ignored unknown columns note');
  expect(warnings).toContainEqual(
    expect.stringMatching(/^table\.jsonl \(pricing\): has no .*effective_to.*; taken as empty$/),
  );
});
