/** What the answers of both histories have besides their points. */

import type { Day } from '../../../../runtime/day.ts';
import type { Dependency } from '../../../server/route.ts';
import { HISTORY_SOURCES, type HistoryKind } from '../../../view/tables/history-kinds.ts';
import type { View } from '../../../view/view.ts';
import type { JsonText } from '../../answers/data-route.ts';
import { all, availableFromOf, backfillOf, capturesOf, sinceDay, value } from '../../answers/dependencies.ts';
import type { HistoryRange } from './history-range.ts';

/** The `window` of a history answer, as JSON text. */
export function windowText(view: View, kind: HistoryKind, range: HistoryRange): JsonText {
  return JSON.stringify({
    from: range.from,
    to: range.to,
    plan_limit_from: range.planLimitFrom,
    available_from: view.meta.availableFrom[kind],
  });
}

/**
 * What a history depends on: the captures within its range, which are over and stay as they are, reconstructed prices, and what
 * else `window` says. A range that ends today has been the same since midnight, and so has the plan's.
 */
export function historyDependency(view: View, kind: HistoryKind, range: HistoryRange, today: Day): Dependency {
  return all(
    capturesOf(view, HISTORY_SOURCES[kind].dataset.name, range),
    sinceDay(range.planLimitFrom === null ? range.to : today),
    availableFromOf(view, kind),
    kind === 'pricing' ? backfillOf(view) : value(null),
  );
}

/** The days that points of a kind can have. */
export function daysOf(view: View, kind: HistoryKind): readonly string[] {
  return view.capturedDays(HISTORY_SOURCES[kind].dataset.name);
}
