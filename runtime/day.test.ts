import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  addDays,
  addMonths,
  createDayFromNumber,
  dayFromDate,
  dayFromNumber,
  dayNumber,
  endOfDay,
  isDay,
  timestampFromDate,
} from './day.ts';

const instant = fc.date({
  min: new Date('1970-01-01T00:00:00Z'),
  max: new Date('2100-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const day = instant.map(dayFromDate);

describe('a day', () => {
  it('is a real calendar day, written YYYY-MM-DD', () => {
    fc.assert(
      fc.property(instant, (date) => {
        expect(isDay(dayFromDate(date))).toBe(true);
      }),
    );
    expect(['2024-02-29', '2000-02-29'].every(isDay)).toBe(true);
  });

  it('is found again by its number, converted once or each time', () => {
    const dayOf = createDayFromNumber();
    fc.assert(
      fc.property(day, (expected) => {
        const number = dayNumber(expected);
        expect([dayFromNumber(number), dayOf(number), dayOf(number)]).toEqual([expected, expected, expected]);
      }),
    );
  });

  it.each([
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-1-01',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '20260101',
    '',
  ])('is not %j', (text) => {
    expect(isDay(text)).toBe(false);
  });

  it('moves by days and back again, over months, years and leap days', () => {
    expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    fc.assert(
      fc.property(day, fc.integer({ min: -5000, max: 5000 }), (from, days) => {
        expect(addDays(addDays(from, days), -days)).toBe(from);
      }),
    );
  });
});

describe('a date-time', () => {
  it('has milliseconds only where they are not zero, and means the same instant', () => {
    fc.assert(
      fc.property(instant, (date) => {
        const text = timestampFromDate(date);
        expect(Date.parse(text)).toBe(date.getTime());
        expect(text).toMatch(date.getTime() % 1000 === 0 ? /T\d{2}:\d{2}:\d{2}Z$/ : /T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
      }),
    );
  });

  it('at the end of a day is its last second', () => {
    fc.assert(
      fc.property(day, (of) => {
        expect(Date.parse(endOfDay(of)) + 1000).toBe(Date.parse(`${addDays(of, 1)}T00:00:00Z`));
      }),
    );
  });
});

test.each([
  ['2026-11-20', -13, '2025-10-20'],
  ['2026-03-31', -1, '2026-02-28'],
  ['2024-03-31', -1, '2024-02-29'],
  ['2025-03-30', -13, '2024-02-29'],
  ['2024-02-29', -12, '2023-02-28'],
  ['2024-02-29', 12, '2025-02-28'],
  ['2026-01-31', -2, '2025-11-30'],
  ['2025-12-31', 2, '2026-02-28'],
  ['2026-07-31', 0, '2026-07-31'],
])('%s and %d calendar months give %s', (from, months, expected) => {
  expect(addMonths(from, months)).toBe(expected);
});
