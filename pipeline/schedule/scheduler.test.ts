import { expect, test } from 'vitest';
import type { Day } from '../../runtime/day.ts';
import { FakeNights, failed, response } from '../../test/support/schedule/fake-nights.ts';
import { FakeTime, settle } from '../../test/support/schedule/fake-time.ts';
import type { Cron, CronListener } from './cron.ts';
import type { NightEnd } from './run-day.ts';
import { type ScheduleEvent, Scheduler } from './scheduler.ts';

const RETRY = { firstMs: 60_000, maxMs: 1_800_000, until: '12:00' };

interface Given {
  readonly ends?: readonly NightEnd[];
  readonly durationMs?: number;
  /** Days without a due time. */
  readonly daysOff?: readonly Day[];
}

/** Starts a scheduler whose nights are due at 00:05, when the test says so. */
function start(now: string, { ends = [response('published')], durationMs = 0, daysOff = [] }: Given = {}) {
  const time = new FakeTime(now);
  const nights = new FakeNights(time, ends, { durationMs });
  const events: ScheduleEvent[] = [];
  let listener: CronListener | undefined;
  const cron: Cron = {
    start: (given) => {
      listener = given;
    },
    stop: () => {},
    nextRun: () => new Date('2026-11-21T00:05:00Z'),
    firstRunOn: (day) => (daysOff.includes(day) ? undefined : new Date(`${day}T00:05:00Z`)),
  };
  const scheduler = new Scheduler({
    cron,
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0,
    retry: RETRY,
    runNight: nights.run,
    stopTimeoutMs: 25_000,
    onEvent: (event) => events.push(event),
  });
  scheduler.start();
  return {
    time,
    begun: nights.begun,
    events,
    scheduler,
    due: (day: Day) => void listener?.onDue(day),
    miss: () => listener?.onMissed(),
    eventsOf: (type: ScheduleEvent['type']) => events.filter((event) => event.type === type),
  };
}

test('a due time begins the night of its day', async () => {
  const { time, begun, due } = start('2026-11-19T18:00:00Z');
  await time.moveTo('2026-11-20T00:05:00Z');
  due('2026-11-20');
  await settle();
  expect(begun).toEqual(['2026-11-20 at 2026-11-20T00:05:00.000Z']);
});

test.each(['2026-11-20T00:05:00Z', '2026-11-20T09:00:00Z', '2026-11-20T11:59:59Z', '2028-02-29T03:00:00Z'])(
  'a scheduler that is started at %s catches up on the night of that day',
  async (now) => {
    const { begun } = start(now);
    await settle();
    expect(begun).toEqual([`${now.slice(0, 10)} at ${new Date(now).toISOString()}`]);
  },
);

test.each([
  ['before the due time', '2026-11-20T00:04:59Z'],
  ['at noon', '2026-11-20T12:00:00Z'],
  ['in the evening', '2026-11-20T23:00:00Z'],
  ['on a day without a due time', '2026-11-22T03:00:00Z'],
])('a scheduler that is started %s waits for the next due time', async (_, now) => {
  const { begun, eventsOf } = start(now, { daysOff: ['2026-11-22'] });
  await settle();
  expect(begun).toEqual([]);
  expect(eventsOf('catch_up')).toEqual([]);
});

test('a due time that was slept through is caught up in the morning, and left out after noon', async () => {
  const { time, begun, miss } = start('2026-11-19T18:00:00Z');
  await time.moveTo('2026-11-20T08:00:00Z');
  miss();
  await time.moveTo('2026-11-21T12:30:00Z');
  miss();
  await settle();
  expect(begun).toEqual(['2026-11-20 at 2026-11-20T08:00:00.000Z']);
});

test('a due time of the day that is worked on changes nothing', async () => {
  const { time, begun, due, eventsOf } = start('2026-11-20T00:05:00Z', { durationMs: 60_000 });
  due('2026-11-20');
  await time.moveTo('2026-11-20T00:10:00Z');
  expect(begun).toHaveLength(1);
  expect(eventsOf('due_while_busy')).toEqual([]);
});

test('a night that is due while yesterday still runs waits for it, and never overlaps', async () => {
  const durationMs = 13 * 3_600_000;
  const { time, begun, due, eventsOf } = start('2026-11-20T11:30:00Z', { durationMs });
  await time.moveTo('2026-11-21T00:05:00Z');
  due('2026-11-21');
  await time.moveTo('2026-11-21T06:00:00Z');
  expect(begun).toEqual(['2026-11-20 at 2026-11-20T11:30:00.000Z', '2026-11-21 at 2026-11-21T00:30:00.000Z']);
  expect(eventsOf('due_while_busy')).toHaveLength(1);
});

test('a clock that is put right is followed: the day to come is given up, and that of today gets its night', async () => {
  const { time, begun, miss, eventsOf } = start('2031-01-01T00:05:00Z', {
    ends: [response('held', ['far ahead']), response('published')],
  });
  await settle();
  time.setTo('2026-11-20T08:00:00Z');
  miss();
  await time.moveTo('2026-11-20T09:00:00Z');
  expect(eventsOf('given_up')).toMatchObject([{ day: '2031-01-01' }]);
  expect(begun).toEqual(['2031-01-01 at 2031-01-01T00:05:00.000Z', '2026-11-20 at 2026-11-20T08:01:00.000Z']);
});

test('a day that passed while an earlier one was worked on is left out', async () => {
  const durationMs = 40 * 3_600_000;
  const { time, begun, due } = start('2026-11-20T11:30:00Z', { durationMs });
  await time.moveTo('2026-11-21T00:05:00Z');
  due('2026-11-21');
  await time.moveTo('2026-11-22T04:00:00Z');
  expect(begun).toHaveLength(1);
});

test('the day after one that was given up gets its night', async () => {
  const { time, begun, due, eventsOf } = start('2026-11-20T11:50:00Z', { ends: [failed('the store is down')] });
  await time.moveTo('2026-11-21T00:05:00Z');
  expect(eventsOf('given_up')).toHaveLength(1);
  due('2026-11-21');
  await settle();
  expect(begun.at(-1)).toBe('2026-11-21 at 2026-11-21T00:05:00.000Z');
});

test('a stop while nothing runs is immediate, and nothing starts after it', async () => {
  const { begun, scheduler, due, events } = start('2026-11-20T18:00:00Z');
  await scheduler.stop();
  due('2026-11-21');
  await settle();
  expect(begun).toEqual([]);
  expect(events.at(-1)).toEqual({ type: 'scheduler_stopped' });
});

test('a stop abandons a night that takes longer, and is over then', async () => {
  const { time, scheduler, eventsOf } = start('2026-11-20T00:05:00Z', { durationMs: 3_600_000 });
  const stopped = scheduler.stop();
  await time.moveTo('2026-11-20T00:05:24Z');
  expect(eventsOf('night_ended')).toEqual([]);
  await time.moveTo('2026-11-20T00:05:25Z');
  await stopped;
  expect(eventsOf('night_ended')).toMatchObject([{ end: { status: 'failed' } }]);
  expect(eventsOf('retry_planned')).toEqual([]);
});
