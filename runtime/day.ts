/** A UTC calendar day as `YYYY-MM-DD`. Days compare as text. */
export type Day = string;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** True for a calendar day that exists. */
export function isDay(text: string): boolean {
  return DAY.test(text) && dayFromDate(new Date(`${text}T00:00:00Z`)) === text;
}

/** Empty for an invalid date. */
export function dayFromDate(date: Date): Day {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}

/** Caches the last day. */
export function createDayReader(): (now: Date) => Day {
  let last = { number: Number.NaN, day: '' };
  return (now) => {
    const number = Math.floor(now.getTime() / DAY_MS);
    if (number !== last.number) last = { number, day: dayFromDate(now) };
    return last.day;
  };
}

/** Negative: earlier days. */
export function addDays(day: Day, days: number): Day {
  return dayFromDate(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS));
}

export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** Days since 1970; NaN for an invalid day. */
export function dayNumber(day: Day): number {
  return isDay(day) ? Date.parse(`${day}T00:00:00Z`) / DAY_MS : Number.NaN;
}

export function dayFromNumber(number: number): Day {
  return dayFromDate(new Date(number * DAY_MS));
}

/** A {@link dayFromNumber} that converts each number once, and keeps all days. */
export function createDayFromNumber(): (number: number) => Day {
  const days = new Map<number, Day>();
  return (number) => {
    const known = days.get(number);
    if (known !== undefined) return known;
    const day = dayFromNumber(number);
    days.set(number, day);
    return day;
  };
}

/** A date-time as published: with seconds, and milliseconds unless they are zero. */
export function timestampFromDate(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}

/** The last second of a day, as `captured_at` of a past day. */
export function endOfDay(day: Day): string {
  return `${day}T23:59:59Z`;
}

/** Adds calendar months (negative: earlier), clamped to the last day of the month. */
export function addMonths(day: Day, months: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0));
  return dayFromDate(new Date(lastOfMonth.setUTCDate(Math.min(date, lastOfMonth.getUTCDate()))));
}
