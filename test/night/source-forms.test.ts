/** Sources as people have them: what is read all the same, and what is said of the rest. */
import { mkdir, rm } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { nightCommand } from '../../pipeline/night/night-result.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import { readRecords } from '../support/pipeline/published.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';

const DAY = '2026-06-01';

const store = useStore();
const source = sourceOf(store);
beforeEach(() => mkdir(source.path(DAY), { recursive: true }));

async function night() {
  const { status, problems } = await source.night(DAY);
  return [status, problems.join()];
}

const give = (name: string, text: string) => source.write(`${DAY}/${name}`, text);

describe('a table is read', () => {
  test('with semicolons, tabs or bars, as .tsv, and with its name and columns in capitals', async () => {
    await give('models.csv', 'id;name\na;"A; the first"\nb;B, the second\n');
    await give('benchmarks.csv', 'id\tname\nx\tX; the first\ny\tY, the second\n');
    await give('scores.csv', 'model_id|benchmark_id|value|source\na|x|1|one; two\nb|y|2|one, two\n');
    await give('rankings.tsv', 'model_id\tcategory\trank\na\tone; two\t1\nb\tone, two\t2\n');
    await give('PRICING.CSV', 'MODEL_ID,Provider\na,one; two\nb,"one, two"\n');
    expect(await source.night(DAY)).toMatchObject({ status: 'published', quarantined: 0 });
    const values = async (dataset: DatasetName, field: string) =>
      (await readRecords(store, dataset)).map((record) => record[field]);
    expect(await values('models', 'name')).toEqual(['A; the first', 'B, the second']);
    expect(await values('benchmarks', 'name')).toEqual(['X; the first', 'Y, the second']);
    const both = ['one; two', 'one, two'];
    expect(await values('scores', 'source')).toEqual(both);
    expect(await values('rankings', 'category')).toEqual(both);
    expect(await values('pricing', 'provider')).toEqual(both);
  });

  test('once, where two names differ by capitals alone', async () => {
    await give('models.csv', 'id,name\na,A\n');
    await give('Models.jsonl', '{"id":"b","name":"B"}\n');
    expect(await night()).toEqual(['rejected', expect.stringMatching(/both hold models; keep one/)]);
  });

  test.each(['id,ID,name', 'id,name,Extra,EXTRA'])('not at all, where the header is %s', async (header) => {
    await give('models.csv', `${header}\na,b,c,d\n`);
    expect(await night()).toEqual([
      'rejected',
      expect.stringMatching(/line 1: the header has the column (?:id|EXTRA) twice/),
    ]);
  });
});

describe('it is said', () => {
  test('how a JSON file names its columns', async () => {
    await give('models.json', '[{"ID":"a","name":"A"}]');
    const why = 'models.json (models): the column id is missing; it has the unknown ID, and names are in lower case';
    expect(await night()).toEqual(['rejected', why]);
  });

  test('which files are not read, and nothing of a currency that is not there', async () => {
    await give('models.jsonl', '{"id":"a","name":"A"}\n');
    await give('pricing.jsonl', '{"model_id":"a","provider":"p","input_per_million":1,"output_per_million":2}\n');
    await give('price.csv', 'model_id\n');
    await give('notes.txt', 'of no interest');
    const { warnings } = await source.night(DAY);
    expect(warnings).toContain('price.csv: ignored; a file must be named after its dataset');
    expect(warnings.join()).not.toMatch(/notes|currency/);
    expect(await readRecords(store, 'pricing')).toMatchObject([{ currency: 'USD' }]);
  });

  test('which folders look like days', async () => {
    for (const name of ['20260602', '2026-6-3', 'archive']) await mkdir(source.path(name));
    const { problems } = await source.night('2026-06-02');
    expect(problems).toEqual([
      `${source.path()} has no folder 2026-06-02; it holds 2026-06-01 to 2026-06-01; ` +
        '2026-6-3, 20260602 are ignored: folders of days must be named YYYY-MM-DD',
    ]);
  });

  test('with which SQL a text becomes a number', async () => {
    const texts = [
      ['1,234.5', `replace(input_per_million, ',', '')`],
      ['0,50', `replace(replace(input_per_million, '.', ''), ',', '.')`],
      ['1.234,50', `replace(replace(input_per_million, '.', ''), ',', '.')`],
      ['$3', `regexp_replace(input_per_million, '[^0-9.eE+-]', '', 'g')`],
      ["1'234", `regexp_replace(input_per_million, '[^0-9.eE+-]', '', 'g')`],
    ] as const;
    await give('models.jsonl', '{"id":"a","name":"A"}\n');
    for (const [written, sql] of texts) {
      const price = { model_id: 'a', provider: 'p', input_per_million: written, output_per_million: 1 };
      await give('pricing.jsonl', `${JSON.stringify(price)}\n`);
      const why = `is not a number (pricing.jsonl line 1: ${JSON.stringify(written)}); source.sql can fix it: ${sql} AS`;
      expect((await night())[1]).toBe(
        `pricing: 1 of 1 rows are bad, 0 are allowed: 1 × input_per_million: ${why} input_per_million`,
      );
    }
    // The SQL does what is said of it.
    await rm(source.path(`${DAY}/pricing.jsonl`));
    await give('raw.csv', texts.map(([written], index) => `${index};"${written}"\n`).join(''));
    const cases = texts.map(([, sql], index) => `WHEN ${index} THEN ${sql.replaceAll('input_per_million', 'column1')}`);
    await give(
      'source.sql',
      `-- pricing\nSELECT 'a' AS model_id, column0 AS provider, CASE column0::INTEGER ${cases.join(' ')} END AS input_per_million,
         1 AS output_per_million FROM read_csv('raw.csv', header = false, all_varchar = true, delim = ';')\n`,
    );
    expect(await source.night(DAY)).toMatchObject({ status: 'published', quarantined: 0 });
    const prices = (await readRecords(store, 'pricing')).map((record) => record['input_per_million']);
    expect(prices).toEqual([1234.5, 0.5, 1234.5, 3, 1234]);
  });
});

describe('a dataset that is bad for the most part rejects the night, however many rows may be', () => {
  const models = (good: number, bad: number) =>
    [...Array(good).keys()].map((i) => `{"id":"g${i}","name":"G"}\n`).join('') +
    [...Array(bad).keys()].map((i) => `{"id":"b${i}","name":7}\n{"id":"b${i}","name":null}\n`).join('');

  test.each([
    [3, 0, 'published'],
    [4, 2, 'published'],
    [3, 2, 'rejected'],
    [0, 2, 'rejected'],
  ])('%i good rows beside two for each of %i ids that are bad: %s', async (good, bad, status) => {
    await give('models.jsonl', models(good, bad));
    await give('source.json', '{"max_bad_rows": 1000}');
    expect((await source.night(DAY)).status).toBe(status);
  });

  test('unless the source says that such a part of its rows may be', async () => {
    await give('models.jsonl', models(1, 2));
    await give('source.json', '{"max_bad_fraction": 0.8}');
    expect(await source.night(DAY)).toMatchObject({ status: 'published', quarantined: 4 });
  });

  test('and names the most frequent reasons, and how many others there are', async () => {
    const rows = [{ id: 'a' }, { id: 'b' }, { id: 'c ', name: 'C' }, { id: 'd', name: '' }, { id: [1], name: 'E' }];
    await source.write(`${DAY}/models.jsonl`, rows);
    const { problems, next_command: command } = await source.night(DAY);
    const says =
      /^models: 5 of 5 rows are bad, 2 are allowed: 2 × name: is missing \(the first in models\.jsonl line 1\); .*; and for 1 more reasons$/;
    expect(problems).toEqual([expect.stringMatching(says)]);
    expect(command).toBe(`modelstats nightly --source ${source.path()} --day ${DAY}`);
  });
});

test('the command that runs a night again can be pasted into a shell', () => {
  const pasted = { day: DAY, source: "/raw/it's here", accept: true, acceptSuspects: ['pricing:a b:p'] };
  expect(nightCommand(pasted)).toBe(
    `modelstats nightly --source '/raw/it'\\''s here' --day 2026-06-01 --accept --accept-suspect 'pricing:a b:p'`,
  );
});
