import type { Chooser } from '../../support/random.ts';
import type { ApiRequest, Parameters, Route } from '../request.ts';

/** Texts that are no valid value, or one at a bound's edge; the oracle says which. */
const BAD_VALUES = {
  integer: [
    'x',
    '',
    '1.5',
    '-1',
    '0',
    '30',
    '31',
    '50',
    '51',
    '200',
    '201',
    '500',
    '501',
    '1000',
    '1001',
    '9999999999',
  ],
  number: ['x', '', '-0.001', '1,5', '12abc'],
  day: ['2026-02-30', '2026-2-3', 'tomorrow', '20260101', '2026-06-01T00:00:00Z', '2025-13-01', ''],
  choice: ['bogus', 'Score', 'IDS', '', ' id', '--id'],
  listCursor: ['garbage', 'MQ', 'eyJrIjpbXX0', '%00', '..'],
  feedCursor: ['garbage', 'MA==', 'LTE', 'MDE', 'MS41', 'YQ', 'M A', 'OTk5OTk5OTk5OTk5OTk5OTk5OTk', 'MQ\n'],
  q: ['', 'a'.repeat(201)],
  version: ['2', '2.0', '1.1', '0.9', 'x'],
  required: [undefined],
} as const satisfies Readonly<Record<string, readonly (string | undefined)[]>>;

type ParameterType = keyof typeof BAD_VALUES;

const RANGE = { from: 'day', to: 'day' } as const;
const PAGE = { limit: 'integer', cursor: 'listCursor' } as const;

const PARAMETER_TYPES: Readonly<Record<Route, Readonly<Record<string, ParameterType>>>> = {
  models: {
    ...PAGE,
    q: 'q',
    alias: 'q',
    min_context: 'integer',
    released_after: 'day',
    released_before: 'day',
    max_input_price: 'number',
    max_output_price: 'number',
    sort: 'choice',
  },
  model: {},
  benchmarks: PAGE,
  scores: {
    ...PAGE,
    min_value: 'number',
    max_value: 'number',
    measured_after: 'day',
    measured_before: 'day',
    sort: 'choice',
  },
  rankings: { ...PAGE, category: 'required' },
  updates: { ...PAGE, days: 'integer' },
  categories: {},
  sources: {},
  'model-history': { ...RANGE, kind: 'choice' },
  'rankings-history': { ...RANGE, top: 'integer', category_id: 'required' },
  changes: { limit: 'integer', cursor: 'feedCursor', entity_type: 'choice' },
  snapshots: { schema_version: 'version' },
  download: { schema_version: 'version', dataset: 'choice' },
  nowhere: {},
};
/** Parameters that may also be left out to make a request wrong. */
const REQUIRED = ['kind', 'dataset', 'category', 'category_id'];

/** The request with one to three of its parameters wrong, missing, or at an edge. */
export function spoilRequest(request: ApiRequest, choose: Chooser): ApiRequest {
  const types = Object.entries(PARAMETER_TYPES[request.route]);
  const query: Record<string, string> = { ...request.query };
  if (types.length === 0) return request;
  for (let count = choose.integer(1, 3); count > 0; count -= 1) {
    const [name, type] = choose.pick(types);
    const isLeftOut = REQUIRED.includes(name) && choose.chance(0.5);
    const value = isLeftOut ? undefined : choose.pick<string | undefined>(BAD_VALUES[type]);
    if (value === undefined) delete query[name];
    else query[name] = value;
  }
  return { ...request, query };
}

/** The request with parameters that it doesn't have; they are ignored. */
export function addUnknownParameters(request: ApiRequest, choose: Chooser): ApiRequest {
  const extra: Parameters = choose.pick([{ Limit: 'x' }, { offset: '5' }, { fields: 'id' }, { _: '1' }]);
  return { ...request, query: { ...request.query, ...extra } };
}
