/** Copies that something else wrote into since the last sync, and no new night (specification "Sync"). */
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { checkCopy } from '../../client/sync/check.ts';
import { Scratch } from '../../client/sync/scratch.ts';
import {
  changeCopy,
  linesOf,
  loseScore,
  stateOf,
  syncInto,
  usePlaces,
  useService,
  withCopy,
} from '../support/client/service.ts';
import { publishFromFixture, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

const newPlace = usePlaces();
const service = useService({ days: (store) => publishFromFixture('days', store, SAMPLE_DAYS) });

test('a value, a row too many, a table that is gone: each is found in SQLite', async () => {
  const into = newPlace('.sqlite');
  await syncInto(into, service.client());
  const right = await linesOf(into);
  for (const sql of [
    'UPDATE scores SET value = value + 1e-9',
    `INSERT INTO benchmarks SELECT 'mine', name, category, model_count, updated_at FROM benchmarks LIMIT 1`,
    `UPDATE models SET inference = 'no JSON'`,
    'DROP TABLE pricing',
    'DELETE FROM _modelstats_sync',
  ]) {
    const database = new SqliteDatabase(into);
    database.exec(sql);
    database.close();
    expect(await syncInto(into, service.client()), sql).toMatchObject({ status: 'imported' });
    expect(await linesOf(into), sql).toEqual(right);
  }
});

test('a copy of an older program, which did not note what it held, is proven once, for a unit', async () => {
  const into = newPlace('.sqlite');
  const client = service.client({ key: await service.addKey({ plan: 'builder' }) });
  await syncInto(into, client);
  const noteTagAlone = async () => {
    const { snapshots } = JSON.parse((await withCopy(into, stateOf)).etags ?? '{}');
    await changeCopy(into, {}, { etags: JSON.stringify({ snapshots }) });
  };
  await noteTagAlone();
  expect(await syncInto(into, client)).toMatchObject({ status: 'up_to_date' });
  expect((await client.getAccount()).body.usage.used).toBe(7);
  await noteTagAlone();
  await loseScore(into, newPlace('.jsonl'));
  expect(await syncInto(into, client)).toMatchObject({ status: 'imported' });
});

test('events that are kept stay as they are where the records are mended', async () => {
  const into = newPlace('');
  const sync = () => syncInto(into, service.client(), { keepsHistory: true });
  await sync();
  const [events, state] = await Promise.all(
    ['changes.jsonl', '_modelstats_sync.json'].map((name) => readFile(join(into, name), 'utf8')),
  );
  await appendFile(join(into, 'scores.jsonl'), '{}\n');
  expect(await sync()).toMatchObject({ status: 'imported' });
  expect(await readFile(join(into, 'changes.jsonl'), 'utf8')).toBe(events);
  const withoutTime = (text = '') => ({ ...JSON.parse(text), state: { ...JSON.parse(text).state, synced_at: '' } });
  expect(withoutTime(await readFile(join(into, '_modelstats_sync.json'), 'utf8'))).toEqual(withoutTime(state));
});

test('lists, which no hash of the service proves, are read anew where the copy is no longer as they were', async () => {
  const into = newPlace('.sqlite');
  const client = service.client({ key: await service.addKey({ contract: { burst_per_minute: 100_000 } }) });
  await syncInto(into, client);
  const right = await linesOf(into, '1.0');
  await loseScore(into, newPlace('.jsonl'));
  expect(await syncInto(into, client)).toMatchObject({
    status: 'imported',
    warnings: [
      expect.stringContaining('without verification'),
      'scores was changed by another program since the last sync; all lists were read again',
    ],
  });
  expect(await linesOf(into, '1.0')).toEqual(right);
  expect(await syncInto(into, client)).toMatchObject({ status: 'up_to_date' });
});

describe('a line of a folder that is no record', () => {
  let [into, file, right] = ['', '', ''];
  beforeAll(async () => {
    into = newPlace('');
    await syncInto(into, service.client(), { keepsHistory: true });
    file = join(into, 'scores.jsonl');
    right = await readFile(file, 'utf8');
  });

  /** Puts a line in the place of the second. */
  async function spoil(line: string): Promise<void> {
    const lines = right.split('\n');
    await writeFile(file, [lines[0], line, ...lines.slice(2)].join('\n'));
  }

  it.each([
    ['{"value":1}', 'model_id and benchmark_id are missing'],
    ['{"model_id":"a","benchmark_id":7}', 'benchmark_id is missing'],
    ['{"model_id":', 'not a JSON object'],
    ['"model_id"', 'not a JSON object'],
    ['', 'not a JSON object'],
  ])('%s is told by --check with its file, its line, and what is missing', async (line, problem) => {
    await spoil(line);
    await rm(join(into, 'pricing.jsonl'), { force: true });
    const deps = { client: service.client(), scratch: new Scratch(`${into}.check`), clock: () => new Date() };
    const { ok, differences } = await withCopy(into, (copy) => checkCopy({ ...deps, copy }));
    expect(ok).toBe(false);
    expect(differences).toMatchObject([
      { dataset: 'scores', problem: `${file}, line 2: ${problem}` },
      { dataset: 'pricing', problem: null, extra: 0, different: 0 },
    ]);
  });

  it('is mended by the next sync, also where a new night is followed into it', async () => {
    await spoil('{}');
    expect(await syncInto(into, service.client())).toMatchObject({ status: 'imported' });
    expect(await readFile(file, 'utf8')).toEqual(right);
    await spoil('{}');
    // As if the copy were at the day before.
    await changeCopy(into, {}, { cursor: 'MTA', snapshot_id: SAMPLE_DAYS[1], etags: null });
    const result = await syncInto(into, service.client());
    expect(result).toMatchObject({ status: 'imported', warnings: [expect.stringContaining(`${file}, line 2`)] });
    expect(await readFile(file, 'utf8')).toEqual(right);
  });
});
