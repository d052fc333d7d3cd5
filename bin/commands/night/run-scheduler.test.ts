import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { HEARTBEAT_MS } from '../../../pipeline/schedule/health.ts';
import { addDays } from '../../../runtime/day.ts';
import type { ReleaseFacts } from '../../../storage/release-metrics.ts';
import { NoticeReceiver } from '../../../test/support/notices/notice-receiver.ts';
import { response } from '../../../test/support/schedule/fake-nights.ts';
import { RELEASE_FACTS } from '../../../test/support/schedule/release-facts.ts';
import { newFolder } from '../../../test/support/temporary-folder.ts';
import { configFromEnv } from '../../config/config.ts';
import { openConfiguredNotices } from '../../config/configured-notices.ts';
import { startScheduler } from './run-scheduler.ts';

/** In place of this tool: `status` says what is published, and a night publishes once that was asked. */
const TOOL = `
import { existsSync, writeFileSync } from 'node:fs';
const file = (name) => new URL(name, import.meta.url);
if (process.argv[2] === 'status') {
  const newest = existsSync(file('published')) ? ${JSON.stringify(RELEASE_FACTS)} : null;
  writeFileSync(file('asked'), '');
  console.log(JSON.stringify({ newest }));
} else {
  while (!existsSync(file('asked'))) await new Promise((resolve) => setTimeout(resolve, 10));
  writeFileSync(file('published'), '');
  console.log('${JSON.stringify(response('published'))}');
}
`;

const [, script = ''] = process.argv;
afterEach(() => {
  process.argv[1] = script;
  vi.useRealTimers();
});

const log = pino({ enabled: false });

/** In place of this tool: a night that goes on until there is a file `end`. */
const ENDLESS = `
import { existsSync, writeFileSync } from 'node:fs';
const file = (name) => new URL(name, import.meta.url);
if (process.argv[2] === 'nightly') {
  writeFileSync(file('begun'), '');
  while (!existsSync(file('end'))) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log('${JSON.stringify(response('published'))}');
}
`;

/** A scheduler of this process whose clock stands still, in a folder of its own. */
async function prepare(env: Readonly<Record<string, string>> = {}, program = TOOL) {
  const folder = await newFolder();
  const tool = join(folder, 'tool.mjs');
  await writeFile(tool, program);
  process.argv[1] = tool;
  const config = configFromEnv({ MODELSTATS_CRON: '5 0 * * *', MODELSTATS_WORK: join(folder, 'work'), ...env });
  const clock = () => new Date(`${RELEASE_FACTS.day}T00:07:00Z`);
  const printed: string[] = [];
  const context = { config, clock, print: (line: string) => void printed.push(line), toolVersion: '0' };
  const start = (onRelease = (_: ReleaseFacts) => {}) =>
    startScheduler(context, { source: '/source', json: true, log, registry: new Registry(), onRelease });
  return { folder, context, printed, start };
}

test('what a night has published is seen at the next heartbeat, whenever the store was read last', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { start } = await prepare(); // Its clock stands still: for no other reason is it time to read.
  const seen: unknown[] = [];
  const scheduler = start((release) => seen.push(release));
  const seenSoFar = () => {
    vi.advanceTimersByTime(HEARTBEAT_MS);
    return seen;
  };
  await expect.poll(seenSoFar, { timeout: 30_000 }).toEqual([RELEASE_FACTS]);
  await scheduler.stop();
});

test('what a scheduler that was killed had begun to tell, of the day before too, is told when one starts', async () => {
  const receiver = await NoticeReceiver.start();
  onTestFinished(() => receiver.close());
  const { folder, context, start } = await prepare({ MODELSTATS_NOTIFY: receiver.url });
  await writeFile(join(folder, 'asked'), ''); // Its own night waits for nothing.
  receiver.answer = 'hang';
  const killed = openConfiguredNotices(context, { log, onSent: () => {} });
  const day = addDays(RELEASE_FACTS.day, -1);
  void killed?.send({ kind: 'held', day, at: context.clock(), reasons: ['too few'] });
  await expect.poll(() => receiver.requests).toHaveLength(1);
  killed?.abandon();
  receiver.answer = 200;
  const scheduler = start();
  await expect.poll(() => receiver.headlines, { timeout: 30_000 }).toContain(`held ${day}`);
  await scheduler.stop();
});

test('a night that runs when the stop comes may finish', async () => {
  const { folder, printed, start } = await prepare({}, ENDLESS);
  const scheduler = start();
  await expect.poll(() => existsSync(join(folder, 'begun')), { timeout: 30_000 }).toBe(true);
  const stopped = scheduler.stop();
  await writeFile(join(folder, 'end'), '');
  await stopped;
  expect(printed.map((line) => JSON.parse(line))).toEqual([response('published')]);
});

test('a night that takes longer than it may is killed, and reported as failed', async () => {
  const receiver = await NoticeReceiver.start();
  onTestFinished(() => receiver.close());
  const limit = { MODELSTATS_NIGHT_TIMEOUT_SECONDS: '0.5' };
  const { start } = await prepare({ MODELSTATS_NOTIFY: receiver.url, ...limit }, ENDLESS);
  const scheduler = start();
  expect((await receiver.next('failed')).reasons).toEqual(['killed: it took longer than 0.5 s']);
  await scheduler.stop();
});
