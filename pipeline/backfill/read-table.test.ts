import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database } from '../../storage/duckdb/database.ts';
import { CapturedStore } from '../../test/support/backfill/captured-store.ts';
import { readIntervals } from '../../test/support/backfill/read-intervals.ts';
import { tableRow } from '../../test/support/backfill/table-row.ts';

const ROWS = [
  tableRow({ effective_from: '2024-01-31', effective_to: '2024-02-29' }),
  tableRow({ effective_from: '2024-02-29', input_per_million: null, output_per_million: 0.125 }),
];
const CSV = [
  'provider,model_id,effective_from,effective_to,input_per_million,output_per_million',
  'p1,m1,2024-01-31,2024-02-29,1,2',
  'p1,m1,2024-02-29,,,0.125',
].join('\n');

let place: CapturedStore;
beforeAll(async () => {
  place = await CapturedStore.open();
  await place.publish('2024-03-02', ['m1'], [{ model_id: 'm1', provider: 'p1' }]);
});
afterAll(() => place.close());

function write(name: string, content: string | Uint8Array): string {
  const path = join(place.folder, name);
  writeFileSync(path, content);
  return path;
}

async function writeParquet(): Promise<string> {
  const [from, to] = [await place.writeTable(ROWS, 'rows.jsonl'), join(place.folder, 'table.parquet')];
  const database = await Database.open(':memory:', { memoryLimit: '200MB', threads: 1, tempFolder: place.folder });
  await database.run(`COPY (FROM read_json('${from}')) TO '${to}' (FORMAT parquet)`);
  database.close();
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
    await writeParquet(),
  ];
  const statuses: string[] = [];
  for (const table of tables) statuses.push((await place.backfill({ table })).status);
  expect(statuses).toEqual(['published', ...Array.from({ length: 6 }, () => 'unchanged')]);
  expect(await readIntervals(place.store)).toMatchObject([
    { input_per_million: 1, valid_from: '2024-01-31', valid_to: '2024-02-28' },
    { input_per_million: null, output_per_million: 0.125, valid_from: '2024-02-29', valid_to: '2024-03-01' },
  ]);
});

test.each([
  ['table.txt', '', 'table.txt: the name must end in .jsonl'],
  ['broken.jsonl', '{"model_id":"m1","provider":"p1"}\n{"model_id":', 'broken.jsonl line 2: is not valid JSON'],
  ['keyless.csv', 'model_id,input_per_million\nm1,1\n', 'the column provider is missing'],
  ['cut.jsonl.gz', gzipSync('{}'.repeat(999)).subarray(0, 20), 'cut.jsonl.gz: the gzip file is cut off'],
  ['none.parquet', 'text', 'none.parquet: is not a Parquet file'],
])('%s is refused as a whole, saying what is wrong', async (name, content, message) => {
  const table = write(name, content);
  const before = await readIntervals(place.store);
  await expect(place.backfill({ table })).rejects.toMatchObject({
    code: 'source_rejected',
    message: expect.stringContaining(message),
  });
  expect(await readIntervals(place.store)).toEqual(before);
});

test('a table that is not there, or is a folder, is refused by name', async () => {
  for (const name of ['absent.csv', 'folder.csv/..']) {
    const table = join(place.folder, name);
    await expect(place.backfill({ table })).rejects.toMatchObject({ code: 'source_rejected' });
  }
});

test('unknown columns are ignored and reported, absent ones taken as empty', async () => {
  const table = await place.writeTable([
    { model_id: 'm1', provider: 'p9', input_per_million: 1, effective_from: '2024-02-01', note: 'x' },
  ]);
  const { intervals, warnings } = await place.backfill({ table });
  expect(intervals).toBe(1);
  expect(warnings).toContain('table.jsonl: ignored unknown columns note');
  expect(warnings).toContainEqual(
    expect.stringMatching(/^table\.jsonl \(pricing\): has no .*effective_to.*; taken as empty$/),
  );
});
