/**
 * What a backfill must give, worked out the slow way: every row is asked about every single day. It shares no code with the
 * pipeline but the calendar's next day.
 */

import type { Bounds, NotPlacedReason } from '../../../pipeline/backfill/place.ts';
import { addDays, type Day } from '../../../runtime/day.ts';
import type { TableRow } from './pricing-table.ts';

export interface Expected {
  /** `model|provider|day` to the price in force. */
  readonly prices: ReadonlyMap<string, string>;
  /** For each row, why it has no place; null where it has one. */
  readonly reasons: readonly (NotPlacedReason | null)[];
}

export interface OracleInput extends Bounds {
  readonly rows: readonly TableRow[];
  readonly knownModels: readonly string[];
  /** Before every day that a row names: where rows without a start are asked from. */
  readonly firstDay: Day;
}

export function expectedPlaces(input: OracleInput): Expected {
  const { rows } = input;
  const alone = rows.map((row) => reasonAlone(row, input));
  const days = rows.map((row, index) => (alone[index] === null ? daysInForce(row, input) : []));
  const reasons = rows.map((row, index) => {
    const isContradicted = rows.some(
      (other, at) =>
        keyOf(other) === keyOf(row) &&
        priceOf(other) !== priceOf(row) &&
        days[index]?.some((day) => days[at]?.includes(day)),
    );
    if (alone[index] !== null) return alone[index] ?? null;
    if (isContradicted) return 'contradiction';
    return row.effective_from === null && input.from === null ? 'start_unknown' : null;
  });
  const prices = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    for (const day of reasons[index] === null ? (days[index] ?? []) : [])
      prices.set(`${keyOf(row)}|${day}`, priceOf(row));
  }
  return { prices, reasons };
}

function reasonAlone(row: TableRow, { knownModels, from, firstCaptured }: OracleInput): NotPlacedReason | null {
  const { effective_from: start, effective_to: end } = row;
  if (start !== null && end !== null && start >= end) return 'empty_interval';
  const prices = [row.input_per_million, row.output_per_million];
  if (prices.some((price) => price !== null && price !== 0 && (price < 0.0001 || price > 10_000))) {
    return 'implausible_price';
  }
  if (!knownModels.includes(row.model_id)) return 'unknown_model';
  if (start !== null && start >= firstCaptured) return 'captured';
  return from !== null && end !== null && end <= from ? 'before_from' : null;
}

/** Each day before the first captured one on which the row claims its price. */
function daysInForce(row: TableRow, { from, firstCaptured, firstDay }: OracleInput): readonly Day[] {
  const days: Day[] = [];
  for (let day = firstDay; day < firstCaptured; day = addDays(day, 1)) {
    const isStarted = row.effective_from === null || row.effective_from <= day;
    const isOver = row.effective_to !== null && row.effective_to <= day;
    if (isStarted && !isOver && (from === null || from <= day)) days.push(day);
  }
  return days;
}

function keyOf(row: TableRow): string {
  return `${row.model_id}|${row.provider}`;
}

function priceOf(row: TableRow): string {
  return JSON.stringify([row.input_per_million, row.output_per_million, row.currency ?? 'USD']);
}
