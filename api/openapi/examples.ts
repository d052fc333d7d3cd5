/** Records as the days of June 2026 had them; addresses and the deleted price are made up. */

const MODEL = {
  id: 'gpt-5.4-mini',
  name: 'GPT-5.4 mini',
  organization: 'openai',
  release_date: '2026-03-17',
  context_length: 400_000,
  inference: ['azure', 'openai', 'openrouter'],
  updated_at: '2026-06-10T20:55:45Z',
};
const SCORE = {
  model_id: 'gpt-5',
  benchmark_id: 'aider-polyglot--percent-correct',
  value: 88,
  source: 'https://aider.chat/docs/leaderboards/',
  measured_at: '2025-08-23',
  updated_at: '2026-06-04T23:30:39Z',
};
const RANKINGS = [
  {
    model_id: 'claude-fable-5',
    category: 'text',
    rank: 1,
    trueskill_mu: 1508,
    trueskill_sigma: 4.5918,
    updated_at: '2026-06-17T06:47:47Z',
  },
  {
    model_id: 'claude-opus-4-6-thinking',
    category: 'text',
    rank: 2,
    trueskill_mu: 1503,
    trueskill_sigma: 2.0408,
    updated_at: '2026-06-29T06:21:06Z',
  },
] as const;
const PRICE = {
  model_id: 'gpt-5.4-mini',
  provider: 'openai',
  input_per_million: 0.75,
  output_per_million: 4.5,
  currency: 'USD',
  effective_from: '2026-03-17',
  updated_at: '2026-03-17T19:51:31Z',
};
const { model_id: _model, updated_at: _updated, ...PRICE_PAYLOAD } = PRICE;

const FILES = [
  ['models', 2795, 65_692, '41fbaaedea4ee6ab1b705447dde9a412d13a3825ac52dd86221f976bbf917de0', 582_675],
  ['benchmarks', 107, 2075, '4124c181d91d58ea8ead090cdd505d9f85742b5ab0f3304e2fdc47c128aa0025', 16_917],
  ['scores', 5642, 67_497, 'b9afa20758f3c3c74d3866bf4ad8d3c6b3990d829f6f97cf76271541ce632857', 1_105_407],
  ['rankings', 354, 5301, 'e6d577cb342435d4aa663eac937ebddadee59e0fc0c60dec8802bac9fac1f658', 51_818],
  ['pricing', 4874, 64_430, '12eccf6d47ba42e72119875ccb79605b33bc22324a97f4959fcf20997c278842', 917_219],
] as const;
/** Of the uncompressed lines, in the order of {@link FILES}. */
const CONTENT_SHA256 = [
  '987e4239f4716930c54fbd65c560e17c2dc6b69ee2b83a1de3f5df51f6828cc5',
  '1d35abac67f48dee99cb6056f2026facf63a67910c34d942713312360627876e',
  '155946f8aa3a4cc70035a0c3c1c395284d3ede8a9ccf6f32c49900dc67c58cec',
  'b8b8d99c220b54913551dd97d1c7b08712c7a40fbd1cc8c9ae3f28d35a58a3df',
  '99023131257e61420f2219aa46787102e630835cac9024d56aef714b647535ec',
];

const WINDOW = { from: '2026-06-29', to: '2026-06-30', plan_limit_from: '2025-06-30' };

/** An answer of each data route, by path; a test holds them against the schemas. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  '/v1/models': { models: [MODEL], total: 3, next_cursor: 'ZjI2NGJkMzNbImdwdC01LjQtbWluaSJd' },
  '/v1/models/:id': { ...MODEL, scores: [], rankings: [], pricing: [PRICE] },
  '/v1/benchmarks': {
    benchmarks: [
      {
        id: 'aider-polyglot--percent-correct',
        name: 'Aider Polyglot / percent correct',
        category: null,
        model_count: 31,
        updated_at: '2026-06-04T23:30:39Z',
      },
    ],
    total: 107,
    next_cursor: 'YjE4YWM1MWJbImFpZGVyLXBvbHlnbG90LS1wZXJjZW50LWNvcnJlY3QiXQ',
  },
  '/v1/scores': { scores: [SCORE], total: 1, next_cursor: null },
  '/v1/rankings': {
    category: 'text',
    ranked_at: '2026-06-29T23:59:59Z',
    method: 'trueskill',
    rankings: RANKINGS,
    total: 20,
    next_cursor: 'ZmE3M2IzMjlbIjIiLCJjbGF1ZGUtb3B1cy00LTYtdGhpbmtpbmciXQ',
  },
  '/v1/updates': { days: 7, models: [{ ...MODEL, added_at: '2026-06-29T23:59:59Z' }], total: 43 },
  '/v1/categories': {
    categories: [
      { id: 'code', model_count: 20 },
      { id: 'text', model_count: 20 },
    ],
  },
  '/v1/models/:model_id/history': {
    model_id: 'gpt-5.4-mini',
    kind: 'pricing',
    points: [
      {
        date: '2026-06-29',
        value: 0.75,
        benchmark_id: null,
        category_id: null,
        payload: PRICE_PAYLOAD,
        source: 'capture',
      },
    ],
    window: { ...WINDOW, available_from: '2025-06-04' },
  },
  '/v1/rankings/history': {
    category_id: 'text',
    kind: 'ranking',
    points: RANKINGS.map(({ model_id, category, rank, trueskill_mu, trueskill_sigma }) => ({
      date: '2026-06-29',
      value: rank,
      model_id,
      category_id: category,
      payload: { positions: 20, trueskill_mu, trueskill_sigma },
      source: 'capture',
    })),
    window: { ...WINDOW, available_from: '2026-03-19' },
  },
  '/v1/snapshots': {
    snapshots: [
      {
        id: '2026-06-29',
        published_at: '2026-06-30T00:20:00Z',
        data_as_of: '2026-06-29T23:59:59Z',
        schema_version: '1.0',
        datasets: FILES.map(([name, records, bytes, sha256, content_bytes], i) => ({
          ...{ name, format: 'jsonl.gz', records, bytes, sha256 },
          ...{ content_bytes, content_sha256: CONTENT_SHA256[i] },
        })),
        change_cursor: 'NDYxMjM',
        prev_id: '2026-06-28',
      },
    ],
  },
  '/v1/snapshots/:snapshot_id/download': {
    dataset: 'models',
    url: 'https://api.example.com/files/releases/2026-06-29.01M7Z20AH0KMS8N3QW4JSZTBNG/snapshot/models.jsonl.gz?expires=1782821700&signature=RrwueUXE5CcYPj1MzDimWd12jdWGu75dds4JOnMTl5s',
    expires_at: '2026-06-30T12:15:00Z',
    bytes: 65_692,
    sha256: FILES[0][3],
  },
  '/v1/changes': {
    events: [
      {
        seq: 46_001,
        occurred_on: '2026-06-29',
        entity_type: 'ranking',
        entity_id: 'claude-opus-4-6-thinking:text',
        op: 'upsert',
        data: RANKINGS[1],
        schema_version: '1.0',
      },
      {
        seq: 46_002,
        occurred_on: '2026-06-29',
        entity_type: 'pricing',
        entity_id: 'gpt-5.4-mini:freemodel',
        op: 'delete',
        data: null,
        schema_version: '1.0',
      },
    ],
    next_cursor: 'NDYwMDI',
    has_more: true,
    retained_from: '2025-06-04',
    published_through: '2026-06-29',
  },
};
