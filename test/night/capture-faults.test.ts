import { mkdir, rm } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NightResult } from '../../pipeline/night/night-result.ts';
import type { RawRow } from '../../storage/duckdb/row-shape.ts';
import { newestOf, readIssues, readRecords, readRelease, recordsFrom } from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';

const DAY = '2026-06-01';
const NEXT_DAY = '2026-06-02';
const NO_EVENTS = { upsert: 0, delete: 0 };

const store = useStore();
const source = sourceOf(store);
const { write, night } = source;

/** What one night shows: models with a bad id, with lists and numbers, wrong and right, and a price. */
const WRONG_LISTS = [{ by: 'nimbus' }, [{ id: 'nimbus' }], ['nimbus', 7], ['nimbus', null], ['nim\u0001bus']];
const LISTS = [['nimbus', ' cirrus', 'nimbus', ''], 'nimbus, cirrus', [], '', '{nimbus}'];
const modelOf = (id: string, more: object = {}) => ({ id, name: 'M', ...more });
const PADDED = ' padded ';
const ROWS = {
  models: [
    ...['a', 'b', 'c'].map((id) => modelOf(id)),
    { name: 'No id' },
    modelOf(PADDED),
    ...[Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1].map((length, row) =>
      modelOf(`length-${row}`, { context_length: length }),
    ),
    ...WRONG_LISTS.map((inference, row) => modelOf(`wrong-${row}`, { inference })),
    ...LISTS.map((inference, row) => modelOf(`list-${row}`, { inference })),
  ],
  rankings: [2 ** 31 - 1, 2 ** 31].map((rank, row) => ({ model_id: 'a', category: `c${row}`, rank })),
  pricing: [{ model_id: 'a', provider: 'p', input_per_million: 1 }],
};
let shared: TemporaryStore;
let result: NightResult;
let issues: readonly RawRow[];
beforeAll(async () => {
  shared = await openTemporaryStore();
  result = await shared.publish(DAY, ROWS, { acceptSuspects: ['pricing:a:p'] });
  issues = recordsFrom(await readIssues(result.report));
});
afterAll(() => shared.dispose());
const issuesOf = (field: string) => issues.filter((issue) => issue['field'] === field);

describe('an issue', () => {
  it('shows the value of a bad id as it stands in the source', () => {
    expect(issuesOf('id')).toMatchObject([
      { row: 4, value: null, reason: 'is missing' },
      { row: 5, value: PADDED, reason: 'has white space around it' },
    ]);
  });

  it('is listed for the first 10,000 problems of a dataset, and all are counted', async () => {
    const bad = Array.from({ length: 10_050 }, (_, row) => ({ id: `m${row}`, name: null }));
    await write(`${DAY}/models.jsonl`, bad);
    await write(`${DAY}/benchmarks.jsonl`, [{ id: 'b', name: null }]);
    const { status, problems, report } = await night(DAY);
    expect([status, problems.join()]).toEqual(['rejected', expect.stringContaining('10050 of 10050 rows are bad')]);
    const listed = recordsFrom(await readIssues(report));
    const rows = listed.filter(({ dataset }) => dataset === 'models').map(({ row }) => row);
    expect(rows).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
    expect(listed).toHaveLength(10_001);
  });
});

it('a row whose id is empty deletes nothing: it could stand for any record', async () => {
  const models = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id.toUpperCase() }));
  await write(`${DAY}/models.jsonl`, models);
  await night(DAY);
  await rm(source.path(DAY), { recursive: true });
  for (const [day, id] of Object.entries({ [NEXT_DAY]: '', '2026-06-03': '  ' })) {
    await write(`${day}/models.jsonl`, [...models.slice(1), { id, name: 'A' }]);
    expect(await night(day)).toMatchObject({ status: 'published', quarantined: 1, events: NO_EVENTS });
  }
});

describe('a list of texts', () => {
  it('is not an object, nor a list of anything else, nor text with control characters: the row is bad', () => {
    const reasons = [...Array(4).fill('is not a list of texts, or text with commas'), 'has control characters'];
    const expected = WRONG_LISTS.map((value, row) => ({
      row: row + 8,
      value: JSON.stringify(value),
      reason: reasons[row],
    }));
    expect(issuesOf('inference')).toMatchObject(expected);
  });

  it('is taken in any form that is one: an array, or a text with commas', async () => {
    const models = (await readRecords(shared, 'models')).filter(({ id }) => String(id).startsWith('list-'));
    const read = [['cirrus', 'nimbus'], ['cirrus', 'nimbus'], [], null, ['{nimbus}']];
    expect(models.map(({ inference }) => inference)).toEqual(read);
  });
});

it('an integer is at most 2^53 − 1, and a rank at most 2^31 − 1', () => {
  expect(issuesOf('context_length')).toMatchObject([{ row: 7 }]);
  expect(issuesOf('rank')).toMatchObject([{ row: 2 }]);
  expect(issues).toHaveLength(2 + WRONG_LISTS.length + 1 + 1);
});

it('a source file may be compressed, whatever kind of text it is', async () => {
  await write(`${DAY}/models.json.gz`, gzipSync('[{"id":"a","name":"A"}]'));
  await write(`${DAY}/benchmarks.csv.gz`, gzipSync('id,name\nb,B\n'));
  await write(`${DAY}/scores.jsonl.gz`, gzipSync('{"model_id":"a","benchmark_id":"b","value":1}\n'));
  const records = { models: 1, benchmarks: 1, scores: 1 };
  expect(await night(DAY)).toMatchObject({ status: 'published', problems: [], records });
});

it('a suspect that an operator lets in and that does not wait is reported, on a day with prices and on one without', async () => {
  await write(`${DAY}/models.jsonl`, [modelOf('a')]);
  const { warnings } = await night(DAY, { acceptSuspects: ['pricing:a:p'] });
  for (const told of [warnings, result.warnings]) expect(told).toContain('no suspect pricing:a:p is pending');
});

describe('source.sql', () => {
  it('captures nothing of a dataset whose file is not there today', async () => {
    const models = "-- models\nSELECT * FROM read_json('upstream.jsonl');";
    await write('source.sql', `${models}\n-- rankings\nSELECT * FROM read_csv('boards.csv');`);
    await write(`${DAY}/upstream.jsonl`, [{ id: 'a', name: 'A' }]);
    expect(await night(DAY)).toMatchObject({ status: 'published', problems: [] });
    expect(await readRelease(store, await newestOf(store))).toMatchObject({ captured: ['models'] });
  });

  it('beside the files goes before the one beside the dated folders, and may have a comment above a heading', async () => {
    const ranks = "-- rankings\nSELECT 'a' AS model_id, 'b' AS category, 1 AS rank LIMIT 0";
    await write('source.sql', `-- models\nSELECT 'above' AS id, 'A' AS name;\n/* boards */\n-- by category:\n${ranks}`);
    await write(`${DAY}/source.sql`, "-- models\nSELECT 'beside' AS id, 'B' AS name;");
    await mkdir(source.path(NEXT_DAY));
    await night(DAY);
    expect(await readRecords(store, 'models')).toMatchObject([{ id: 'beside' }]);
    expect(await night(NEXT_DAY, { accept: true })).toMatchObject({ status: 'published', problems: [] });
    expect(await readRecords(store, 'models')).toMatchObject([{ id: 'above' }]);
  });

  it('is rejected when it finds none of its files', async () => {
    await mkdir(source.path(DAY), { recursive: true });
    await write('source.sql', "-- models\nSELECT * FROM read_json('upstream.jsonl');");
    expect(await night(DAY)).toMatchObject({
      status: 'rejected',
      problems: [
        'source.sql reads upstream.jsonl, which does not exist',
        expect.stringMatching(/: nothing could be captured$/),
      ],
    });
  });
});
