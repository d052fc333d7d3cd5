import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, type Day } from '../../runtime/day.ts';
import { expectedPlaces } from '../../test/support/backfill/oracle.ts';
import {
  type Interval,
  type Placed,
  type PlaceInput,
  useTablePlacer,
} from '../../test/support/backfill/place-table.ts';
import type { TableRow } from '../../test/support/backfill/pricing-table.ts';

/** Ends of months, a leap day and the end of a year: where calendars go wrong. */
const TURNS: readonly Day[] = ['2024-02-29', '2023-02-28', '2023-12-31', '2024-04-30', '2100-02-28'];
const SPAN_DAYS = 12;
/** Each with a few rows in every table, since a table costs more than its rows. */
const MODELS = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm:2', 'M1'];

const place = useTablePlacer();

interface Calendar extends Omit<PlaceInput, 'rows'> {
  readonly rows: readonly TableRow[];
  readonly firstDay: Day;
}

const price = fc.constantFrom(0, 1, null, 0.0001, 10_000, 0.00001, 20_000);

function rowAround(turn: Day): fc.Arbitrary<TableRow> {
  // Days that many rows share, so that rows often touch; mostly days that come after each other.
  const steps = fc.constantFrom(-SPAN_DAYS, -6, -1, 0, 1, 2, 7, SPAN_DAYS);
  const days = fc
    .tuple(steps, steps, fc.constantFrom(true, true, true, true, false))
    .map(([one, two, isOrdered]) =>
      (isOrdered ? [Math.min(one, two), Math.max(one, two)] : [one, two]).map((step) => addDays(turn, step)),
    );
  const isKnown = fc.constantFrom(true, true, true, true, false);
  const row = fc.record({
    model_id: fc.constantFrom(...MODELS, 'nobody'),
    provider: fc.constantFrom('p1', 'p1', 'p/2'),
    input_per_million: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(1, 1, 2) }, price),
    output_per_million: fc.oneof({ weight: 15, arbitrary: fc.constant(3) }, price),
    currency: fc.constantFrom('USD', 'USD', 'USD', 'USD', null, 'EUR'),
  });
  return fc.tuple(row, days, isKnown, isKnown).map(([rest, [start = null, end = null], knowsStart, knowsEnd]) => ({
    ...rest,
    effective_from: knowsStart ? start : null,
    effective_to: knowsEnd ? end : null,
  }));
}

const calendar: fc.Arbitrary<Calendar> = fc.constantFrom(...TURNS).chain((turn) => {
  const firstCaptured = fc.integer({ min: -2, max: SPAN_DAYS }).map((days) => addDays(turn, days));
  const from = fc.option(fc.integer({ min: -SPAN_DAYS - 2, max: -3 }).map((days) => addDays(turn, days)));
  return fc.record({
    rows: fc.array(rowAround(turn), { minLength: 20, maxLength: 60, size: 'max' }),
    knownModels: fc.constant(MODELS),
    firstCaptured,
    from,
    firstDay: fc.constant(addDays(turn, -SPAN_DAYS - 5)),
  });
});

/** Every day of every interval; two intervals of one key that share a day would show as a repeated entry. */
function pricesByDay(intervals: readonly Interval[]): readonly (readonly [string, string])[] {
  return intervals.flatMap((interval) => {
    const inForce = JSON.stringify([interval.input_per_million, interval.output_per_million, interval.currency]);
    const days: [string, string][] = [];
    for (let day = interval.valid_from; day <= interval.valid_to; day = addDays(day, 1)) {
      days.push([`${interval.model_id}|${interval.provider}|${day}`, inForce]);
    }
    return days;
  });
}

/** The placed rows of an interval's model and provider that begin inside it, `--from` cutting what is earlier. */
function rowsBeginningIn(interval: Interval, { reasons }: Placed, { rows, from }: Calendar): readonly TableRow[] {
  return rows.filter((row, index) => {
    const starts = [row.effective_from, from].reduce((one, two) => ((one ?? '') > (two ?? '') ? one : two)) ?? '';
    const isSameKey = row.model_id === interval.model_id && row.provider === interval.provider;
    return reasons[index] === null && isSameKey && interval.valid_from <= starts && starts <= interval.valid_to;
  });
}

function expectSound(placed: Placed, input: Calendar): void {
  const { intervals, reasons, notPlaced, placement } = placed;
  const { rows } = input;
  for (const interval of intervals) {
    expect(interval.updated_at).toBe(`${interval.valid_from} 00:00:00`);
    const starts = rowsBeginningIn(interval, placed, input).map((row) => row.effective_from);
    // An unknown start lies before every known one.
    expect(interval.effective_from).toBe(starts.includes(null) ? null : starts.sort()[0]);
  }
  const counted = Object.values(notPlaced).reduce((sum, count) => sum + count, 0);
  expect(counted).toBe(reasons.filter((reason) => reason !== null).length);
  expect(placement.rows_placed + counted).toBe(rows.length);
}

test('on every day exactly the prices are in force that asking every row about every day gives', async () => {
  await fc.assert(
    fc.asyncProperty(calendar, async (input) => {
      const expected = expectedPlaces(input);
      const placed = await place(input);
      expect(placed.reasons).toEqual(expected.reasons);
      expect([...pricesByDay(placed.intervals)].sort()).toEqual([...expected.prices].sort());
      expectSound(placed, input);
    }),
    { numRuns: 25, endOnFailure: process.env['CI'] === 'true' },
  );
}, 120_000);
