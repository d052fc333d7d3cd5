import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayFromDate } from '../../runtime/day.ts';
import { FakeNights, failed, response } from '../../test/support/schedule/fake-nights.ts';
import { FakeTime, settle } from '../../test/support/schedule/fake-time.ts';
import { type DayEvent, type DayOutcome, type NightEnd, retryDeadline, runDay, TIME_OF_DAY } from './run-day.ts';

const DAY = '2026-11-20';
const RETRY = { firstMs: 60_000, maxMs: 1_800_000, until: '12:00' };

interface Given {
  readonly now?: string;
  readonly day?: string;
  readonly ends: readonly (NightEnd | Error)[];
  readonly durationMs?: number;
}

/** Begins to work on a day, five minutes after it began unless told otherwise. */
function begin({ day = DAY, now = `${day}T00:05:00Z`, ends, durationMs = 0 }: Given) {
  const time = new FakeTime(now);
  const nights = new FakeNights(time, ends, { durationMs });
  const events: DayEvent[] = [];
  const [stop, abandon] = [new AbortController(), new AbortController()];
  const run = { outcome: undefined as DayOutcome | undefined };
  const { clock, sleep } = time;
  const deps = { clock, sleep, random: () => 0, retry: RETRY, runNight: nights.run };
  const signals = { stop: stop.signal, abandon: abandon.signal };
  void runDay(day, { ...deps, onEvent: (event) => events.push(event) }, signals).then((outcome) => {
    run.outcome = outcome;
  });
  return { time, begun: nights.begun, events, stop, run };
}

test.each(['published', 'already_published'] as const)('a night that is %s ends the day', async (status) => {
  const { time, begun, run } = begin({ ends: [response(status)] });
  await time.moveTo(`${DAY}T23:59:59Z`);
  expect(run.outcome).toBe('published');
  expect(begun).toHaveLength(1);
});

test.each([
  ['held', response('held', ['models would lose 60 %'])],
  ['rejected', response('rejected', ['too many bad rows'])],
  ['ended by wrong settings', failed('the bucket does not exist')],
  ['without its store', failed('the store is down')],
  ['lost to another without a snapshot of the day', failed('another night published while this one ran')],
  ['thrown out by a defect', new Error('defect')],
])('a night that is %s is tried again until it is published', async (_, end) => {
  const { time, begun, run } = begin({ ends: [end, end, response('published')] });
  await time.moveTo(`${DAY}T23:59:59Z`);
  expect(run.outcome).toBe('published');
  expect(begun).toEqual(['05', '06', '08'].map((minute) => `${DAY} at ${DAY}T00:${minute}:00.000Z`));
});

test.each(['2026-11-20', '2028-02-29', '2026-12-31', '2027-02-28'])(
  'on %s no night begins from noon on, every attempt is of that day, and giving up is told last',
  async (day) => {
    const { time, begun, events, run } = begin({ day, ends: [failed('the store is down')] });
    await time.moveTo(`${day}T23:59:59Z`);
    expect(run.outcome).toBe('given_up');
    expect(begun).toHaveLength(28);
    const isInTime = (at: string) => at >= `${day} at ${day}T00:05` && at < `${day} at ${day}T12:00`;
    expect(begun.filter((at) => !isInTime(at))).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'given_up', day, attempt: 28 });
  },
);

test('a day that begins after noon gets its one attempt', async () => {
  const { time, begun, run } = begin({ now: `${DAY}T18:00:00Z`, ends: [failed('the store is down')] });
  await time.moveTo(`${DAY}T23:59:59Z`);
  expect(run.outcome).toBe('given_up');
  expect(begun).toEqual([`${DAY} at ${DAY}T18:00:00.000Z`]);
});

test('a night that runs past midnight stays of its day and is not tried again', async () => {
  const durationMs = 14 * 3_600_000;
  const { time, begun, run } = begin({ now: `${DAY}T11:00:00Z`, ends: [failed('slow')], durationMs });
  await time.moveTo('2026-11-21T06:00:00Z');
  expect(run.outcome).toBe('given_up');
  expect(begun).toEqual([`${DAY} at ${DAY}T11:00:00.000Z`]);
});

test('a machine that slept over the deadline does not capture the day late', async () => {
  const { time, begun, run } = begin({ ends: [failed('the store is down')] });
  await settle();
  await time.suspendUntil('2026-11-22T00:10:00Z');
  expect(run.outcome).toBe('given_up');
  expect(begun).toHaveLength(1);
});

test('a day that is to come, once the clock is put right, is given up', async () => {
  const { time, begun, events, run } = begin({ day: '2031-01-01', ends: [response('held', ['2031 is far ahead'])] });
  await settle();
  time.setTo('2026-11-20T00:06:00Z');
  await time.moveTo('2026-11-20T01:00:00Z');
  expect(run.outcome).toBe('given_up');
  expect(begun).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({
    type: 'given_up',
    why: 'the clock was set back, and the day is in the future',
  });
});

test('a stop ends the wait for the next attempt at once', async () => {
  const { time, begun, stop, run } = begin({ ends: [failed('the store is down')] });
  await time.moveTo(`${DAY}T00:05:30Z`);
  stop.abort();
  await settle();
  expect(run.outcome).toBe('stopped');
  expect(begun).toHaveLength(1);
});

test('a running night may finish after a stop, and is not tried again', async () => {
  const { time, begun, stop, run } = begin({ ends: [failed('the store is down')], durationMs: 60_000 });
  await time.moveTo(`${DAY}T00:05:30Z`);
  stop.abort();
  await settle();
  expect(run.outcome).toBeUndefined();
  await time.moveTo(`${DAY}T12:00:00Z`);
  expect(run.outcome).toBe('stopped');
  expect(begun).toHaveLength(1);
});

test('what happens is told in order', async () => {
  const { time, events } = begin({ ends: [response('held', ['half is gone']), response('published')] });
  await time.moveTo(`${DAY}T01:00:00Z`);
  expect(events).toEqual([
    { type: 'night_started', day: DAY, attempt: 1 },
    { type: 'night_ended', day: DAY, attempt: 1, end: response('held', ['half is gone']) },
    { type: 'retry_planned', day: DAY, attempt: 1, at: new Date(`${DAY}T00:06:00Z`) },
    { type: 'night_started', day: DAY, attempt: 2 },
    { type: 'night_ended', day: DAY, attempt: 2, end: response('published') },
  ]);
});

test.each([
  ['2026-11-20', '12:00', '2026-11-20T12:00:00.000Z'],
  ['2028-02-29', '12:00', '2028-02-29T12:00:00.000Z'],
  ['2028-02-29', '24:00', '2028-03-01T00:00:00.000Z'],
  ['2026-12-31', '24:00', '2027-01-01T00:00:00.000Z'],
  ['2026-03-29', '00:00', '2026-03-29T00:00:00.000Z'],
])('on %s retries end at %s UTC of that day', (day, until, deadline) => {
  expect(retryDeadline(day, { until }).toISOString()).toBe(deadline);
});

test('the deadline of any day lies on that day, whatever the local time zone', () => {
  const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(instants.map(dayFromDate), (day) => dayFromDate(retryDeadline(day, { until: '23:59' })) === day),
  );
});

test.each(['24:01', '12', '1:00', '12:60', '-1:00', '12:00:00'])('%s is no time of day', (text) => {
  expect(text).not.toMatch(TIME_OF_DAY);
});
