import { z } from 'zod';
import { HISTORY_KINDS, type HistoryKind } from '../../view/history-kinds.ts';
import type { View } from '../../view/view.ts';
import { assertKnown } from '../queries/conditions.ts';
import { expandPoints, readIntervals } from '../queries/history-points.ts';
import { createPositions } from '../queries/ranking-points.ts';
import { dataRoute, jsonFrame } from '../responses/data-route.ts';
import { idOf, oneOf } from '../responses/parameters.ts';
import { EXAMPLE_PRICE } from '../responses/records.ts';
import {
  daysOf,
  findRangeProblems,
  type HistoryRange,
  historyDependency,
  ModelHistorySchema,
  RANGE,
  resolveRange,
  windowText,
} from './history-range.ts';

interface Effective extends HistoryRange {
  readonly model: string;
  readonly kind: HistoryKind;
  /** Which of the model's series; undefined: all. */
  readonly series: string | undefined;
}

/** Of a day before rates were recorded. */
const { model_id: _model, updated_at: _updated, source: _source, rates: _rates, ...EXAMPLE_PAYLOAD } = EXAMPLE_PRICE;

/** `GET /v1/models/{model_id}/history` (specification "History requests"). */
export const modelHistoryRoute = dataRoute({
  path: '/v1/models/:model_id/history',
  operationId: 'getModelHistory',
  capability: 'history',
  feature: 'history',
  limitPerMinute: 60,
  summary: 'Daily history of one model',
  description: 'One point per series and recorded day. Days without data are absent, never interpolated.',
  params: z.object({ model_id: idOf('model', 'The model; encode a slash as %2F', 'gpt-5.4-mini') }),
  query: z.object({
    kind: oneOf(HISTORY_KINDS, { description: 'What history to return', example: 'pricing' }),
    ...RANGE,
    benchmark_id: idOf(
      'benchmark',
      'Narrows kind=score to one benchmark',
      'aider-polyglot--percent-correct',
    ).optional(),
    category_id: idOf('category', 'Narrows kind=ranking to one category', 'text').optional(),
    provider: idOf('provider', 'Narrows kind=pricing to one provider', 'openai').optional(),
  }),
  response: ModelHistorySchema,
  csv: 'points',
  example: {
    model_id: 'gpt-5.4-mini',
    kind: 'pricing',
    points: [
      {
        date: '2026-06-29',
        value: 0.75,
        benchmark_id: null,
        category_id: null,
        payload: EXAMPLE_PAYLOAD,
        source: 'capture',
      },
    ],
    window: {
      from: '2026-06-29',
      to: '2026-06-30',
      plan_limit_from: '2025-06-30',
      available_from: '2025-06-04',
    },
  },
  dependsOnText:
    'the captures of the dataset within the range, and `available_from`; for prices the reconstructed ones',
  errors: ['not_found', 'history_window_exceeded'],
  cacheControl: 'private, max-age=60',
  check: findRangeProblems,
  prepare: ({ params, query }, context): Effective => {
    const { from, to, kind } = query;
    const series = {
      score: query.benchmark_id,
      ranking: query.category_id,
      pricing: query.provider,
      metadata: undefined,
    };
    return { model: params.model_id, kind, series: series[kind], ...resolveRange({ from, to }, context) };
  },
  handle: (effective) => ({
    dependsOn: ({ view, today }) => historyDependency(view, effective.kind, effective, today),
    assertExists: async ({ view }) => assertIdsKnown(view, effective),
    cached: async ({ view }) => {
      const { model, kind } = effective;
      const frame = jsonFrame({ model_id: JSON.stringify(model), kind: JSON.stringify(kind) }, 'points', {
        window: windowText(view, kind, effective),
      });
      const intervals = readIntervals(view, effective);
      if (intervals.length === 0) assertIdsKnown(view, effective);
      const points = expandPoints({
        ...effective,
        intervals,
        capturedDays: daysOf(view, kind),
        positionsOf: createPositions(view, effective),
      });
      return frame.head + points + frame.tail;
    },
  }),
});

/** Distinguishes a series without points from an unknown id. */
function assertIdsKnown(view: View, { model, kind, series }: Effective): void {
  assertKnown(view, 'model', { id: model, param: 'model_id' });
  if (series === undefined) return;
  if (kind === 'score') assertKnown(view, 'benchmark', { id: series, param: 'benchmark_id' });
  if (kind === 'ranking') assertKnown(view, 'category', { id: series, param: 'category_id' });
  if (kind === 'pricing') assertKnown(view, 'provider', { id: series, param: 'provider' });
}
