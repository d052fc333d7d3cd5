import { addDays, type Day } from '../../schemas/day.ts';
import type { HistoryKind } from '../view/history-kinds.ts';

/** An interval of one series as the view stores it; days as text, `value` and `payload` as JSON text. */
export interface Interval {
  readonly series: string;
  readonly validFrom: Day;
  /** Null: still open. */
  readonly validTo: Day | null;
  readonly value: string;
  readonly payload: string;
  readonly source: string;
}

export interface ExpandInput {
  readonly kind: HistoryKind;
  /** By series, then by day; the intervals of a series don't overlap. */
  readonly intervals: readonly Interval[];
  readonly from: Day;
  readonly to: Day;
  /** Days on which the kind's dataset was captured, ascending. */
  readonly capturedDays: readonly Day[];
  /** How many models a category ranked on a day. */
  readonly positionsOf: (category: string, day: Day) => number;
}

/**
 * Points of intervals, as JSON text, ascending by date and then by series (specification "History points"): one for each day on
 * which the dataset was captured and the interval held. Reconstructed prices have one for every day of the calendar.
 */
export function expandPoints(input: ExpandInput): readonly string[] {
  const { from, to } = input;
  const days = pointDays(input);
  const seriesList = [...Map.groupBy(input.intervals, ({ series }) => series).values()];
  const points: string[] = [];
  const next = seriesList.map(() => 0);
  for (const day of days) {
    if (day < from || day > to) continue;
    for (const [i, intervals] of seriesList.entries()) {
      let at = next[i] ?? 0;
      while (endsBefore(intervals[at], day)) at += 1;
      next[i] = at;
      const interval = intervals[at];
      if (interval !== undefined && interval.validFrom <= day) points.push(pointText(input, interval, day));
    }
  }
  return points;
}

/** Every day on which some point may lie. Backfilled intervals end before the first captured day, so the two don't mix. */
function pointDays({ intervals, capturedDays, from, to }: ExpandInput): readonly Day[] {
  const backfilled = intervals.filter(({ source }) => source === 'backfill');
  if (backfilled.length === 0) return capturedDays;
  const first = backfilled.reduce((least, { validFrom }) => (validFrom < least ? validFrom : least), '9999-12-31');
  const last = backfilled.reduce((most, { validTo }) => ((validTo ?? '') > most ? (validTo ?? '') : most), '');
  const days: Day[] = [];
  for (let day = first > from ? first : from; day <= last && day <= to; day = addDays(day, 1)) days.push(day);
  return [...days, ...capturedDays.filter((day) => day > last)];
}

function endsBefore(interval: Interval | undefined, day: Day): boolean {
  return interval !== undefined && interval.validTo !== null && interval.validTo < day;
}

function pointText({ kind, positionsOf }: ExpandInput, { series, value, payload, source }: Interval, day: Day): string {
  const benchmark = kind === 'score' ? JSON.stringify(series) : 'null';
  const category = kind === 'ranking' ? JSON.stringify(series) : 'null';
  const context = kind === 'ranking' ? withPositions(payload, positionsOf(series, day)) : payload;
  return `{"date":"${day}","value":${value},"benchmark_id":${benchmark},"category_id":${category},"payload":${context},"source":"${source}"}`;
}

/** The payload of a ranking point: how many were ranked that day, then what the record says. */
export function withPositions(payload: string, positions: number): string {
  return `{"positions":${positions},${payload.slice(1)}`;
}
