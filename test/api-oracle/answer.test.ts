import { describe, expect, test } from 'vitest';
import { tinyState } from '../worlds/tiny-days.ts';
import { answerRequest } from './answer.ts';
import type { Expected } from './expected.ts';
import type { ApiRequest, Parameters, Route } from './request.ts';

const state = tinyState();

function ask(route: Route, query: Parameters = {}, more: Partial<ApiRequest> = {}, today?: string): Expected {
  return answerRequest(today === undefined ? state : { ...state, today }, { route, params: {}, query, ...more });
}

function bodyOf(expected: Expected): Readonly<Record<string, unknown>> {
  if (expected.kind !== 'body') throw new Error(`answered with ${JSON.stringify(expected)}`);
  return expected.body;
}

const rowsOf = (expected: Expected, column = 'id') =>
  expected.kind === 'list' ? expected.rows.map((row) => row[column]) : expected;
const problemsOf = (expected: Expected) =>
  expected.kind === 'invalid' ? expected.problems.map(({ loc, type }) => `${loc.join('.')} ${type}`) : expected;

describe('lists', () => {
  test('are in byte order, nulls last in both directions, ties by key', () => {
    expect(rowsOf(ask('models'))).toEqual(['C', 'a', 'b', 'd']);
    expect(rowsOf(ask('models', { sort: '-id' }))).toEqual(['d', 'b', 'a', 'C']);
    expect(rowsOf(ask('models', { sort: 'context_length' }))).toEqual(['C', 'a', 'b', 'd']);
    expect(rowsOf(ask('models', { sort: '-release_date' }))).toEqual(['b', 'a', 'C', 'd']);
    expect(rowsOf(ask('models', { sort: '-updated_at' }))).toEqual(['d', 'C', 'a', 'b']);
    expect(rowsOf(ask('scores', { sort: '-value' }), 'value')).toEqual([5, 2]);
    expect(rowsOf(ask('scores', { sort: '-measured_at' }), 'model_id')).toEqual(['a', 'C']);
  });

  test('filter with bounds that are inclusive and leave out what is unknown', () => {
    expect(rowsOf(ask('models', { min_context: '1000' }))).toEqual(['C', 'a']);
    expect(rowsOf(ask('models', { min_context: '0' }))).toEqual(['C', 'a']);
    expect(rowsOf(ask('models', { released_after: '2025-01-03' }))).toEqual(['b']);
    expect(rowsOf(ask('models', { released_before: '2025-01-03' }))).toEqual(['a', 'b']);
    expect(rowsOf(ask('scores', { min_value: '2', max_value: '2' }), 'model_id')).toEqual(['a']);
    expect(rowsOf(ask('scores', { measured_before: '2026-01-04' }), 'model_id')).toEqual(['a']);
  });

  test('filter by provider, organization, part of a name, and one price that meets all bounds', () => {
    expect(rowsOf(ask('models', { provider: 'p' }))).toEqual(['a', 'b']);
    expect(rowsOf(ask('models', { organization: 'O' }))).toEqual([]);
    expect(rowsOf(ask('models', { q: 'éMILE' }))).toEqual(['d']);
    expect(rowsOf(ask('models', { q: '%' }))).toEqual(['d']);
    expect(rowsOf(ask('models', { q: '_' }))).toEqual([]);
    expect(rowsOf(ask('models', { max_input_price: '1' }))).toEqual(['a']);
    expect(rowsOf(ask('models', { max_input_price: '1', max_output_price: '2.9' }))).toEqual([]);
  });

  test('say how many rows match and how fresh a ranking is', () => {
    const expected = ask('rankings', { category: 'code', limit: '2' });
    expect(expected).toMatchObject({
      limit: 2,
      envelope: { category: 'code', ranked_at: '2026-01-07T23:59:59Z', method: null, total: 3 },
    });
    expect(rowsOf(expected, 'model_id')).toEqual(['a', 'b', 'C']);
    expect(ask('rankings', { category: 'none' })).toMatchObject({ kind: 'refusal', status: 404, param: 'category' });
  });
});

describe('a model, updates, categories', () => {
  test('a model comes with its records by key', () => {
    const body = bodyOf(ask('model', {}, { params: { id: 'C' } }));
    expect(Object.keys(body).slice(-5)).toEqual(['updated_at', 'scores', 'rankings', 'pricing', 'aliases']);
    expect(body).toMatchObject({ id: 'C', scores: [{ value: 5 }], rankings: [{ rank: 3 }], pricing: [] });
    expect(ask('model', {}, { params: { id: 'c' } })).toEqual({
      kind: 'refusal',
      status: 404,
      code: 'not_found',
      param: 'id',
    });
  });

  test('updates are what a night first saw within the window; coming back is no addition', () => {
    const updates = ask('updates', { days: '6' });
    expect(updates).toMatchObject({ name: 'models', limit: 50, envelope: { days: 6, total: 2 } });
    expect([rowsOf(updates), rowsOf(updates, 'added_at')]).toEqual([
      ['d', 'C'],
      ['2026-01-06T23:59:59Z', '2026-01-02T23:59:59Z'],
    ]);
    expect(ask('updates', { days: '5' })).toMatchObject({ envelope: { total: 1 } });
    expect(ask('updates', { days: '30', limit: '1' })).toMatchObject({ limit: 1, envelope: { total: 2 } });
  });

  test('categories are those of the current rankings', () => {
    expect(bodyOf(ask('categories'))).toEqual({ categories: [{ id: 'code', model_count: 3 }] });
  });
});

describe('history', () => {
  const history = (model_id: string, query: Parameters, today?: string) =>
    ask('model-history', query, { params: { model_id } }, today);
  const WINDOW = { from: '2024-12-04', to: '2026-01-08', plan_limit_from: null };

  test('of scores, whole', () => {
    const blank = { category_id: null, benchmark_id: 'x', source: 'capture' };
    const early = { n: 10, source: null, measured_at: null };
    expect(bodyOf(history('a', { kind: 'score' }))).toEqual({
      model_id: 'a',
      kind: 'score',
      points: [
        { date: '2026-01-01', value: 1, ...blank, payload: early },
        { date: '2026-01-02', value: 1, ...blank, payload: early },
        { date: '2026-01-05', value: 2, ...blank, payload: { n: null, source: 'official', measured_at: '2026-01-04' } },
      ],
      window: { ...WINDOW, available_from: '2026-01-01' },
    });
  });

  test('of prices: one point per provider and day, the unbelievable one left out', () => {
    const points = bodyOf(history('a', { kind: 'pricing', from: '2026-01-05', to: '2026-01-06' }))['points'];
    expect(points).toMatchObject([
      { date: '2026-01-05', value: null, payload: { provider: 'q', output_per_million: 0, currency: 'USD' } },
      { date: '2026-01-06', value: 1, payload: { provider: 'p', output_per_million: 2 } },
      { date: '2026-01-06', value: null, payload: { provider: 'q' } },
    ]);
    expect(history('a', { kind: 'pricing', provider: 'z' })).toMatchObject({ status: 404, param: 'provider' });
  });

  test('of ranks, with how many were ranked', () => {
    const { points, window } = bodyOf(history('b', { kind: 'ranking', category_id: 'code' }));
    expect(window).toMatchObject({ available_from: '2026-01-02' });
    expect(points).toEqual([
      expect.objectContaining({
        date: '2026-01-02',
        value: 3,
        category_id: 'code',
        payload: { positions: 3, ...skill },
      }),
      expect.objectContaining({ date: '2026-01-06', value: 1, payload: { positions: 3, ...skill } }),
      expect.objectContaining({ date: '2026-01-07', value: 2, payload: { positions: 3, ...skill } }),
    ]);
  });

  test('of a model itself, which has no value', () => {
    expect(bodyOf(history('d', { kind: 'metadata' }))['points']).toEqual([
      {
        date: '2026-01-06',
        value: null,
        benchmark_id: null,
        category_id: null,
        payload: { name: 'Émile 100%', organization: null, release_date: null, context_length: null, inference: null },
        source: 'capture',
      },
    ]);
  });

  test('of a category: a tie is kept whole and `top` counts positions', () => {
    const points = (query: Parameters) =>
      bodyOf(ask('rankings-history', { category_id: 'code', ...query }))['points'] as Record<string, unknown>[];
    expect(points({ top: '1', to: '2026-01-05' }).map((p) => [p['date'], p['model_id'], p['value']])).toEqual([
      ['2026-01-02', 'C', 1],
      ['2026-01-02', 'a', 1],
      ['2026-01-05', 'a', 1],
    ]);
    expect(points({ top: '2', from: '2026-01-06', to: '2026-01-06' }).map((p) => p['model_id'])).toEqual([
      'b',
      'C',
      'a',
    ]);
    expect(points({ from: '2026-01-05', to: '2026-01-05' })).toMatchObject([
      { payload: { positions: 2 } },
      { payload: { positions: 2 } },
    ]);
  });

  test('of what was removed is kept; of what never was is refused', () => {
    expect(bodyOf(ask('rankings-history', { category_id: 'art' }))['points']).toHaveLength(1);
    expect(history('z', { kind: 'score' })).toMatchObject({ status: 404, param: 'model_id' });
    expect(history('a', { kind: 'score', benchmark_id: 'z' })).toMatchObject({ status: 404, param: 'benchmark_id' });
    expect(history('a', { kind: 'metadata', benchmark_id: 'z' })).toMatchObject({ kind: 'body' });
    expect(ask('rankings-history', { category_id: 'z' })).toMatchObject({ status: 404, param: 'category_id' });
  });

  test('spans 400 days, ends today, and neither begins in the future nor after its end', () => {
    const range = (query: Parameters) => history('a', { kind: 'score', ...query });
    expect(bodyOf(range({ from: '2024-12-04', to: '2027-01-01' }))).toMatchObject({ window: WINDOW });
    expect(problemsOf(range({ from: '2024-12-03' }))).toEqual(['query.from range_too_large']);
    expect(problemsOf(range({ from: '2026-01-09', to: '2026-01-10' }))).toEqual(['query.from value_error']);
    expect(problemsOf(range({ from: '2026-01-02', to: '2026-01-01' }))).toEqual(['query.from value_error']);
    expect(bodyOf(range({ from: '2026-01-03', to: '2026-01-04' }))).toMatchObject({ points: [] });
  });

  test('tells all that is wrong at once', () => {
    expect(problemsOf(history('z', { kind: 'x', from: '2026-02-30', to: '' }))).toEqual([
      'query.kind enum',
      'query.to date_from_datetime_parsing',
      'query.from date_from_datetime_parsing',
    ]);
    expect(problemsOf(ask('rankings-history', { top: '51' }))).toEqual([
      'query.category_id missing',
      'query.top less_than_equal',
    ]);
  });
});

const skill = { trueskill_mu: 25, trueskill_sigma: null };

describe('the feed and the snapshots', () => {
  test('a cursor is what its seq is; one beyond the feed or not of our making is refused', () => {
    expect(ask('changes', { cursor: 'Mjg', limit: '5' })).toMatchObject({
      events: [{ seq: 29 }],
      afterSeq: 28,
      limit: 5,
    });
    expect(ask('changes', { entity_type: 'model' })).toMatchObject({ isFiltered: true, headSeq: 29, limit: 1000 });
    expect(problemsOf(ask('changes', { cursor: 'MzA' }))).toEqual(['query.cursor cursor_ahead']);
    expect(problemsOf(ask('changes', { cursor: 'MA==', limit: '0' }))).toEqual([
      'query.limit greater_than_equal',
      'query.cursor cursor_invalid',
    ]);
  });

  test('a feed whose beginning was pruned starts there, and older cursors are gone', () => {
    const pruned = { ...state, retainedFrom: '2026-01-05' };
    const at = (query: Parameters) => answerRequest(pruned, { route: 'changes', params: {}, query });
    expect(at({})).toMatchObject({ afterSeq: 10, retainedFrom: '2026-01-05', publishedThrough: '2026-01-07' });
    expect(at({ cursor: 'MTA' })).toMatchObject({ kind: 'feed', afterSeq: 10 });
    expect(at({ cursor: 'OQ' })).toMatchObject({ status: 410, code: 'cursor_expired' });
  });

  test('snapshots come newest first, each with its cursor and the one before', () => {
    const { snapshots } = bodyOf(ask('snapshots')) as { snapshots: Record<string, unknown>[] };
    expect(snapshots.map(({ id, prev_id, change_cursor }) => [id, prev_id, change_cursor])).toEqual([
      ['2026-01-07', '2026-01-06', 'Mjk'],
      ['2026-01-06', '2026-01-05', 'MjM'],
      ['2026-01-05', '2026-01-02', 'MTc'],
      ['2026-01-02', '2026-01-01', 'MTA'],
      ['2026-01-01', null, 'NA'],
    ]);
    expect(problemsOf(ask('snapshots', { schema_version: '2' }))).toEqual(['query.schema_version undefined']);
    expect(ask('download', { dataset: 'models' }, { params: { snapshot_id: '2026-01-03' } })).toMatchObject({
      status: 404,
      param: 'snapshot_id',
    });
  });

  test('other methods and other paths are refused', () => {
    expect(ask('models', { limit: 'x' }, { method: 'POST' })).toMatchObject({
      status: 405,
      code: 'method_not_allowed',
    });
    expect(ask('nowhere')).toMatchObject({ status: 404, param: null });
  });
});
