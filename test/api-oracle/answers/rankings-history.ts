/** `/v1/rankings/history` (specification "Rankings history"; "History points"). */

import { type ApiState, type Expected, notFound } from '../expected.ts';
import { compareText } from '../order.ts';
import { QueryReader } from '../query-reader.ts';
import type { ApiRequest } from '../request.ts';
import { isKnownCategory } from './model-history.ts';
import { collectPoints, countPositions, rankingPayload } from './points.ts';
import { readRange, windowFrom } from './range.ts';

/** `top` keeps positions, so a tie at its edge is kept whole; `positions` counts all models of the category. */
export function answerRankingsHistory({ world, today }: ApiState, { query }: ApiRequest): Expected {
  const reader = new QueryReader(query);
  const category = reader.text('category_id') ?? '';
  const top = reader.number('top') ?? 10;
  const range = readRange(reader, today);
  if (!isKnownCategory(world, category)) return notFound('category_id');

  const positions = countPositions(world, category);
  const points = collectPoints(world, 'rankings', range, (key) => key[1] === category)
    .filter(({ values }) => Number(values['rank']) <= top)
    .sort(
      (a, b) =>
        compareText(a.day, b.day) ||
        Number(a.values['rank']) - Number(b.values['rank']) ||
        compareText(String(a.values['model_id']), String(b.values['model_id'])),
    )
    .map(({ day, values }) => ({
      date: day,
      value: values['rank'],
      model_id: values['model_id'],
      category_id: category,
      payload: rankingPayload(values, positions.get(day)),
      source: 'capture',
    }));
  const window = windowFrom(range, world, 'rankings');
  return { kind: 'body', body: { category_id: category, kind: 'ranking', points, window } };
}
