import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Day } from '../../runtime/day.ts';
import { type Cron, findCronProblem, openCron } from './cron.ts';

const LOG = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const MINUTE = 60_000;
const zone = process.env['TZ'];

let cron: Cron | undefined;
beforeEach(() => {
  // Where clocks change twice a year and the day begins at another time than in UTC.
  process.env['TZ'] = 'America/New_York';
  vi.useFakeTimers();
});
afterEach(() => {
  cron?.stop();
  vi.useRealTimers();
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

/** What a cron expression calls in a time, as `<day> at <instant>`; nights take `durationMs`. */
async function callsOf(
  expression: string,
  { from, to, durationMs = 0 }: { from: string; to: string; durationMs?: number },
) {
  vi.setSystemTime(from);
  const calls: string[] = [];
  cron = openCron(expression, { log: LOG });
  cron.start({
    onDue: (day: Day) => {
      calls.push(`${day} at ${new Date().toISOString().slice(0, 16)}`);
      return new Promise((resolve) => setTimeout(resolve, durationMs));
    },
    onMissed: () => calls.push('missed'),
  });
  await vi.advanceTimersByTimeAsync(Date.parse(to) - Date.parse(from));
  return calls;
}

test.each([
  ['the end of a year', '2026-12-30T12:00:00Z', ['2026-12-31', '2027-01-01']],
  ['a leap day', '2028-02-28T12:00:00Z', ['2028-02-29', '2028-03-01']],
  ['the end of February in other years', '2027-02-27T12:00:00Z', ['2027-02-28', '2027-03-01']],
  ['the local clock going forward', '2026-03-07T12:00:00Z', ['2026-03-08', '2026-03-09']],
  ['the local clock going back', '2026-10-31T12:00:00Z', ['2026-11-01', '2026-11-02']],
])('over %s a night is due once a UTC day at the same UTC time', async (_, from, days) => {
  const to = new Date(Date.parse(from) + 48 * 3_600_000).toISOString();
  expect(await callsOf('5 0 * * *', { from, to })).toEqual(days.map((day) => `${day} at ${day}T00:05`));
});

test('a time that comes due while a night runs is told, too', async () => {
  const times = { from: '2026-11-20T00:00:00Z', to: '2026-11-21T01:00:00Z' };
  const calls = await callsOf('5 0 * * *', { ...times, durationMs: 30 * 60 * MINUTE });
  expect(calls).toEqual(['2026-11-20 at 2026-11-20T00:05', '2026-11-21 at 2026-11-21T00:05']);
});

test('a time that was slept through is told as missed when the machine wakes up', async () => {
  await callsOf('5 0 * * *', { from: '2026-11-20T00:00:00Z', to: '2026-11-20T00:01:00Z' });
  const calls: string[] = [];
  cron?.start({ onDue: async (day) => void calls.push(day), onMissed: () => calls.push('missed') });
  vi.setSystemTime('2026-11-20T03:00:00Z');
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(calls).toEqual(['missed']);
});

test.each([
  ['back', '2031-01-01T03:00:00Z', '2026-11-20T03:00:00Z'],
  ['back to a time before one that was due already', '2026-11-21T00:04:30Z', '2026-11-19T23:50:00Z'],
  ['forward', '1970-01-01T00:00:00Z', '2026-11-20T03:00:00Z'],
])('after the clock was set %s nights are due by it, and one may have been missed', async (_, from, to) => {
  await callsOf('5 0 * * *', { from, to: new Date(Date.parse(from) + MINUTE / 2).toISOString() });
  const calls: string[] = [];
  cron?.start({ onDue: async (day) => void calls.push(day), onMissed: () => calls.push('missed') });
  vi.setSystemTime(to);
  await vi.advanceTimersByTimeAsync(2 * MINUTE);
  expect(new Set(calls)).toEqual(new Set(['missed']));
  await vi.advanceTimersByTimeAsync(48 * 60 * MINUTE);
  const first = Date.parse(to.slice(0, 10)) + 24 * 60 * MINUTE;
  const days = [first, first + 24 * 60 * MINUTE].map((ms) => new Date(ms).toISOString().slice(0, 10));
  expect(calls.filter((call) => call !== 'missed')).toEqual(days);
});

test('nothing is due once it is stopped', async () => {
  await callsOf('5 0 * * *', { from: '2026-11-20T00:00:00Z', to: '2026-11-20T00:01:00Z' });
  expect(cron?.nextRun()?.toISOString()).toBe('2026-11-20T00:05:00.000Z');
  cron?.stop();
  expect(cron?.nextRun()).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['5 0 * * *', '2026-11-20', '2026-11-20T00:05:00.000Z'],
  ['10 */15 3 * * *', '2028-02-29', '2028-02-29T03:00:10.000Z'],
  ['0 4 L * *', '2028-02-29', '2028-02-29T04:00:00.000Z'],
  ['0 4 L * *', '2028-02-28', undefined],
])('%s is first due on %s at %s', (expression, day, expected) => {
  expect(openCron(expression, { log: LOG }).firstRunOn(day)?.toISOString()).toBe(expected);
});

test.each(['', 'midnight', '61 0 * * *', '5 0 * *', '0 0 30 2 *'])(
  '«%s» is no cron expression, and told why',
  (text) => {
    expect(findCronProblem(text)).toMatch(`'${text}' is not a cron expression: `);
  },
);
