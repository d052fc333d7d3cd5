import { addDays, type Day } from '../../schemas/day.ts';
import { intervalsIn, type SeriesText, type TextInterval } from './history-text.ts';

export interface PointsInput {
  /** By series, then by day; the intervals of a series don't overlap. */
  readonly texts: readonly SeriesText[];
  readonly from: Day;
  readonly to: Day;
  /** Days on which the kind's dataset was captured, ascending. */
  readonly capturedDays: readonly Day[];
  /** How many models a category ranked on a day; asked for where an interval's text has a place for it. */
  readonly positionsOf: (category: string, day: Day) => number;
}

/** A day of one interval. */
interface Point {
  readonly interval: TextInterval;
  readonly series: string;
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
  const points = pointsOf(input);
  const bytesMax = points.reduce((sum, { interval }) => sum + pointBytesMax(interval), head.length + tail.length);
  const body = Buffer.allocUnsafeSlow(bytesMax);
  let at = head.copy(body);
  const begins = new Map<Day, Buffer>();
  for (const [i, { interval, series, day }] of points.entries()) {
    const begin = begins.get(day) ?? Buffer.from(`,{"date":"${day}"`, 'latin1');
    begins.set(day, begin);
    at += begin.copy(body, at, i === 0 ? COMMA_BYTES : 0);
    const { text, from, place, to } = interval;
    at += text.copy(body, at, from, place ?? to);
    if (place === undefined) continue;
    at += body.write(String(input.positionsOf(series, day)), at, 'latin1');
    at += text.copy(body, at, place + PLACE_BYTES, to);
  }
  at += tail.copy(body, at);
  return body.subarray(0, at);
}

function pointBytesMax({ from, to, place }: TextInterval): number {
  return BEGIN_BYTES + (to - from) + (place === undefined ? 0 : NUMBER_BYTES_MAX);
}

const COMMA_BYTES = 1;
const PLACE_BYTES = 1;
const BEGIN_BYTES = ',{"date":"2026-06-01"'.length;
/** Of a whole number that a double holds exactly. */
const NUMBER_BYTES_MAX = 16;

function pointsOf({ texts, from, to, capturedDays }: PointsInput): readonly Point[] {
  const found = texts.map(({ series, text }) => ({ series, intervals: intervalsIn(text, { from, to }) }));
  const days = pointDays(
    found.flatMap(({ intervals }) => intervals),
    { from, to, capturedDays },
  );
  const points: Point[][] = days.map(() => []);
  for (const { series, intervals } of found) {
    let at = 0;
    for (const interval of intervals) {
      while ((days[at] ?? interval.validFrom) < interval.validFrom) at += 1;
      for (let day = days[at]; day !== undefined && day <= interval.validTo; day = days[at]) {
        points[at]?.push({ interval, series, day });
        at += 1;
      }
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
  const backfilled = intervals.filter(({ isBackfilled }) => isBackfilled);
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
