import { describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../../runtime/day.ts';
import { ALL_RIGHTS, type Rights } from '../access/rights.ts';
import { ApiError } from '../api-errors.ts';
import { findRangeProblems, resolveRange } from './history-range.ts';

const COMMUNITY: Rights = { plan: 'community', historyMonths: 6, snapshots: { newest: 1, monthEnds: false } };
const NONE: ReadonlySet<string> = new Set();
const BUILDER: Rights = { plan: 'builder', historyMonths: 12, snapshots: { newest: 1, monthEnds: false } };

describe('the plan window begins the plan’s months before today, on the last day of a month that is too short', () => {
  test.each([
    ['2026-06-30', COMMUNITY, '2025-12-30'],
    ['2026-08-31', COMMUNITY, '2026-02-28'],
    ['2024-02-29', BUILDER, '2023-02-28'],
  ])('on %s for %o: %s', (today, rights, limit) => {
    expect(resolveRange({}, { today, rights }).planLimitFrom).toBe(limit);
    expect(resolveRange({ from: limit }, { today, rights }).from).toBe(limit);
    expect(() => resolveRange({ from: addDays(limit, -1) }, { today, rights })).toThrow(
      expect.objectContaining({ code: 'history_window_exceeded' }),
    );
  });
});

describe('without from', () => {
  test('the range begins 400 days before to, or where the plan begins, whichever is later', () => {
    const today = '2026-06-30';
    expect(resolveRange({}, { today, rights: ALL_RIGHTS })).toEqual({
      from: '2025-05-26',
      to: today,
      planLimitFrom: null,
    });
    expect(resolveRange({}, { today, rights: BUILDER })).toMatchObject({ from: '2025-06-30', to: today });
    expect(resolveRange({ to: '2026-01-31' }, { today, rights: COMMUNITY })).toMatchObject({ from: '2025-12-30' });
    expect(resolveRange({ to: '2025-12-30' }, { today, rights: COMMUNITY })).toMatchObject({ from: '2025-12-30' });
  });

  test('the range stays in the calendar for the very first days', () => {
    expect(resolveRange({ to: '0001-01-01' }, { today: '2026-06-30', rights: ALL_RIGHTS }).from).toBe('0001-01-01');
  });
});

describe('with from', () => {
  const today = '2026-06-30';

  test('exactly that range is served inside the window, up to 401 dates', () => {
    const from = addDays(today, -400);
    expect(resolveRange({ from, to: today }, { today, rights: ALL_RIGHTS })).toMatchObject({ from, to: today });
    expect(resolveRange({ from: today, to: today }, { today, rights: ALL_RIGHTS })).toMatchObject({ from: today });
  });

  test('402 dates are refused with the number that was asked for', () => {
    const problems = findRangeProblems(
      { values: { from: addDays(today, -401) }, wrong: NONE },
      { today, rights: ALL_RIGHTS },
    );
    expect(problems).toMatchObject([
      {
        loc: ['query', 'from'],
        type: 'range_too_large',
        ctx: { max_days: 400, requested_days: 401 },
        input: '2025-05-25',
      },
    ]);
  });

  test('a from after to, or in the future, is refused; a to in the future ends today', () => {
    const typesOf = (from: Day, to?: Day) =>
      findRangeProblems({ values: { from, to }, wrong: NONE }, { today, rights: ALL_RIGHTS }).map(({ type }) => type);
    expect(typesOf('2026-06-02', '2026-06-01')).toEqual(['value_error']);
    expect(typesOf('2026-07-01')).toEqual(['value_error']);
    expect(typesOf('2026-07-01', '2026-07-02')).toEqual(['value_error']);
    expect(typesOf('2025-05-26', '2027-01-01')).toEqual([]);
    expect(resolveRange({ to: '2027-01-01' }, { today, rights: ALL_RIGHTS })).toMatchObject({
      to: today,
      from: '2025-05-26',
    });
  });

  test('beside a to that is wrong itself, only what is wrong whatever it is gets told', () => {
    const typesOf = (from: Day) =>
      findRangeProblems({ values: { from }, wrong: new Set(['to']) }, { today, rights: ALL_RIGHTS }).map(
        ({ type }) => type,
      );
    expect(typesOf('2026-07-01')).toEqual(['value_error']);
    expect(typesOf('2020-01-01')).toEqual([]);
  });

  test('one before the plan window is refused for that alone, however long the range', () => {
    const problemsOf = (from: Day, rights: Rights) =>
      findRangeProblems({ values: { from }, wrong: NONE }, { today, rights });
    expect(problemsOf('2020-01-01', COMMUNITY)).toEqual([]);
    expect(problemsOf('2025-05-25', BUILDER)).toEqual([]);
    expect(problemsOf('2025-05-25', { ...BUILDER, historyMonths: 24 })).toMatchObject([{ type: 'range_too_large' }]);
  });
});

test.each([
  ['from', { from: '2025-12-29' }],
  ['to', { to: '2025-12-29' }],
])('a %s before the plan window is refused with its name, the plan and the earliest date', (param, range) => {
  const error = {
    code: 'history_window_exceeded',
    status: 403,
    message: expect.stringContaining('2025-12-30'),
    options: expect.objectContaining({ param, fields: { plan: 'community' } }),
  };
  const resolve = () => resolveRange(range, { today: '2026-06-30', rights: COMMUNITY });
  expect(resolve).toThrow(ApiError);
  expect(resolve).toThrow(expect.objectContaining(error));
});
