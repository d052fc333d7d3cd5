import type { View } from '../../view/view.ts';
import type { ListPlan, ListQuery } from './list-page.ts';
import { ScoreCounts, type ScoreRange } from './score-counts.ts';

export interface ScoreSearch extends Omit<ScoreRange, 'source'> {
  readonly source: string | undefined;
  readonly model: string | undefined;
  readonly benchmark: string | undefined;
  readonly order: 'key' | 'value' | 'measured_at';
}

/** Entries of an index that are scanned on the event loop, in some 5 ms. */
const ENTRIES_MAX = 50_000;

/** Sorting an entry, or scanning a row of the table itself, takes as long as scanning several entries. */
const SORT_FACTOR = 4;
const ROW_FACTOR = 4;

const ORDERED = {
  // SQLite's name for the table's own key.
  key: { index: 'sqlite_autoindex_scores_1', factor: ROW_FACTOR },
  value: { index: 'scores_value', factor: 1 },
  measured_at: { index: 'scores_measured_at', factor: 1 },
} as const;

/**
 * Chooses the index of a page of scores: one in the requested order, which is scanned until the page is full, or that of the most
 * selective filter, whose entries are sorted. All counts are exact, so a filter that matches few of many scores doesn't scan them all.
 */
export function planScores(view: View, search: ScoreSearch, { limit }: Pick<ListQuery, 'limit'>): ListPlan {
  const { model, benchmark, order } = search;
  if (model !== undefined) return { total: undefined, index: undefined, isLong: false };
  if (benchmark !== undefined) {
    const index = order === 'value' ? 'scores_benchmark_value' : 'scores_benchmark';
    return { total: undefined, index, isLong: false };
  }
  const counts = view.computed(ScoreCounts.load);
  const range = { ...search, source: search.source === undefined ? undefined : numberOf(view, search.source) };
  const total = counts.count(range);
  const { source, minValue, maxValue, fromDay, toDay } = range;
  const [ofSource, ofValue, ofDays] = [{ source }, { minValue, maxValue }, { fromDay, toDay }];
  const toFill = (scanned: number) => ((limit + 1) * scanned) / Math.max(total, 1);
  const toSort = (scanned: number) => SORT_FACTOR * scanned;
  const inOrder = { key: {}, value: ofValue, measured_at: ofDays }[order];
  const plans: { readonly index: string; readonly entries: number }[] = [
    { index: ORDERED[order].index, entries: ORDERED[order].factor * toFill(counts.count(inOrder)) },
    { index: ORDERED.value.index, entries: toSort(counts.count(ofValue)) },
    { index: ORDERED.measured_at.index, entries: toSort(counts.count(ofDays)) },
  ];
  if (source !== undefined) {
    const entries = counts.count(ofSource);
    plans.push({ index: 'scores_source', entries: order === 'key' ? toFill(entries) : toSort(entries) });
  }
  const { index, entries } = plans.reduce((best, plan) => (plan.entries < best.entries ? plan : best));
  return { total, index, isLong: entries > ENTRIES_MAX };
}

/** -1 for a source without scores. */
function numberOf(view: View, source: string): number {
  const [row] = view.rows<{ readonly number: number }>(
    `SELECT number FROM ids WHERE kind = 'score source' AND id = ?`,
    [source],
  );
  return row?.number ?? -1;
}
