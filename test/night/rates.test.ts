/** Fields of records in version 1.2, as sources have them (specification "Bad rows", "Rates", "Suspect prices"). */
import { beforeAll, describe, expect, test } from 'vitest';
import { sqlText } from '../../storage/duckdb/database.ts';
import type { RawRow } from '../../storage/duckdb/row-shape.ts';
import { readIssues, readRecords, recordsFrom } from '../support/pipeline/published.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';
import { CUTOVER } from '../worlds/rated-days.ts';

const store = useStore();
const source = sourceOf(store);
const { write, night } = source;

const SCORE = { benchmark_id: 'x', value: 1 };
const rate = (price: number, more: object = {}) => ({ meter: 'input', unit: 'token', per: 1_000_000, price, ...more });
const priceOf = (rates: unknown, input: number | null = 3, more: object = {}) => {
  return { model_id: 'a', provider: 'p', input_per_million: input, rates, ...more };
};

async function writeAll(files: Readonly<Record<string, string | readonly object[]>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await write(`${CUTOVER}/${name}`, content);
}

/** Copies a query's rows into a file of a day. */
async function writeParquet(name: string, select: string): Promise<void> {
  await write(`${CUTOVER}/${name}`, '');
  await store.reader.run(`COPY (${select}) TO ${sqlText(source.path(`${CUTOVER}/${name}`))} (FORMAT parquet)`);
}

/** The problems that a night reports: row, field, value and reason. */
async function issuesIn(report: string | null): Promise<readonly unknown[]> {
  return recordsFrom(await readIssues(report)).map(({ row, field, value, reason }) => [row, field, value, reason]);
}

const model = async () => (await readRecords(store, 'models')).find(({ id }) => id === 'a');

describe('a source of any format gives the same records', () => {
  const WRONG = [{ meter: 'inputs', unit: 'token', per: 1_000_000, price: 3.5, when: null }];
  const CANONICAL =
    '[{"meter":"input","unit":"token","per":1000000,"price":3},' +
    '{"meter":"input","unit":"token","per":1000000,"price":1.5,"when":{"tier":"batch"}}]';
  const MODALITIES = '{"input":["image","text"],"output":["text"]}';
  /** LIST of STRUCT and STRUCT of LIST, whose absent fields are NULL. */
  const RATES_SQL = `[{meter: 'input', unit: 'token', per: 1000000, price: 1.5, "when": {tier: 'batch', region: NULL}},
    {meter: 'input', unit: 'token', per: 1000000, price: 3.0, "when": NULL}]`;
  const MODALITIES_SQL = `{input: ['text', 'image'], output: ['text']}`;
  const columns = `'2026-06' AS knowledge_cutoff, false AS open_weights, ${MODALITIES_SQL} AS modalities`;
  const models = `SELECT 'a' AS id, 'A' AS name, ${columns}`;
  const WRONG_SQL = `[{meter: 'inputs', unit: 'token', per: 1000000, price: 3.5, "when": NULL}]`;
  const prices = `SELECT 'a' AS model_id, unnest(['p', 'q']) AS provider, 3 AS input_per_million,
    if(provider = 'p', ${RATES_SQL}, ${WRONG_SQL}) AS rates`;
  const wrong = (rates: unknown) => priceOf(rates, 3, { provider: 'q' });
  const quoted = (json: string) => `"${json.replaceAll('"', '""')}"`;
  const modelRow = { id: 'a', name: 'A', knowledge_cutoff: '2026-06', open_weights: false };

  test.each<[string, () => Promise<void>]>([
    [
      'JSON Lines',
      () =>
        writeAll({
          'models.jsonl': [{ ...modelRow, modalities: { output: ['text'], input: ['text', 'image'] } }],
          'pricing.jsonl': [
            priceOf([rate(1.5, { when: { tier: 'batch', region: null } }), rate(3, { when: null })]),
            wrong(WRONG),
          ],
        }),
    ],
    [
      'JSON',
      () =>
        writeAll({
          'models.json': JSON.stringify([{ ...modelRow, modalities: JSON.parse(MODALITIES) }]),
          'pricing.json': JSON.stringify([priceOf(JSON.parse(CANONICAL)), wrong(WRONG)], null, 2),
        }),
    ],
    [
      'CSV',
      () =>
        writeAll({
          'models.csv': `id,name,knowledge_cutoff,open_weights,modalities\na,A,2026-06,false,${quoted(MODALITIES)}\n`,
          'pricing.csv': `model_id,provider,input_per_million,rates\na,p,3,${quoted(CANONICAL)}\na,q,3,${quoted(JSON.stringify(WRONG))}\n`,
        }),
    ],
    [
      'Parquet',
      async () => {
        await writeParquet('models.parquet', models);
        await writeParquet('pricing.parquet', prices);
      },
    ],
    ['source.sql', () => writeAll({ 'source.sql': `-- models\n${models};\n\n-- pricing\n${prices};\n` })],
    [
      'text in JSON Lines',
      () =>
        writeAll({
          'models.jsonl': [{ ...modelRow, open_weights: 'false', modalities: MODALITIES }],
          'pricing.jsonl': [priceOf(CANONICAL), wrong(JSON.stringify(WRONG))],
        }),
    ],
  ])('%s', async (_, writeSource) => {
    await writeSource();
    const { status, report } = await night(CUTOVER);
    expect(status).toBe('published');
    expect(await issuesIn(report)).toEqual([
      [2, 'rates', JSON.stringify(WRONG), 'is wrong at [0].meter: "inputs" is not a known meter'],
    ]);
    const [price, ...others] = await readRecords(store, 'pricing');
    expect(others).toEqual([]);
    expect(JSON.stringify(price?.['rates'])).toBe(CANONICAL);
    const { knowledge_cutoff, open_weights, modalities } = (await model()) ?? {};
    expect([knowledge_cutoff, open_weights, JSON.stringify(modalities)]).toEqual(['2026-06', false, MODALITIES]);
  });

  test('days of a model are taken as they are, whatever its status and their order, and capabilities whatever they are', async () => {
    const more = { status: 'active', deprecated_on: '2028-01-01', retires_on: '2020-01-01' };
    await writeAll({
      'models.jsonl': [{ id: 'a', name: 'A', ...more, capabilities: ['tools', 'telepathy', 'tools'] }],
    });
    expect(await night(CUTOVER)).toMatchObject({ status: 'published', quarantined: 0 });
    expect(await model()).toMatchObject({ ...more, capabilities: ['telepathy', 'tools'] });
  });

  test('a column that is absent, null or empty is null', async () => {
    const rows = [
      ['absent', {}],
      ['null', { rates: null }],
      ['empty', { rates: [] }],
      ['blank', { rates: ' ' }],
    ] as const;
    await writeAll({
      'models.jsonl': [
        { id: 'a', name: 'A', modalities: { input: [], output: [] }, capabilities: [] },
        { id: 'b', name: 'B' },
      ],
      'pricing.jsonl': rows.map(([provider, more]) => ({ model_id: 'a', provider, ...more })),
    });
    const { warnings, ...result } = await night(CUTOVER);
    expect(result).toMatchObject({ status: 'published', quarantined: 0 });
    expect(warnings.join()).not.toMatch(/rates|modalities|open_weights|status/);
    expect((await readRecords(store, 'pricing')).map(({ rates }) => rates)).toEqual([null, null, null, null]);
    expect(await model()).toMatchObject({ modalities: null, capabilities: [], open_weights: null });
  });
});

describe('a row is bad, and its problem named,', () => {
  const TRUTHS: readonly [string, unknown][] = [
    ['yes', 'yes'],
    ['1', 1],
    ['True', 'True'],
    ['an empty text', ''],
  ];
  const OF_MODELS: readonly [string, unknown, string][] = [
    ['status', 'Active', 'is not one of active, preview, deprecated, retired'],
    ['knowledge_cutoff', '2026-13', 'is not YYYY, YYYY-MM or YYYY-MM-DD'],
    ['knowledge_cutoff', '2026-06-01T00:00:00Z', 'is not YYYY, YYYY-MM or YYYY-MM-DD'],
    ['knowledge_cutoff', 'June 2026', 'is not YYYY, YYYY-MM or YYYY-MM-DD'],
    ['max_output_tokens', 0, 'is less than 1'],
    ['retires_on', 'soon', 'is not a date YYYY-MM-DD'],
    ['replaced_by', ' b', 'has white space around it'],
    ['modalities', { input: ['text'] }, 'is wrong at .output: Invalid input: expected array, received undefined'],
    ['capabilities', [7], 'is not a list of texts, or text with commas'],
  ];
  const OF_SCORES: readonly [string, unknown, string][] = [
    ['reported_by', 'vendor', 'is not one of maker, evaluator, third_party'],
    ['source_url', 'example.test/x', 'is not an address that begins with https:// or http://'],
    ['source_url', 'https://example.test/a b', 'is not an address that begins with https:// or http://'],
    ['source_url', 'javascript:alert(1)', 'is not an address that begins with https:// or http://'],
    ['stderr', -0.1, 'is less than 0'],
    ['n', 1.5, 'is not a whole number up to 9007199254740991'],
  ];
  const NOT_THE_RATE = 'is not the input rate without condition';
  const OF_PRICES: readonly [string, readonly [rates: unknown, input?: number | null], string, string][] = [
    [
      'an unknown meter',
      [[rate(3, { meter: 'inputs' })]],
      'rates',
      'is wrong at [0].meter: "inputs" is not a known meter',
    ],
    ['an unknown field', [[rate(3, { currency: 'USD' })]], 'rates', 'is wrong at [0]: Unrecognized key: "currency"'],
    ['two rates for one', [[rate(3), rate(4)]], 'rates', 'has two rates for {"meter":"input","unit":"token"}'],
    ['no list', [rate(3)], 'rates', 'is wrong: Invalid input: expected array, received object'],
    ['no JSON', ['three'], 'rates', 'is not JSON'],
    ['another price', [[rate(3)], 4], 'input_per_million', NOT_THE_RATE],
    ['a price and no rate', [[rate(3, { when: { tier: 'batch' } })]], 'input_per_million', NOT_THE_RATE],
    ['a rate and no price', [[rate(3)], null], 'input_per_million', NOT_THE_RATE],
    ['a rate of 0 and another price', [[rate(0)], 1e-300], 'input_per_million', NOT_THE_RATE],
  ];
  /** Each case is a row, named by it; beside them are rows that are right. */
  const ROWS = {
    models: [
      ...TRUTHS.map(([title, value]) => ({ id: title, name: title, open_weights: value })),
      ...OF_MODELS.map(([field, value]) => ({ id: `${field} ${value}`, name: field, [field]: value })),
      { id: 'a', name: 'A', open_weights: true },
    ],
    benchmarks: [{ id: 'x', name: 'X' }],
    scores: [
      ...OF_SCORES.map(([field, value]) => ({ ...SCORE, model_id: `${field} ${value}`, [field]: value })),
      { ...SCORE, model_id: 'a' },
    ],
    pricing: [
      ...OF_PRICES.map(([title, [rates, input]]) => priceOf(rates, input, { provider: title })),
      ...[0.1, 0.3, 1.1, 2.2, 0.075].map((price) =>
        priceOf([rate(Number(`${price}e-6`), { per: 1 })], price, { provider: `right ${price}` }),
      ),
    ],
  };
  const NAME_OF = { models: 'id', scores: 'model_id', pricing: 'provider' } as const;
  let issues: readonly RawRow[];
  beforeAll(async () => {
    const own = await openTemporaryStore();
    for (const [name, rows] of Object.entries(ROWS)) await sourceOf(own).write(`${CUTOVER}/${name}.jsonl`, rows);
    issues = recordsFrom(await readIssues((await sourceOf(own).night(CUTOVER)).report));
    return own.dispose;
  });

  /** The problems of the rows of a dataset whose names begin so. */
  const issuesOf = (dataset: keyof typeof NAME_OF, name: string) => {
    const rows = ROWS[dataset].map((row) => String(Object(row)[NAME_OF[dataset]]));
    return issues
      .filter((issue) => issue['dataset'] === dataset && rows[Number(issue['row']) - 1]?.startsWith(name))
      .map(({ field, value, reason }) => [field, value, reason]);
  };
  const shown = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

  test.each(TRUTHS)('where a truth is %s', (title, value) => {
    expect(issuesOf('models', title)).toEqual([['open_weights', String(value), 'is not true or false']]);
  });

  test.each(OF_MODELS)('of a model: %s %s', (field, value, reason) => {
    expect(issuesOf('models', `${field} ${value}`)).toEqual([[field, shown(value), reason]]);
  });

  test.each(OF_SCORES)('of a score: %s %s', (field, value, reason) => {
    expect(issuesOf('scores', `${field} ${value}`)).toEqual([[field, shown(value), reason]]);
  });

  test.each(OF_PRICES)('of a price: %s', (title, [rates, input = 3], field, reason) => {
    const value = field === 'rates' ? shown(rates) : input && String(input);
    expect(issuesOf('pricing', title)).toEqual([[field, value, reason]]);
  });

  test('but not where a price per token differs from the one per million in its last digits', () => {
    expect(issuesOf('pricing', 'right')).toEqual([]);
  });

  test('and no other row', () => {
    expect(issues).toHaveLength(TRUTHS.length + OF_MODELS.length + OF_SCORES.length + OF_PRICES.length);
  });
});
