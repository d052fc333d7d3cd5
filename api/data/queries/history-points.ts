import { addDays, type Day } from '../../../runtime/day.ts';
import type { HistoryKind } from '../../view/tables/history-kinds.ts';
import type { TextInterval } from '../../view/text/history-line.ts';
import type { Slice } from '../../view/text/text-file.ts';

export interface PointsInput {
  readonly kind: HistoryKind;
  /** By series, then by day; the intervals of a series don't overlap. */
  readonly intervals: readonly TextInterval[];
  readonly from: Day;
  readonly to: Day;
  /** Days on which the kind's dataset was captured, ascending. */
  readonly capturedDays: readonly Day[];
  /** How many models a category ranked on a day; asked for points of rankings. */
  readonly positionsOf: (category: string, day: Day) => number;
}

/** A day of one interval. */
interface Point {
  readonly interval: TextInterval;
  readonly day: Day;
}

/**
 * The points of intervals as JSON text between a head and a tail, ascending by date and then by series (specification "History points"):
 * one for each day on which the dataset was captured and the interval held. Reconstructed prices have one for every day of the
 * calendar.
 */
export function expandPoints(
  input: PointsInput,
  { head, tail }: { readonly head: Buffer; readonly tail: Buffer },
): Buffer {
  const { kind, intervals, positionsOf } = input;
  const points = pointsOf(input);
  const series = new Set(intervals.map((interval) => interval.series));
  const middles = new Map([...series].map((name) => [name, Buffer.from(middleOf(kind, name))]));
  const written = new Map<TextInterval, Slice>();
  const begins = new Map<Day, Buffer>();
  const bytesMax = points.reduce(
    (sum, { interval }) => sum + pointBytesMax(interval, middles.get(interval.series) ?? NOTHING),
    head.length + tail.length,
  );
  const body = Buffer.allocUnsafeSlow(bytesMax);
  let at = head.copy(body);
  for (const [i, { interval, day }] of points.entries()) {
    const begin = begins.get(day) ?? Buffer.from(`,{"date":"${day}","value":`, 'latin1');
    begins.set(day, begin);
    at += begin.copy(body, at, i === 0 ? COMMA_BYTES : 0);
    const before = written.get(interval);
    if (before !== undefined) {
      at += body.copy(body, at, before.from, before.to);
      continue;
    }
    const { text, source, valueFrom, valueTo, payloadFrom, payloadTo } = interval;
    const from = at;
    at += text.copy(body, at, valueFrom, valueTo);
    at += (middles.get(interval.series) ?? NOTHING).copy(body, at);
    if (kind === 'ranking') at += body.write(`{"positions":${positionsOf(interval.series, day)},`, at, 'latin1');
    at += text.copy(body, at, payloadFrom, payloadTo);
    at += ENDS[source].copy(body, at);
    // But for the date, all points of an interval are the same, unless they tell something of their day.
    if (kind !== 'ranking') written.set(interval, { from, to: at });
  }
  at += tail.copy(body, at);
  return body.subarray(0, at);
}

const NOTHING = Buffer.alloc(0);

/** What stands between value and payload. */
function middleOf(kind: HistoryKind, series: string): string {
  const named = (requested: HistoryKind) => (kind === requested ? JSON.stringify(series) : 'null');
  return `,"benchmark_id":${named('score')},"category_id":${named('ranking')},"payload":`;
}

/** What stands behind the payload. */
const ENDS = { capture: Buffer.from(',"source":"capture"}'), backfill: Buffer.from(',"source":"backfill"}') };

function pointBytesMax({ valueFrom, payloadTo, source }: TextInterval, middle: Buffer): number {
  return BEGIN_BYTES + (payloadTo - valueFrom) + middle.length + POSITIONS_BYTES_MAX + ENDS[source].length;
}

const COMMA_BYTES = 1;
const BEGIN_BYTES = ',{"date":"2026-06-01","value":'.length;
/** The number is a whole one that a double holds exactly. */
const POSITIONS_BYTES_MAX = `{"positions":${Number.MAX_SAFE_INTEGER},`.length;

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

/** Every day on which some point may lie. Backfilled intervals end before the first captured day, so the two don't mix. */
function pointDays(
  intervals: readonly TextInterval[],
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

/** The payload of a ranking point: how many were ranked that day, then what the record says. */
export function withPositions(payload: string, positions: number): string {
  return `{"positions":${positions},${payload.slice(1)}`;
}
