import { expect, test } from 'vitest';
import { failed, response } from '../../test/support/schedule/fake-nights.ts';
import { RELEASE_FACTS } from '../../test/support/schedule/release-facts.ts';
import type { NightEnd } from '../schedule/run-day.ts';
import type { ScheduleEvent } from '../schedule/scheduler.ts';
import type { NightFacts } from './notices.ts';
import { ScheduleNotices } from './schedule-notices.ts';

const DAY = '2026-11-20';
const AT = new Date(`${DAY}T00:06:00Z`);
const RUN_AGAIN = `modelstats nightly --source '/raw data' --day ${DAY}`;
const SOON = new Date(`${DAY}T00:07:00Z`);
const retry: ScheduleEvent = { type: 'retry_planned', day: DAY, attempt: 1, at: SOON };
const givenUp: ScheduleEvent = { type: 'given_up', day: DAY, attempt: 1, why: 'noon' };
const stopRequested: ScheduleEvent = { type: 'stop_requested', running: DAY };
const stopped: ScheduleEvent = { type: 'scheduler_stopped' };
const ended = (end: NightEnd): ScheduleEvent => ({ type: 'night_ended', day: DAY, attempt: 1, end });

const noticesOf = (...events: readonly ScheduleEvent[]) => noticesAt(AT, ...events);

function noticesAt(at: Date, ...events: readonly ScheduleEvent[]): readonly (Partial<NightFacts> | string)[] {
  const facts: (Partial<NightFacts> | string)[] = [];
  const notices = new ScheduleNotices({
    notices: {
      send: async (given) => void facts.push(given),
      published: async (day) => void facts.push(`published ${day}`),
    },
    clock: () => at,
    source: '/raw data',
  });
  for (const event of events) notices.note(event);
  return facts;
}

test('a held night is told with what would be gone, its command, and when it is tried again', () => {
  const gone = (count: number, ids: readonly string[]) => ({ gone: count, examples: { gone: [...ids] } });
  const preview = { datasets: { models: gone(8, ['m2']), scores: gone(0, []) } };
  expect(noticesOf(ended({ ...response('held', ['too few']), preview, report: '/work/runs/x' }), retry)).toEqual([
    {
      kind: 'held',
      day: DAY,
      at: AT,
      reasons: ['too few'],
      gone: [{ dataset: 'models', records: 8, examples: ['m2'] }],
      nextCommand: 'modelstats nightly --source /raw --day 2026-06-02 --accept',
      nextAttemptAt: SOON,
      report: '/work/runs/x',
    },
  ]);
});

test('a night that failed has the command that runs it again; a day that was given up is not tried again', () => {
  const facts = { kind: 'failed', day: DAY, at: AT, reasons: ['the store is down'] };
  expect(noticesOf(ended(failed('the store is down')), givenUp)).toEqual([
    { ...facts, nextCommand: RUN_AGAIN, nextAttemptAt: undefined },
  ]);
});

test('a night that a stop ended is not told, one that was held before is', () => {
  expect(noticesOf(stopRequested, ended(failed('abandoned')), stopped)).toEqual([]);
  const held = { kind: 'held', nextAttemptAt: undefined };
  expect(noticesOf(stopRequested, ended(response('held')), stopped)).toMatchObject([held]);
});

test('what is published, by a night or by anybody, is handed on', () => {
  const seen: ScheduleEvent = { type: 'release_seen', day: DAY, release: RELEASE_FACTS };
  expect(noticesOf(ended(response('published')), ended(response('already_published')), seen)).toEqual(
    Array.from({ length: 3 }, () => `published ${DAY}`),
  );
});

test('a late day is told with what its last attempt said', () => {
  const late: ScheduleEvent = { type: 'late', day: DAY, reason: 'not published by 12:00 UTC' };
  expect(noticesOf(ended(response('held', ['too few'])), retry, late)[1]).toMatchObject({
    kind: 'late',
    reasons: ['not published by 12:00 UTC', 'too few'],
    nextCommand: expect.stringContaining('--accept'),
    nextAttemptAt: SOON,
  });
  expect(noticesOf(late)).toMatchObject([{ kind: 'late', nextCommand: RUN_AGAIN }]);
});

test('a late day that is over is told without a command, which would publish another day under its name', () => {
  const late: ScheduleEvent = { type: 'late', day: DAY, reason: 'not published by 24:00 UTC' };
  expect(noticesAt(new Date('2026-11-20T23:59:59Z'), late)).toMatchObject([
    { nextCommand: expect.stringContaining(DAY) },
  ]);
  expect(noticesAt(new Date('2026-11-21T00:00:00Z'), late)).toMatchObject([{ kind: 'late', nextCommand: null }]);
  expect(
    noticesAt(new Date('2026-11-21T08:00:00Z'), ended(response('held', ['too few'])), retry, late)[1],
  ).toMatchObject({
    kind: 'late',
    nextCommand: null,
  });
});
