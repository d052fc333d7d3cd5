import { addDays, createDayFromNumber, type Day, dayNumber } from '../../../runtime/day.ts';
import { type HistoryKind, SERIES_KINDS } from '../../view/history-kinds.ts';
import { numberSql } from '../../view/schema.ts';
import type { CheckedText, JsonText, View } from '../../view/view.ts';

/** A stretch of days on which a record did not change. */
export interface Interval {
  /** Id of the benchmark, category or provider; empty for metadata. */
  readonly series: string;
  readonly validFrom: Day;
  /** `9999-12-31` while it is open. */
  readonly validTo: Day;
  readonly source: 'capture' | 'backfill';
  readonly value: JsonText;
  readonly payload: JsonText;
}

export interface IntervalQuery {
  readonly model: string;
  readonly kind: HistoryKind;
  /** Undefined: all of the model. */
  readonly series: string | undefined;
  readonly from: Day;
  readonly to: Day;
}

interface IntervalRow extends CheckedText {
  readonly series: number;
  readonly validFrom: number;
  readonly validTo: number;
  readonly source: Interval['source'];
}

/** Intervals in force on some day of a range, by series, then by day. */
export function readIntervals(view: View, { model, kind, series, from, to }: IntervalQuery): readonly Interval[] {
  const seriesKind = SERIES_KINDS[kind];
  const isOfSeries = series !== undefined && seriesKind !== null;
  const rows = view.checkedRows<IntervalRow>(
    `SELECT series, valid_from AS validFrom, valid_to AS validTo, source, text, "check"
     FROM intervals WHERE kind = ? AND model = ${numberSql('model')}
       ${isOfSeries ? `AND series = ${numberSql(seriesKind)}` : ''}
       AND valid_from <= ? AND valid_to >= ? ORDER BY series, valid_from`,
    [kind, model, ...(isOfSeries ? [series] : []), dayNumber(to), dayNumber(from)],
  );
  const names = createNames(view, kind);
  const dayOf = view.computed(createDayFromNumber);
  return rows.map(({ series: number, text, validFrom, validTo, source }) => ({
    series: names(number),
    validFrom: dayOf(validFrom),
    validTo: dayOf(validTo),
    source,
    value: text.slice(0, text.indexOf('\t')),
    payload: text.slice(text.indexOf('\t') + 1),
  }));
}

/** Ids of series by number, each looked up once. */
function createNames(view: View, kind: HistoryKind): (number: number) => string {
  const names = new Map<number, string>([[0, '']]);
  return (number) => {
    const known = names.get(number);
    if (known !== undefined) return known;
    const [row] = view.rows<{ readonly id: string }>('SELECT id FROM ids WHERE kind = ? AND number = ?', [
      SERIES_KINDS[kind],
      number,
    ]);
    const id = row?.id ?? '';
    names.set(number, id);
    return id;
  };
}

export interface PointsInput {
  readonly kind: HistoryKind;
  /** By series, then by day; the intervals of a series don't overlap. */
  readonly intervals: readonly Interval[];
  readonly from: Day;
  readonly to: Day;
  /** Days on which the kind's dataset was captured, ascending. */
  readonly capturedDays: readonly Day[];
  /** How many models a category ranked; for rankings only. */
  readonly positionsOf: (category: string, day: Day) => number;
}

interface Point {
  readonly interval: Interval;
  readonly day: Day;
}

/**
 * JSON text of points, joined by commas, ascending by date, then series (specification "History points"): one per captured day of an
 * interval, and one per calendar day of reconstructed prices.
 */
export function expandPoints(input: PointsInput): JsonText {
  const { kind, positionsOf } = input;
  // All points of an interval are equal except date and `positions`.
  const texts = new Map<Interval, readonly [before: JsonText, after: JsonText]>();
  return pointsOf(input)
    .map(({ interval, day }) => {
      const known = texts.get(interval);
      const [before, after] = known ?? pointText(kind, interval);
      if (known === undefined) texts.set(interval, [before, after]);
      const positions = kind === 'ranking' ? `{"positions":${positionsOf(interval.series, day)},` : '';
      return `{"date":"${day}",${before}${positions}${after}`;
    })
    .join(',');
}

/** A point's text between its date and `positions`, and the rest. */
function pointText(kind: HistoryKind, { series, value, payload, source }: Interval): readonly [JsonText, JsonText] {
  const named = (owner: HistoryKind) => (kind === owner ? JSON.stringify(series) : 'null');
  return [
    `"value":${value},"benchmark_id":${named('score')},"category_id":${named('ranking')},"payload":`,
    `${kind === 'ranking' ? payload.slice(1) : payload},"source":"${source}"}`,
  ];
}

function pointsOf({ intervals, from, to, capturedDays }: PointsInput): readonly Point[] {
  const days = pointDays(intervals, { from, to, capturedDays });
  const points: Point[][] = days.map(() => []);
  let [at, series] = [0, ''];
  for (const interval of intervals) {
    if (interval.series !== series) [at, series] = [0, interval.series];
    while ((days[at] ?? interval.validFrom) < interval.validFrom) at += 1;
    for (let day = days[at]; day !== undefined && day <= interval.validTo; day = days[at]) {
      points[at]?.push({ interval, day });
      at += 1;
    }
  }
  return points.flat();
}

/** Backfilled intervals end before the first captured day. */
function pointDays(
  intervals: readonly Interval[],
  { from, to, capturedDays }: Pick<PointsInput, 'from' | 'to' | 'capturedDays'>,
): readonly Day[] {
  const captured = capturedDays.filter((day) => day >= from && day <= to);
  const backfilled = intervals.filter(({ source }) => source === 'backfill');
  if (backfilled.length === 0) return captured;
  const first = backfilled.reduce((least, { validFrom }) => (validFrom < least ? validFrom : least), '9999-12-31');
  const last = backfilled.reduce((most, { validTo }) => (validTo > most ? validTo : most), '');
  const days: Day[] = [];
  for (let day = first > from ? first : from; day <= last && day <= to; day = addDays(day, 1)) days.push(day);
  return [...days, ...captured.filter((day) => day > last)];
}
