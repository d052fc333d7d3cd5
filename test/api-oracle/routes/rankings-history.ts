/** `/v1/rankings/history` (specification "Rankings history"; "History points"). */

import { pickId, pickSome } from '../asking/asking.ts';
import { pickRange, turnsOf } from '../asking/ranges.ts';
import { type ApiState, type Expected, notFound } from '../expected.ts';
import { compareText } from '../order.ts';
import {
  collectPoints,
  countPositions,
  isKnownCategory,
  numberOf,
  rankingPayload,
  readRange,
  windowFrom,
} from '../reading.ts';
import type { Asked, Asking } from '../route.ts';

/** `top` keeps positions, so a tie at its edge is kept whole; `positions` counts all models of the category. */
export function rankingsHistoryResponse({ world, today }: ApiState, { query }: Asked): Expected {
  const category = query['category_id'] ?? '';
  const top = numberOf(query, 'top') ?? 10;
  const range = readRange(query, today);
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

export function askRankingsHistory(asking: Asking): Asked {
  const { choose, interests, state } = asking;
  const category_id = pickId(asking, interests.categories);
  const series = [...state.world.series.rankings.values()].filter(({ key }) => key[1] === category_id);
  const query = {
    category_id,
    ...pickRange(asking, turnsOf(asking, series)),
    ...pickSome(asking, { top: [0.7, () => String(choose.pick([1, 2, 3, 4, 5, 7, 10, 11, 20, 35, 49, 50]))] }),
  };
  return { params: {}, query };
}
