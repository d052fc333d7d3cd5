import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, test, vi } from 'vitest';
import { HEARTBEAT_MS } from '../../../pipeline/schedule/health.ts';
import { answer } from '../../../test/support/schedule/fake-nights.ts';
import { RELEASE_FACTS } from '../../../test/support/schedule/release-facts.ts';
import { newFolder } from '../../../test/support/temporary-folder.ts';
import { configFromEnv } from '../../config/config.ts';
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
  console.log('${JSON.stringify(answer('published'))}');
}
`;

const [, script = ''] = process.argv;
afterEach(() => {
  process.argv[1] = script;
  vi.useRealTimers();
});

test('what a night has published is seen at the next heartbeat, whenever the store was read last', async () => {
  const tool = join(await newFolder(), 'tool.mjs');
  await writeFile(tool, TOOL);
  process.argv[1] = tool;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const config = configFromEnv({ MODELSTATS_CRON: '5 0 * * *' });
  const clock = () => new Date(`${RELEASE_FACTS.day}T00:07:00Z`); // It stands still: for no other reason is it time to read.
  const seen: unknown[] = [];
  const scheduler = startScheduler(
    { config, clock, print: () => {}, toolVersion: '0' },
    {
      source: '/source',
      json: false,
      log: pino({ enabled: false }),
      registry: new Registry(),
      onRelease: (release) => seen.push(release),
    },
  );
  const seenSoFar = () => {
    vi.advanceTimersByTime(HEARTBEAT_MS);
    return seen;
  };
  await expect.poll(seenSoFar, { timeout: 30_000 }).toEqual([RELEASE_FACTS]);
  await scheduler.stop();
});
