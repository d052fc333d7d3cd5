/** Fields of records in version 1.2, as sources have them (specification "Bad rows", "Rates", "Suspect prices"). */
import { describe, expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { readIssues, readRecords, recordsFrom } from '../support/pipeline/published.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';
import { CUTOVER } from '../worlds/rated-days.ts';

const store = useStore();
const source = sourceOf(store);
const { write, night } = source;

const MODELS = ['a', 'b'].map((id) => ({ id, name: id }));
const rate = (price: number, more: object = {}) => ({ meter: 'input', unit: 'token', per: 1_000_000, price, ...more });
const priceOf = (rates: unknown, input: number | null = 3, more: object = {}) => {
  return { model_id: 'a', provider: 'p', input_per_million: input, rates, ...more };
};

async function writeAll(files: Readonly<Record<string, string | readonly object[]>>, day = CUTOVER): Promise<void> {
  for (const [name, content] of Object.entries(files)) await write(`${day}/${name}`, content);
}

/** Copies a query's rows into a file of a day. */
async function writeParquet(name: string, select: string): Promise<void> {
  await write(`${CUTOVER}/${name}`, '');
  await store.reader.run(`COPY (${select}) TO ${sqlText(source.path(`${CUTOVER}/${name}`))} (FORMAT parquet)`);
}

/** The problems of a day: row, field, value and reason. */
async function issues(day = CUTOVER): Promise<readonly unknown[]> {
  const found = recordsFrom(await readIssues((await night(day)).report));
  return found.map(({ row, field, value, reason }) => [row, field, value, reason]);
}

const model = async (id = 'a') => (await readRecords(store, 'models')).find((record) => record['id'] === id);

describe('a source of any format gives the same records', () => {
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
  const prices = `SELECT 'a' AS model_id, 'p' AS provider, 3 AS input_per_million, ${RATES_SQL} AS rates`;
  const modelRow = { id: 'a', name: 'A', knowledge_cutoff: '2026-06', open_weights: false };

  test.each<[string, () => Promise<void>]>([
    [
      'JSON Lines',
      () =>
        writeAll({
          'models.jsonl': [{ ...modelRow, modalities: { output: ['text'], input: ['text', 'image'] } }],
          'pricing.jsonl': [priceOf([rate(1.5, { when: { tier: 'batch', region: null } }), rate(3, { when: null })])],
        }),
    ],
    [
      'JSON',
      () =>
        writeAll({
          'models.json': JSON.stringify([{ ...modelRow, modalities: JSON.parse(MODALITIES) }]),
          'pricing.json': JSON.stringify([priceOf(JSON.parse(CANONICAL))], null, 2),
        }),
    ],
    [
      'CSV',
      () =>
        writeAll({
          'models.csv': `id,name,knowledge_cutoff,open_weights,modalities\na,A,2026-06,false,"${MODALITIES.replaceAll('"', '""')}"\n`,
          'pricing.csv': `model_id,provider,input_per_million,rates\na,p,3,"${CANONICAL.replaceAll('"', '""')}"\n`,
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
          'pricing.jsonl': [priceOf(CANONICAL)],
        }),
    ],
  ])('%s', async (_, writeSource) => {
    await writeSource();
    expect(await night(CUTOVER)).toMatchObject({ status: 'published', quarantined: 0 });
    const [price] = await readRecords(store, 'pricing');
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
        MODELS[1] ?? {},
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
  test.each<[string, unknown, string]>([
    ['yes', 'yes', 'is not true or false'],
    ['1', 1, 'is not true or false'],
    ['True', 'True', 'is not true or false'],
    ['an empty text', '', 'is not true or false'],
  ])('where a truth is %s', async (_, value, reason) => {
    await writeAll({
      'models.jsonl': [
        { id: 'a', name: 'A', open_weights: value },
        { ...MODELS[1], open_weights: true },
      ],
    });
    expect(await issues()).toEqual([[1, 'open_weights', String(value), reason]]);
  });

  test.each<[string, unknown, string]>([
    ['status', 'Active', 'is not one of active, preview, deprecated, retired'],
    ['knowledge_cutoff', '2026-13', 'is not YYYY, YYYY-MM or YYYY-MM-DD'],
    ['knowledge_cutoff', '2026-06-01T00:00:00Z', 'is not YYYY, YYYY-MM or YYYY-MM-DD'],
    ['knowledge_cutoff', 'June 2026', 'is not YYYY, YYYY-MM or YYYY-MM-DD'],
    ['max_output_tokens', 0, 'is less than 1'],
    ['retires_on', 'soon', 'is not a date YYYY-MM-DD'],
    ['replaced_by', ' b', 'has white space around it'],
    ['modalities', { input: ['text'] }, 'is wrong at .output: Invalid input: expected array, received undefined'],
    ['capabilities', [7], 'is not a list of texts, or text with commas'],
  ])('of a model: %s %s', async (field, value, reason) => {
    await writeAll({ 'models.jsonl': [{ id: 'a', name: 'A', [field]: value }, MODELS[1] ?? {}] });
    const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
    expect(await issues()).toEqual([[1, field, shown, reason]]);
  });

  test.each<[string, unknown, string]>([
    ['reported_by', 'vendor', 'is not one of maker, evaluator, third_party'],
    ['source_url', 'example.test/x', 'is not an address that begins with https:// or http://'],
    ['source_url', 'https://example.test/a b', 'is not an address that begins with https:// or http://'],
    ['source_url', 'javascript:alert(1)', 'is not an address that begins with https:// or http://'],
    ['stderr', -0.1, 'is less than 0'],
    ['n', 1.5, 'is not a whole number up to 9007199254740991'],
  ])('of a score: %s %s', async (field, value, reason) => {
    const score = (model_id: string) => ({ model_id, benchmark_id: 'x', value: 1 });
    const scores = [{ ...score('a'), [field]: value }, score('b')];
    await writeAll({ 'models.jsonl': MODELS, 'benchmarks.jsonl': [{ id: 'x', name: 'X' }], 'scores.jsonl': scores });
    expect(await issues()).toEqual([[1, field, String(value), reason]]);
  });

  const PRICES: readonly [string, object, string, string][] = [
    [
      'an unknown meter',
      priceOf([rate(3, { meter: 'inputs' })]),
      'rates',
      'is wrong at [0].meter: "inputs" is not a known meter',
    ],
    [
      'an unknown field',
      priceOf([rate(3, { currency: 'USD' })]),
      'rates',
      'is wrong at [0]: Unrecognized key: "currency"',
    ],
    ['two rates for one', priceOf([rate(3), rate(4)]), 'rates', 'has two rates for {"meter":"input","unit":"token"}'],
    ['no list', priceOf(rate(3)), 'rates', 'is wrong: Invalid input: expected array, received object'],
    ['no JSON', priceOf('three'), 'rates', 'is not JSON'],
    ['another price', priceOf([rate(3)], 4), 'input_per_million', 'is not the input rate without condition'],
    [
      'a price and no rate',
      priceOf([rate(3, { when: { tier: 'batch' } })]),
      'input_per_million',
      'is not the input rate without condition',
    ],
    ['a rate and no price', priceOf([rate(3)], null), 'input_per_million', 'is not the input rate without condition'],
    [
      'a rate of 0 and another price',
      priceOf([rate(0)], 1e-300),
      'input_per_million',
      'is not the input rate without condition',
    ],
  ];

  const shown = (row: object, field: string) => {
    const given = Object.entries(row).find(([name]) => name === field)?.[1] ?? null;
    return typeof given === 'object' && given !== null ? JSON.stringify(given) : given && String(given);
  };

  test.each(PRICES)('of a price: %s', async (_, row, field, reason) => {
    await writeAll({ 'models.jsonl': MODELS, 'pricing.jsonl': [row, { ...priceOf(null), model_id: 'b' }] });
    expect(await issues()).toEqual([[1, field, shown(row, field), reason]]);
  });

  test('from Parquet and source.sql in the same words', async () => {
    const wrong = `[{meter: 'inputs', unit: 'token', per: 1000000, price: 3.0}]`;
    const select = `SELECT unnest(['a', 'b']) AS model_id, 'p' AS provider, 3 AS input_per_million`;
    const prices = `SELECT *, if(model_id = 'a', ${wrong}, NULL) AS rates FROM (${select})`;
    const value = '[{"meter":"inputs","unit":"token","per":1000000,"price":3.0}]';
    const expected = [[1, 'rates', value, 'is wrong at [0].meter: "inputs" is not a known meter']];
    await writeAll({ 'models.jsonl': MODELS });
    await writeParquet('pricing.parquet', prices);
    expect(await issues()).toEqual(expected);
    const next = addDays(CUTOVER, 1);
    await writeAll({ 'models.jsonl': MODELS, 'source.sql': `-- pricing\n${prices};\n` }, next);
    expect(await issues(next)).toEqual(expected);
  });

  test('but not where a price per token differs from the one per million in its last digits', async () => {
    const prices = [0.1, 0.3, 1.1, 2.2, 0.075].map((price, index) => ({
      ...priceOf([rate(Number(`${price}e-6`), { per: 1 })], price),
      provider: `p${index}`,
    }));
    await writeAll({ 'models.jsonl': MODELS, 'pricing.jsonl': prices });
    expect(await issues()).toEqual([]);
  });
});
