/** The real scheduler, its nights and signals; when nights begin and how often is in pipeline/schedule/, under a clock of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { responseFields } from '../support/documents/usage.ts';
import { ScheduledPlace, TODAY } from '../support/notices/scheduled-place.ts';
import { callCli, responsesFrom, runCli } from '../support/processes/cli.ts';

let place: ScheduledPlace;
beforeEach(async () => {
  place = await ScheduledPlace.open();
});
afterEach(() => place.dispose());

test('a scheduler publishes the day, tells its health and stops cleanly at a signal', async () => {
  const scheduler = place.schedule();
  await scheduler.logged(`published ${TODAY}`);
  const alive = await place.run(['schedule', '--check', '--json']);
  expect(alive.code).toBe(0);
  const last = { day: TODAY, status: 'published' };
  const next = `${addDays(TODAY, 1)}T00:00:00.000Z`;
  expect(responsesFrom(alive.stdout)).toMatchObject([
    { ok: true, state: 'waiting', attempts: 1, error: null, last, next_run_at: next },
  ]);
  expect(await place.end(scheduler, 'SIGTERM')).toEqual({ code: 0, statuses: ['published'] });
  const answers = [...responsesFrom((await scheduler.ended).stdout), ...responsesFrom(alive.stdout)];
  expect(answers.map((response) => Object.keys(response).toSorted())).toEqual(
    ['nightly', 'schedule --check'].map((command) => responseFields(command)[0]?.toSorted()),
  );
  for (const line of scheduler.lines) expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
  const stopped = await place.run(['schedule', '--check']);
  expect(stopped).toMatchObject({ code: 1, stdout: expect.stringContaining('was stopped') });
});

test('a night that does not finish in time after a stop is abandoned without harm', async () => {
  await place.writeEndless();
  const scheduler = place.schedule({ MODELSTATS_STOP_TIMEOUT_SECONDS: '0.5' });
  await scheduler.logged('night started');
  expect(await place.end(scheduler, 'SIGTERM')).toEqual({ code: 0, statuses: [] });
  expect(scheduler.lines.join('\n')).toMatch(/may finish[\s\S]*abandoned/);
  const health = JSON.parse(await readFile(join(place.folder, 'health.json'), 'utf8'));
  expect(health).toMatchObject({ state: 'stopped', next_run_at: null });
  expect(responsesFrom((await place.run(['status', '--json'])).stdout)).toMatchObject([{ snapshots: 1 }]);
});

test('a second signal ends everything at once', async () => {
  await place.writeEndless();
  const scheduler = place.schedule();
  await scheduler.logged('night started');
  scheduler.child.kill('SIGTERM');
  await scheduler.logged('may finish');
  expect((await place.end(scheduler, 'SIGINT')).code).toBe(130);
});

test('a scheduler that was killed in the night catches up when it is started again', async () => {
  const killed = place.schedule();
  await killed.logged('night started');
  killed.child.kill('SIGKILL');
  const scheduler = place.schedule();
  await Promise.race([scheduler.logged(`published ${TODAY}`), scheduler.logged('is published already')]);
  expect((await place.end(scheduler, 'SIGTERM')).code).toBe(0);
});

test.each([
  ['MODELSTATS_CRON', 'at midnight', /MODELSTATS_CRON: 'at midnight' is not a cron expression/, callCli],
  ['MODELSTATS_RETRY_UNTIL', '25:00', /MODELSTATS_RETRY_UNTIL: must be a time of day/, callCli],
  ['MODELSTATS_STORE', 'ftp://store', /not the address of a store/, callCli],
  // In a process of its own, since it listens to signals by then.
  ['MODELSTATS_HEALTH_FILE', '/dev/null/health.json', /MODELSTATS_HEALTH_FILE .* can't be written/, runCli],
])('a wrong %s stops the start and is named', async (name, value, message, run) => {
  const env = { ...place.env, [name]: value };
  const { code, stderr } = await run(['schedule', '--source', place.source], { env });
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('a check without a health file, or of a scheduler that never was, fails', async () => {
  expect((await place.run(['schedule', '--check'])).code).toBe(1);
  expect((await place.run(['schedule', '--check'], { MODELSTATS_HEALTH_FILE: '' })).code).toBe(2);
});
