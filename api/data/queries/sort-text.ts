/**
 * Sort values in cursors, as text. Cursors outlive versions of the service, so the texts are those that DuckDB prints: `100.0`, `1e22`,
 * `2026-06-10 20:55:45`.
 */
import { dayFromNumber, dayNumber, isDay } from '../../../runtime/day.ts';

/** What a sort column holds; `day` counts days since 1970, `micros` microseconds. */
export type SortType = 'text' | 'double' | 'integer' | 'day' | 'micros';

export type SortValue = string | number;

export function sortText(type: SortType, value: SortValue): string {
  if (type === 'double') return doubleText(Number(value));
  if (type === 'day') return dayFromNumber(Number(value));
  if (type === 'micros') return timestampText(Number(value));
  return String(value);
}

/** Undefined if the text is of another type. */
export function sortValue(type: SortType, text: string): SortValue | undefined {
  if (type === 'text') return text;
  const value = { double: doubleOf, integer: integerOf, day: dayNumber, micros: microsOf }[type](text);
  return Number.isFinite(value) ? value : undefined;
}

function doubleOf(text: string): number {
  return /^-?\d+(\.\d+)?(e-?\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

function integerOf(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
}

function doubleText(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value).replace('e+', 'e');
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}

function timestampText(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const fraction = String(micros - seconds * 1e6)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function microsOf(text: string): number {
  const [, day = '', time, fraction = ''] = /^(\S{10}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return isDay(day) ? Date.parse(`${day}T${time}Z`) * 1000 + Number(fraction.padEnd(6, '0')) : Number.NaN;
}
