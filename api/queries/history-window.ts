import type { HistoryRange } from '../history-range.ts';
import { HISTORY_SOURCES, type HistoryKind } from '../view/history-kinds.ts';
import type { View } from '../view/view.ts';

/** The `window` of a history answer (SPEC "History window"), as JSON text. */
export async function windowText(view: View, kind: HistoryKind, range: HistoryRange): Promise<string> {
  return JSON.stringify({
    from: range.from,
    to: range.to,
    plan_limit_from: range.planLimitFrom,
    available_from: await view.availableFrom(kind),
  });
}

/** The days that points of a kind can have. */
export function daysOf(view: View, kind: HistoryKind): readonly string[] {
  return view.capturedDays(HISTORY_SOURCES[kind].dataset.name);
}
