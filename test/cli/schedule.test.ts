import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { addDays, dayFromDate } from '../../schemas/day.ts';
import * as faults from '../support/fetch/faults.ts';
import { SHOP_FILES, SHOP_KEY, serveShop, shopSettings } from '../support/fetch/shop.ts';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { answersFrom, envOf, type RunningCli, runCli, startCli } from '../support/processes/cli.ts';

/** Due at midnight and caught up until midnight: whenever a scheduler is started, today's night begins at once. */
const AT_ONCE = {
  MODELSTATS_CRON: '0 0 * * *',
  MODELSTATS_RETRY_UNTIL: '24:00',
  MODELSTATS_RETRY_FIRST_SECONDS: '0.2',
};
const TODAY = dayFromDate(new Date());

// Several processes one after the other, each a second or more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let source: string;
let health: string;
let env: Record<string, string>;
let started: RunningCli[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'modelstats-schedule-'));
  source = join(folder, 'source');
  health = join(folder, 'health.json');
  const place = envOf({ store: join(folder, 'store'), work: join(folder, 'work') });
  env = { ...place, MODELSTATS_HEALTH_FILE: health, ...AT_ONCE };
  await writeSource(10);
});
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  started = [];
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Puts models into the source, in one step. */
async function writeSource(models: number): Promise<void> {
  const lines = Array.from({ length: models }, (_, at) => `{"id":"m${at}","name":"Model ${at}"}\n`);
  await mkdir(source, { recursive: true });
  await writeFile(join(folder, 'models.jsonl'), lines.join(''));
  await rename(join(folder, 'models.jsonl'), join(source, 'models.jsonl'));
}

/** Puts a SELECT in place of the models that looks for what there isn't for hours: a night that runs it doesn't end. */
async function writeEndlessSource(): Promise<void> {
  rmSync(source, { recursive: true });
  await mkdir(source);
  const select = `SELECT 'a' AS id, 'A' AS name FROM range(1000000000000000) AS numbers(i) WHERE i % 1000003 = -1`;
  await writeFile(join(source, 'source.sql'), `-- models\n${select}\n`);
}

/** A scheduler in a process of its own; `logged` resolves at its first log line with a text. */
function startSchedule(settings: Record<string, string> = {}) {
  const cli = startCli(['schedule', '--source', source, '--json'], { env: { ...env, ...settings } });
  started.push(cli);
  const lines: string[] = [];
  const waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  if (cli.child.stderr === null) throw new Error('stderr is not piped');
  createInterface({ input: cli.child.stderr }).on('line', (line) => {
    lines.push(line);
    for (const { text, resolve } of waiting) if (line.includes(text)) resolve();
  });
  const logged = (text: string) =>
    new Promise<void>((resolve) => {
      if (lines.some((line) => line.includes(text))) resolve();
      else waiting.push({ text, resolve });
    });
  return { ...cli, logged, lines };
}

async function statusesOf({ ended }: Pick<RunningCli, 'ended'>): Promise<readonly unknown[]> {
  return answersFrom((await ended).stdout).map(({ status }) => status);
}

async function publishedDay(): Promise<unknown> {
  const { stdout } = await runCli(['status', '--json'], { env });
  const [status] = answersFrom(stdout);
  return status?.['newest'] === null ? null : TODAY;
}

test('a scheduler publishes the day, tells its health and stops cleanly at a signal', async () => {
  const scheduler = startSchedule();
  await scheduler.logged(`published ${TODAY}`);
  const alive = await runCli(['schedule', '--check', '--json'], { env });
  expect(alive.code).toBe(0);
  expect(answersFrom(alive.stdout)).toMatchObject([
    { ok: true, state: 'waiting', attempts: 1, error: null, last: { day: TODAY, status: 'published' } },
  ]);
  expect(answersFrom(alive.stdout)[0]?.['next_run_at']).toBe(`${addDays(TODAY, 1)}T00:00:00.000Z`);
  scheduler.child.kill('SIGTERM');
  const { code, stderr } = await scheduler.ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(await statusesOf(scheduler)).toEqual(['published']);
  for (const line of scheduler.lines) expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
  const stopped = await runCli(['schedule', '--check'], { env });
  expect(stopped).toMatchObject({ code: 1, stdout: expect.stringContaining('was stopped') });
});

test('a source that arrives late is published by a later attempt', async () => {
  rmSync(source, { recursive: true });
  const scheduler = startSchedule();
  await scheduler.logged('trying again');
  expect(JSON.parse(readFileSync(health, 'utf8'))).toMatchObject({ last: { status: 'rejected' } });
  await writeSource(10);
  await scheduler.logged(`published ${TODAY}`);
  scheduler.child.kill('SIGINT');
  expect(await scheduler.ended).toMatchObject({ code: 0 });
  expect((await statusesOf(scheduler)).at(-1)).toBe('published');
});

test('an upstream that is down at first is asked again by a later attempt, and what it says is published', async () => {
  const upstream = await UpstreamServer.start();
  onTestFinished(() => upstream.close());
  serveShop(upstream, { a: 1, b: 2 });
  upstream.break('/models.json', faults.status(503));
  rmSync(source, { recursive: true });
  await mkdir(source);
  for (const [name, text] of Object.entries(SHOP_FILES)) await writeFile(join(source, name), text);
  await writeFile(join(source, 'source.json'), JSON.stringify(shopSettings(upstream.url)));
  const scheduler = startSchedule({ SHOP_KEY, MODELSTATS_FETCH_ATTEMPTS_MAX: '1' });
  await scheduler.logged('trying again');
  expect(JSON.parse(readFileSync(health, 'utf8'))).toMatchObject({ last: { status: 'rejected' } });
  await scheduler.logged(`published ${TODAY}`);
  scheduler.child.kill('SIGTERM');
  const { code, stdout } = await scheduler.ended;
  expect(code).toBe(0);
  expect(answersFrom(stdout).at(-1)).toMatchObject({ status: 'published', records: { models: 2, pricing: 2 } });
  expect(scheduler.lines.join('\n')).not.toContain(SHOP_KEY);
  // The prices came with the first attempt, so nobody asked for them again.
  expect(upstream.takeSeen().filter((path) => path === '/prices.csv')).toHaveLength(1);
});

test('a held night is told to the operator, never accepted, and published once its source is repaired', async () => {
  await runCli(['nightly', '--source', source, '--day', addDays(TODAY, -1)], { env });
  await writeSource(2);
  const scheduler = startSchedule();
  await scheduler.logged(`held ${TODAY}: it needs an operator; if the source is right, run: modelstats nightly`);
  await scheduler.logged('"attempt":3');
  await writeSource(9);
  await scheduler.logged(`published ${TODAY}`);
  scheduler.child.kill('SIGTERM');
  expect((await scheduler.ended).code).toBe(0);
  expect(new Set(await statusesOf(scheduler))).toEqual(new Set(['held', 'published']));
});

test('a night that runs when the stop comes may finish, and is published', async () => {
  const scheduler = startSchedule();
  await scheduler.logged('night started');
  scheduler.child.kill('SIGTERM');
  expect((await scheduler.ended).code).toBe(0);
  expect(await statusesOf(scheduler)).toEqual(['published']);
  expect(scheduler.lines.findIndex((line) => line.includes('may finish'))).toBeLessThan(
    scheduler.lines.findIndex((line) => line.includes(`published ${TODAY}`)),
  );
});

test('a night that does not finish in time is abandoned without harm, and the next start publishes the day', async () => {
  await writeEndlessSource();
  const scheduler = startSchedule({ MODELSTATS_STOP_TIMEOUT_SECONDS: '0.5' });
  await scheduler.logged('night started');
  scheduler.child.kill('SIGTERM');
  expect((await scheduler.ended).code).toBe(0);
  expect(scheduler.lines.join('\n')).toContain('abandoned');
  expect(JSON.parse(readFileSync(health, 'utf8'))).toMatchObject({ state: 'stopped', next_run_at: null });
  expect(await publishedDay()).toBeNull();
  rmSync(join(source, 'source.sql'));
  await writeSource(10);
  const next = startSchedule();
  await next.logged(`published ${TODAY}`);
});

test('a second signal ends everything at once', async () => {
  await writeEndlessSource();
  const scheduler = startSchedule();
  await scheduler.logged('night started');
  scheduler.child.kill('SIGTERM');
  await scheduler.logged('may finish');
  scheduler.child.kill('SIGINT');
  expect((await scheduler.ended).code).toBe(130);
});

test('a night that takes too long is killed and tried again', async () => {
  await writeEndlessSource();
  const scheduler = startSchedule({ MODELSTATS_NIGHT_TIMEOUT_SECONDS: '0.5' });
  await scheduler.logged('killed: it took longer than 0.5 s');
  await scheduler.logged('"attempt":2');
  scheduler.child.kill('SIGTERM');
  expect((await scheduler.ended).code).toBe(0);
});

test('a scheduler that was killed in the night catches up when it is started again', async () => {
  const killed = startSchedule();
  await killed.logged('night started');
  killed.child.kill('SIGKILL');
  const scheduler = startSchedule();
  await Promise.race([scheduler.logged(`published ${TODAY}`), scheduler.logged('is published already')]);
  scheduler.child.kill('SIGTERM');
  expect((await scheduler.ended).code).toBe(0);
  expect((await runCli(['verify', '--all', '--json'], { env })).code).toBe(0);
});

test('of two schedulers on one store one publishes, and the other finds the day published', async () => {
  const schedulers = [startSchedule(), startSchedule({ MODELSTATS_HEALTH_FILE: join(folder, 'other.json') })];
  await Promise.all(
    schedulers.map(({ logged }) =>
      Promise.race([logged(`published ${TODAY}`), logged(`${TODAY} is published already`)]),
    ),
  );
  for (const { child } of schedulers) child.kill('SIGTERM');
  const statuses = (await Promise.all(schedulers.map(statusesOf))).flat();
  expect(statuses.sort()).toEqual(['already_published', 'published']);
});

test('a scheduler at a cron time begins its nights without a catch-up', async () => {
  const scheduler = startSchedule({ MODELSTATS_CRON: '* * * * * *', MODELSTATS_RETRY_UNTIL: '00:00' });
  await scheduler.logged(`published ${TODAY}`);
  scheduler.child.kill('SIGTERM');
  expect((await scheduler.ended).code).toBe(0);
  expect(scheduler.lines.join('\n')).not.toContain('catching up');
});

test.each([
  ['MODELSTATS_CRON', 'at midnight', /MODELSTATS_CRON: 'at midnight' is no cron expression/],
  ['MODELSTATS_RETRY_UNTIL', '25:00', /MODELSTATS_RETRY_UNTIL: must be a time of day/],
  ['MODELSTATS_STORE', 'ftp://store', /not the address of a store/],
  ['MODELSTATS_HEALTH_FILE', '/dev/null/health.json', /MODELSTATS_HEALTH_FILE .* can't be written/],
])('a wrong %s stops the start and is named', async (name, value, message) => {
  const { code, stderr } = await runCli(['schedule', '--source', source], { env: { ...env, [name]: value } });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
});

test('a check without a health file, or of a scheduler that never was, fails', async () => {
  expect((await runCli(['schedule', '--check'], { env })).code).toBe(1);
  expect((await runCli(['schedule', '--check'], { env: { ...env, MODELSTATS_HEALTH_FILE: '' } })).code).toBe(2);
});
