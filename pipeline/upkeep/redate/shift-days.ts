import { addDays, type Day, timestampFromDate } from '../../../runtime/day.ts';

/** What days are moved: those from one on, back by a number of days. */
export interface DayShift {
  readonly from: Day;
  readonly days: number;
  /** No time becomes later than now. */
  readonly now: Date;
}

const DAY = /^\d{4}-\d{2}-\d{2}/;
const SNAPSHOT = /^(\d{4}-\d{2}-\d{2})(-v\d+)?$/;
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** A JSON value in which every text that is a day, a time or a snapshot's id is moved; all other texts stay. */
export function shiftDays(value: unknown, shift: DayShift): unknown {
  if (typeof value === 'string') return shiftText(value, shift);
  if (Array.isArray(value)) return value.map((each) => shiftDays(each, shift));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shiftDays(each, shift)]));
}

function shiftText(text: string, { from, days, now }: DayShift): string {
  if (!DAY.test(text) || text.slice(0, from.length) < from) return text;
  const moved = addDays(text.slice(0, from.length), -days) + text.slice(from.length);
  if (SNAPSHOT.test(text)) return moved;
  if (!TIME.test(text)) return text;
  return Date.parse(moved) > now.getTime() ? timestampFromDate(now) : moved;
}
