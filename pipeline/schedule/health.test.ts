import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { failed, response } from '../../test/support/schedule/fake-nights.ts';
import { RELEASE_FACTS } from '../../test/support/schedule/release-facts.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { findDeath, findHealthProblem, scheduleProblemAfter } from './health.ts';
import { openHealthFile, readHealth } from './health-file.ts';
import type { NightEnd } from './run-day.ts';
import type { ScheduleEvent } from './scheduler.ts';

const DAY = '2026-11-20';
const NOW = new Date(`${DAY}T00:05:30.000Z`);
const NEXT = new Date('2026-11-21T00:05:00.000Z');

const folder = useFolder({ perTest: true });

function open() {
  const path = folder('of/scheduler/health.json');
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const file = openHealthFile(path, { clock: () => NOW, cron: { nextRun: () => NEXT }, log });
  return { path, log, file };
}

test('the file follows a night from its failure to its success', () => {
  const { path, file } = open();
  const at = new Date(`${DAY}T00:06:30.000Z`);
  file.note({ type: 'night_started', day: DAY, attempt: 1 });
  expect(readHealth(path)).toMatchObject({ state: 'running', attempts: 1, error: null });
  file.note({ type: 'night_ended', day: DAY, attempt: 1, end: failed('the store is down') });
  file.note({ type: 'retry_planned', day: DAY, attempt: 1, at });
  const last = { day: DAY, status: 'failed', at: NOW.toISOString() };
  const retrying = { state: 'retrying', last, attempts: 1, next_run_at: at.toISOString(), error: 'the store is down' };
  expect(readHealth(path)).toMatchObject(retrying);
  file.note({ type: 'night_started', day: DAY, attempt: 2 });
  file.note({ type: 'night_ended', day: DAY, attempt: 2, end: response('published') });
  const waiting = { state: 'waiting', last: { ...last, status: 'published' }, attempts: 2, error: null };
  expect(readHealth(path)).toMatchObject({ ...waiting, next_run_at: NEXT.toISOString() });
});

test('a night that is held needs somebody, and so does a day that was given up; one that is tried again may mend itself', () => {
  const { path, file } = open();
  const problem = () => findHealthProblem(readHealth(path), NOW);
  const retry = { type: 'retry_planned', day: DAY, attempt: 1, at: NEXT } as const;
  file.note({ type: 'night_ended', day: DAY, attempt: 1, end: failed('the store is down') });
  file.note(retry);
  expect(problem()).toBeUndefined();
  file.note({ type: 'night_ended', day: DAY, attempt: 2, end: response('held', ['models would lose 60 %']) });
  file.note(retry);
  const command = 'modelstats nightly --source /raw --day 2026-06-02 --accept';
  expect(problem()).toBe(`${DAY} is held: models would lose 60 %; if the source is right, run: ${command}`);
  expect(findDeath(readHealth(path), NOW)).toBeUndefined();
  file.note({ type: 'night_ended', day: DAY, attempt: 3, end: failed('the store is down') });
  file.note({ type: 'given_up', day: DAY, attempt: 3, why: 'noon' });
  expect(problem()).toBe(`${DAY} was given up, its night has failed: the store is down`);
});

test('a restart hides no night that needs somebody, until it or a later day is published by whomever', () => {
  const { path, file } = open();
  file.note({ type: 'night_ended', day: DAY, attempt: 3, end: response('held', ['models would lose 60 %']) });
  file.note({ type: 'given_up', day: DAY, attempt: 3, why: 'noon' });
  const next = open().file;
  expect(readHealth(path)).toMatchObject({ last: { day: DAY, status: 'held' }, error: 'models would lose 60 %' });
  next.note({ type: 'release_seen', day: '2026-11-19', release: RELEASE_FACTS });
  expect(findHealthProblem(readHealth(path), NOW)).toMatch('is held');
  next.note({ type: 'release_seen', day: DAY, release: RELEASE_FACTS });
  expect(findHealthProblem(readHealth(path), NOW)).toBeUndefined();
  expect(readHealth(path)).toMatchObject({ last: { status: 'already_published' }, error: null, next_command: null });
});

test('a stopped scheduler says so and has no next run', () => {
  const { path, file } = open();
  file.note({ type: 'scheduler_stopped' });
  expect(readHealth(path)).toMatchObject({ state: 'stopped', next_run_at: null });
  expect(findHealthProblem(readHealth(path), NOW)).toMatch('stopped');
});

test('the file is replaced as a whole, with nothing left beside it', () => {
  const { path, file } = open();
  file.beat();
  expect(readdirSync(join(path, '..'))).toEqual(['health.json']);
});

test('a file that can not be written stops the start, but never a scheduler at work', () => {
  const { path, file, log } = open();
  rmSync(path);
  rmSync(join(path, '..'), { recursive: true });
  writeFileSync(join(path, '..'), 'in the way');
  file.beat();
  expect(log.warn).toHaveBeenCalledOnce();
  expect(open).toThrow(/MODELSTATS_HEALTH_FILE .* can't be written/);
});

test.each([
  ['is fresh after three minutes', 180_000, undefined],
  ['is dead after more', 180_001, 'no heartbeat since'],
  ['is not believed when its sign of life lies in the future', -180_001, 'no heartbeat since'],
])('a scheduler %s', (_, ageMs, problem) => {
  const { path, file } = open();
  file.beat();
  const found = findHealthProblem(readHealth(path), new Date(NOW.getTime() + ageMs));
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});

test('an absent or damaged file is told as such', () => {
  const path = folder('health.json');
  expect(() => readHealth(path)).toThrow(/no scheduler has written it/);
  writeFileSync(path, '{"state":"wai');
  expect(() => readHealth(path)).toThrow(/can't be read as a scheduler's health/);
});

const ended = (end: NightEnd): ScheduleEvent => ({ type: 'night_ended', day: DAY, attempt: 1, end });
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 0, minute));

test('a night that is not published is a problem from its first attempt until one is published', () => {
  const events = [
    ended(failed('the password is hunter2')),
    { type: 'night_started', day: DAY, attempt: 2 } as const,
    ended(response('held')),
    { type: 'given_up', day: DAY, attempt: 2, why: 'noon' } as const,
    ended(response('published')),
    ended(response('rejected')),
    ended(response('already_published')),
  ];
  let problem: ReturnType<typeof scheduleProblemAfter>;
  const problems = events.map((event, minute) => {
    problem = scheduleProblemAfter(problem, event, at(minute));
    return problem && [problem.code, problem.since.getUTCMinutes(), problem.message];
  });
  const failure = ['failed', 0, `the night of ${DAY} is not published: it failed`];
  const hold = ['held', 0, `the night of ${DAY} is held and needs an operator`];
  const rejection = ['rejected', 5, `the night of ${DAY} is not published: its source was rejected`];
  expect(problems).toEqual([failure, failure, hold, hold, undefined, rejection, undefined]);
});

test('a night that somebody publishes by hand is a problem no more', () => {
  const held = scheduleProblemAfter(undefined, ended(response('held')), at(0));
  const seen = (day: string) => ({ type: 'release_seen', day, release: RELEASE_FACTS }) as const;
  expect(scheduleProblemAfter(held, seen('2026-11-19'), at(1))).toEqual(held);
  expect(scheduleProblemAfter(held, { type: 'late', day: DAY, reason: 'noon' }, at(1))).toEqual(held);
  expect(scheduleProblemAfter(held, seen(DAY), at(1))).toBeUndefined();
});
