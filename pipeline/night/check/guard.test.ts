import { describe, expect, test } from 'vitest';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { type DayAhead, holdOfDay } from './guard.ts';

const DAY_MS = 86_400_000;
const NEWEST = '2026-06-10';

/** A store whose own clock is so far ahead of this machine's; without one unless given. */
const storeAhead = (aheadMs?: number) => ({ clockAheadMs: () => aheadMs });

/** A night of today, by a clock that is so many days ahead of the newest release. */
function nightAfter(days: number, others: Partial<DayAhead> = {}): DayAhead {
  const now = new Date(`${addDays(NEWEST, days)}T00:05:00Z`);
  return { day: dayFromDate(now), now, newest: NEWEST, isDated: false, ...others };
}

describe('a store with a clock of its own', () => {
  test.each([
    ['agrees', 400, 0],
    ['is a day behind', 400, -1],
    ['is years behind, and the day is the next one', 1, -1600],
  ])('that %s holds nothing', (_, days, daysAhead) => {
    expect(holdOfDay(nightAfter(days), storeAhead(daysAhead * DAY_MS))).toEqual([]);
  });

  test('that says another day holds the night, and the message names both days', () => {
    const [hold, ...others] = holdOfDay(nightAfter(1665), storeAhead(-1664 * DAY_MS));
    expect(others).toEqual([]);
    expect(hold).toEqual({
      rule: 'day_ahead',
      message: expect.stringMatching(
        /^2030-12-31 is 1665 days after the newest snapshot 2026-06-10, and by the store's clock today is 2026-06-11; check this machine's clock: a day in the future/,
      ),
    });
  });

  test('is believed two days ahead, in a dated folder, and before the first night', () => {
    const store = storeAhead(-2 * DAY_MS);
    expect(holdOfDay(nightAfter(3), store)).toHaveLength(1);
    expect(holdOfDay(nightAfter(3, { isDated: true }), store)).toHaveLength(1);
    expect(holdOfDay(nightAfter(3, { newest: undefined }), store)).toHaveLength(1);
  });
});

describe('a store without', () => {
  test.each([
    ['may rest for a season', nightAfter(92)],
    ['takes a day that is over, which no clock has given', nightAfter(400, { day: '2027-01-01' })],
    ['takes a day of which the source has a folder', nightAfter(400, { isDated: true })],
    ['takes whatever day as its first', nightAfter(400, { newest: undefined })],
  ])('%s', (_, night) => {
    expect(holdOfDay(night, storeAhead())).toEqual([]);
  });

  test('holds a day that lies further ahead', () => {
    expect(holdOfDay(nightAfter(93), storeAhead())).toEqual([
      {
        rule: 'day_ahead',
        message: expect.stringMatching(
          /^2026-09-11 is 93 days after the newest snapshot 2026-06-10, and only this machine's clock says so; /,
        ),
      },
    ]);
  });
});
