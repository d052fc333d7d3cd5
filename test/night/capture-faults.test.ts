import { mkdir, rm } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { newestOf, readIssues, readRecords, readRelease, recordsFrom } from '../support/pipeline/published.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';

const DAY = '2026-06-01';
const NEXT_DAY = '2026-06-02';
const NO_EVENTS = { upsert: 0, delete: 0 };

const store = useStore();
const source = sourceOf(store);
const { write, night } = source;

const issues = async () => recordsFrom(await readIssues((await night(DAY)).report));

describe('an issue', () => {
  it('shows the value of a bad id as it stands in the source', async () => {
    const id = ' padded ';
    await write(`${DAY}/models.jsonl`, [{ id: 'a', name: 'A' }, { name: 'No id' }, { id, name: 'B' }]);
    expect(await issues()).toMatchObject([
      { row: 2, field: 'id', value: null, reason: 'is missing' },
      { row: 3, field: 'id', value: id, reason: 'has white space around it' },
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
  it('is not an object, nor a list of anything else, nor text with control characters: the row is bad', async () => {
    const wrong = [{ by: 'nimbus' }, [{ id: 'nimbus' }], ['nimbus', 7], ['nimbus', null], ['nim\u0001bus']];
    const models = wrong.map((inference, row) => ({ id: `m${row}`, name: 'M', inference }));
    await write(`${DAY}/models.jsonl`, models);
    const reasons = [...Array(4).fill('is not a list of texts, or text with commas'), 'has control characters'];
    const expected = wrong.map((value, row) => ({ row: row + 1, value: JSON.stringify(value), reason: reasons[row] }));
    expect(await issues()).toMatchObject(expected);
  });

  it('is taken in any form that is one: an array, or a text with commas', async () => {
    const forms = [['nimbus', ' cirrus', 'nimbus', ''], 'nimbus, cirrus', [], '', '{nimbus}'];
    const models = forms.map((inference, row) => ({ id: `m${row}`, name: 'M', inference }));
    await write(`${DAY}/models.jsonl`, models);
    expect(await issues()).toEqual([]);
    const read = [['cirrus', 'nimbus'], ['cirrus', 'nimbus'], [], null, ['{nimbus}']];
    expect((await readRecords(store, 'models')).map(({ inference }) => inference)).toEqual(read);
  });
});

it('an integer is at most 2^53 − 1, and a rank at most 2^31 − 1', async () => {
  const lengths = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1];
  const models = lengths.map((context_length, row) => ({ id: `m${row}`, name: 'M', context_length }));
  await write(`${DAY}/models.jsonl`, models);
  const ranks = [2 ** 31 - 1, 2 ** 31].map((rank, row) => ({ model_id: 'm0', category: `c${row}`, rank }));
  await write(`${DAY}/rankings.jsonl`, ranks);
  expect(await issues()).toMatchObject(['context_length', 'rank'].map((field) => ({ row: 2, field })));
});

it('a source file may be compressed, whatever kind of text it is', async () => {
  await write(`${DAY}/models.json.gz`, gzipSync('[{"id":"a","name":"A"}]'));
  await write(`${DAY}/benchmarks.csv.gz`, gzipSync('id,name\nb,B\n'));
  await write(`${DAY}/scores.jsonl.gz`, gzipSync('{"model_id":"a","benchmark_id":"b","value":1}\n'));
  const records = { models: 1, benchmarks: 1, scores: 1 };
  expect(await night(DAY)).toMatchObject({ status: 'published', problems: [], records });
});

it.each([
  ['with prices', [{ model_id: 'a', provider: 'p', input_per_million: 1 }]],
  ['without prices', undefined],
])('a suspect that an operator lets in and that does not wait is reported on a day %s', async (_, prices) => {
  await write(`${DAY}/models.jsonl`, [{ id: 'a', name: 'A' }]);
  if (prices !== undefined) await write(`${DAY}/pricing.jsonl`, prices);
  const { warnings } = await night(DAY, { acceptSuspects: ['pricing:a:p'] });
  expect(warnings).toContain('no suspect pricing:a:p is pending');
});

describe('source.sql', () => {
  it('captures nothing of a dataset whose file is not there today', async () => {
    const models = "-- models\nSELECT * FROM read_json('upstream.jsonl');";
    await write('source.sql', `${models}\n-- rankings\nSELECT * FROM read_csv('boards.csv');`);
    await write(`${DAY}/upstream.jsonl`, [{ id: 'a', name: 'A' }]);
    expect(await night(DAY)).toMatchObject({ status: 'published', problems: [] });
    expect(await readRelease(store, await newestOf(store))).toMatchObject({ captured: ['models'] });
  });

  it('beside the files goes before the one beside the dated folders', async () => {
    await write('source.sql', "-- models\nSELECT 'above' AS id, 'A' AS name;");
    await write(`${DAY}/source.sql`, "-- models\nSELECT 'beside' AS id, 'B' AS name;");
    await mkdir(source.path(NEXT_DAY));
    await night(DAY);
    expect(await readRecords(store, 'models')).toMatchObject([{ id: 'beside' }]);
    await night(NEXT_DAY, { accept: true });
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

  it('may have a comment above a heading', async () => {
    await mkdir(source.path(DAY), { recursive: true });
    const ranks = "-- rankings\nSELECT 'a' AS model_id, 'b' AS category, 1 AS rank LIMIT 0";
    await write('source.sql', `-- models\nSELECT 'a' AS id, 'A' AS name;\n/* boards */\n-- by category:\n${ranks}`);
    expect(await night(DAY)).toMatchObject({ status: 'published', records: { models: 1 }, problems: [] });
  });
});
