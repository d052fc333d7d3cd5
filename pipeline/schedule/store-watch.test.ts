import { expect, test } from 'vitest';
import type { Day } from '../../runtime/day.ts';
import { RELEASE_FACTS } from '../../test/support/schedule/release-facts.ts';
import { findDueDay, findExpectedDay, type StoreEvent, StoreWatch } from './store-watch.ts';

/** A watch over nights that are due at 00:05 and late after noon; `at` looks at an instant and gives what it told. */
function start({ newest, daysOff = [] }: { newest?: Day; daysOff?: readonly Day[] } = {}) {
  const events: StoreEvent[] = [];
  let [now, looks, problem] = [new Date(0), 0, ''];
  let stored = newest;
  const watch = new StoreWatch({
    async readNewest(stop) {
      looks += 1;
      if (problem === 'hangs') await new Promise((resolve) => stop.addEventListener('abort', resolve));
      else if (problem !== '') throw new Error(problem);
      return stored === undefined
        ? undefined
        : { ...RELEASE_FACTS, day: stored, published_at: `${stored}T00:07:00.000Z` };
    },
    clock: () => now,
    cron: { firstRunOn: (day) => (daysOff.includes(day) ? undefined : new Date(`${day}T00:05:00Z`)) },
    lateAfter: '12:00',
    onEvent: (event) => events.push(event),
  });
  return {
    watch,
    events,
    looks: () => looks,
    publish: (day: Day) => {
      stored = day;
    },
    fail: (message: string) => {
      problem = message;
    },
    async at(instant: string) {
      now = new Date(instant);
      await watch.poll();
      return events.splice(0).map((event) => `${event.type} ${event.day}`);
    },
  };
}

test('a snapshot that somebody publishes is seen within five minutes, or at once after a night, and told once', async () => {
  const { watch, at, publish } = start({ newest: '2026-06-01' });
  expect(await at('2026-06-02T06:00:00Z')).toEqual(['release_seen 2026-06-01']);
  publish('2026-06-02');
  expect(await at('2026-06-02T06:04:59Z')).toEqual([]);
  expect(await at('2026-06-02T06:05:00Z')).toEqual(['release_seen 2026-06-02']);
  watch.wake();
  expect(await at('2026-06-02T06:06:00Z')).toEqual([]);
});

test('a day that is due and not published in time is late, and told once', async () => {
  const { at } = start({ newest: '2026-06-01' });
  expect(await at('2026-06-02T11:59:00Z')).toEqual(['release_seen 2026-06-01']);
  expect(await at('2026-06-02T12:00:00Z')).toEqual(['late 2026-06-02']);
  expect(await at('2026-06-02T18:00:00Z')).toEqual([]);
  expect(await at('2026-06-03T11:00:00Z')).toEqual([]);
  expect(await at('2026-06-03T12:00:00Z')).toEqual(['late 2026-06-03']);
});

test('a scheduler that was started too late finds the day late; days without a due time never are', async () => {
  const newest = '2026-06-01';
  expect(await start({ newest }).at('2026-06-03T15:00:00Z')).toEqual(['release_seen 2026-06-01', 'late 2026-06-03']);
  expect(await start({ newest }).at('2026-06-03T08:00:00Z')).toEqual(['release_seen 2026-06-01', 'late 2026-06-02']);
  const daysOff = ['2026-06-02', '2026-06-03'];
  expect(await start({ newest, daysOff }).at('2026-06-03T15:00:00Z')).toEqual(['release_seen 2026-06-01']);
});

test('a new store has missed nothing until its first night was begun', async () => {
  const { watch, at } = start();
  expect(await at('2026-06-01T15:00:00Z')).toEqual([]);
  watch.begin('2026-06-02');
  expect(await at('2026-06-02T11:00:00Z'), 'the day before its first').toEqual([]);
  expect(await at('2026-06-02T12:00:00Z')).toEqual(['late 2026-06-02']);
});

test('a store that cannot be read is told where a day is due, with the reason', async () => {
  const { watch, at, fail, events } = start({ newest: '2026-06-01' });
  fail('the store is down');
  await watch.poll();
  events.splice(0);
  expect(await at('2026-06-02T12:00:00Z')).toEqual(['late 2026-06-02']);
  expect(await at('2026-06-02T12:30:00Z')).toEqual([]);
  fail('');
  expect(await at('2026-06-02T12:36:00Z')).toEqual(['release_seen 2026-06-01']);
});

test('a stop ends a look that hangs, and nothing is told of it', async () => {
  const { watch, at, fail, looks } = start({ newest: '2026-06-01' });
  fail('hangs');
  const looking = at('2026-06-02T12:00:00Z');
  watch.stop();
  expect(await looking).toEqual([]);
  await at('2026-06-03T12:00:00Z');
  expect(looks()).toBe(1);
});

const cronAt = (time: string) => ({ firstRunOn: (day: string) => new Date(`${day}T${time}:00Z`) });

test.each([
  ['00:05', '12:00', '2026-06-02T11:59:59Z', '2026-06-01'],
  ['00:05', '12:00', '2026-06-02T12:00:00Z', '2026-06-02'],
  ['00:05', '24:00', '2026-06-02T23:59:59Z', '2026-06-01'],
  ['18:00', '12:00', '2026-06-02T18:00:30Z', '2026-06-01'],
  ['18:00', '12:00', '2026-06-03T11:59:59Z', '2026-06-01'],
  ['18:00', '12:00', '2026-06-03T12:00:00Z', '2026-06-02'],
  ['12:00', '12:00', '2026-06-02T12:00:30Z', '2026-06-01'],
])('of nights due at %s and late after %s, at %s that of %s is expected', (due, lateAfter, now, expected) => {
  expect(findExpectedDay(new Date(now), { cron: cronAt(due), lateAfter })).toBe(expected);
});

test('a day is due from the minute on at which its night begins', () => {
  const cron = cronAt('18:00');
  expect(findDueDay(new Date('2026-06-02T17:59:59Z'), { cron })).toBe('2026-06-01');
  expect(findDueDay(new Date('2026-06-02T18:00:00Z'), { cron })).toBe('2026-06-02');
});

test('without a due time in a year nothing is expected', () => {
  const cron = { firstRunOn: () => undefined };
  expect(findExpectedDay(new Date('2026-06-02T12:00:00Z'), { cron, lateAfter: '12:00' })).toBeUndefined();
});
