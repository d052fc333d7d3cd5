import type { Day } from './day.ts';
import { planWindowStart } from './quota-day.ts';
import type { Terms } from './terms.ts';

/**
 * Of the days with a stored snapshot (in any order), those that an organization sees, newest first (SPEC "Plan table"): the
 * newest so many, and the last one of every month within the history window.
 */
export function visibleSnapshots(
  days: readonly Day[],
  { snapshots, historyMonths }: Pick<Terms, 'snapshots' | 'historyMonths'>,
  today: Day,
): readonly Day[] {
  const stored = [...new Set(days)].sort();
  const lastOfMonth = new Map(stored.map((day) => [day.slice(0, 'YYYY-MM'.length), day]));
  const from = planWindowStart(historyMonths, today) ?? '';
  const monthEnds = snapshots.monthEnds ? [...lastOfMonth.values()].filter((day) => day >= from) : [];
  const newest = snapshots.newest === 0 ? [] : stored.slice(-snapshots.newest);
  const visible = new Set([...newest, ...monthEnds]);
  return stored.filter((day) => visible.has(day)).reverse();
}
