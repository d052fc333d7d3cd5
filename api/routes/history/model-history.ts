import { z } from 'zod';
import { dataRoute } from '../data-route.ts';
import { findRangeProblems, type HistoryRange, resolveRange } from '../history-range.ts';
import { ModelHistorySchema } from '../history-schemas.ts';
import { oneOf } from '../parameters.ts';
import { id, RANGE } from '../parameters-common.ts';
import { expandPoints, type Interval } from '../queries/history-points.ts';
import { daysOf, windowText } from '../queries/history-window.ts';
import { jsonArray, jsonObject } from '../queries/json-text.ts';
import { assertKnown } from '../queries/known.ts';
import { HISTORY_KINDS, type HistoryKind } from '../view/history-kinds.ts';
import type { View } from '../view/view.ts';

interface Effective extends HistoryRange {
  readonly model: string;
  readonly kind: HistoryKind;
  /** Which of the model's series; undefined: all. */
  readonly series: string | undefined;
}

/** `GET /v1/models/{model_id}/history` (SPEC, rules 1 to 6). */
export const modelHistoryRoute = dataRoute({
  path: '/v1/models/:model_id/history',
  capability: 'history',
  summary: 'Daily history of one model',
  description: 'A point per day with recorded data and series. Days without data are absent, never interpolated.',
  params: z.object({ model_id: id('The model; encode a slash as %2F', 'gpt-5.4-mini') }),
  query: z.object({
    kind: oneOf(HISTORY_KINDS, { description: 'What of the model', example: 'pricing' }),
    ...RANGE,
    benchmark_id: id('Narrows kind=score to one benchmark', 'aider-polyglot--percent-correct').optional(),
    category_id: id('Narrows kind=ranking to one category', 'text').optional(),
    provider: id('Narrows kind=pricing to one provider', 'openai').optional(),
  }),
  response: ModelHistorySchema,
  errors: ['not_found', 'history_window_exceeded'],
  cacheControl: 'private, max-age=60',
  dependsOnToday: true,
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
  answer: async (effective, { view }) => {
    const { model, kind } = effective;
    const intervals = await loadIntervals(view, effective);
    if (intervals.length === 0) await assertIdsKnown(view, effective);
    const [window, positionsOf] = await Promise.all([
      windowText(view, kind, effective),
      kind === 'ranking' ? loadPositions(view, effective) : () => 0,
    ]);
    const points = expandPoints({ ...effective, intervals, capturedDays: daysOf(view, kind), positionsOf });
    return jsonObject({
      model_id: JSON.stringify(model),
      kind: JSON.stringify(kind),
      points: jsonArray(points),
      window,
    });
  },
});

/**
 * The model's intervals of a kind that reach into the range, by series and day: the order of the table, which DuckDB keeps
 * (`preserve_insertion_order`). Sorting them again would take a third of the answer's time.
 */
async function loadIntervals(view: View, { kind, model, series, from, to }: Effective): Promise<readonly Interval[]> {
  const narrowed = series === undefined ? '' : 'AND series = $4';
  const rows = await view.rows(
    `SELECT series, CAST(valid_from AS VARCHAR) AS valid_from, CAST(valid_to AS VARCHAR) AS valid_to, value, payload, source
     FROM history_${kind}
     WHERE model_hash = hash($1) AND model_id = $1
       AND valid_from <= $3::VARCHAR::DATE AND (valid_to IS NULL OR valid_to >= $2::VARCHAR::DATE) ${narrowed}`,
    series === undefined ? [model, from, to] : [model, from, to, series],
  );
  return rows.map((row) => ({
    series: String(row['series']),
    validFrom: String(row['valid_from']),
    validTo: row['valid_to'] === null ? null : String(row['valid_to']),
    value: String(row['value']),
    payload: String(row['payload']),
    source: String(row['source']),
  }));
}

/** Tells a series without points from an id that never was. */
async function assertIdsKnown(view: View, { model, kind, series }: Effective): Promise<void> {
  await assertKnown(view, 'model', { id: model, param: 'model_id' });
  if (series === undefined) return;
  if (kind === 'score') await assertKnown(view, 'benchmark', { id: series, param: 'benchmark_id' });
  if (kind === 'ranking') await assertKnown(view, 'category', { id: series, param: 'category_id' });
}

/** How many models each category of this model ranked on each day of the range. */
async function loadPositions(
  view: View,
  { model, from, to }: Effective,
): Promise<(category: string, day: string) => number> {
  const rows = await view.rows(
    `SELECT category, CAST(day AS VARCHAR) AS day, positions FROM ranking_counts
     WHERE day BETWEEN $2::VARCHAR::DATE AND $3::VARCHAR::DATE
       AND category IN (SELECT series FROM history_ranking WHERE model_hash = hash($1) AND model_id = $1)`,
    [model, from, to],
  );
  const counts = new Map(rows.map(({ category, day, positions }) => [`${day} ${category}`, Number(positions)]));
  return (category, day) => counts.get(`${day} ${category}`) ?? 0;
}
