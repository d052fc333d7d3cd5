import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Database } from '../../storage/duckdb/database.ts';
import { FileStore } from '../../storage/file/file-store.ts';
import { readContents } from '../support/pipeline/store-contents.ts';
import { type CliResult, envOf, responsesFrom, runCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { writeInventedDays } from '../worlds/invented-days.ts';

/** Whole nights in processes of their own: a busy machine with a slow disk takes its time. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Each store sees two races: for its first night, when there is no catalog yet, and for the next. */
const STORES = ['a', 'b', 'c', 'd', 'e'];
const SOURCE_SEED = 7;

const path = useFolder();
let source: string;
let days: readonly string[];
let database: Database;

beforeAll(async () => {
  source = path('source');
  days = await writeInventedDays(source, 2, SOURCE_SEED);
  database = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder: path('spill') });
});
afterAll(() => database?.close());

test.each(STORES)(
  'of two nights started at once on one store one publishes and the other finds it done (store %s)',
  async (name) => {
    const store = path(name);
    for (const [round, day] of days.entries()) {
      const ends = await Promise.all(['x', 'y'].map((who) => startNight(store, day, who)));
      const statuses = ends.map(statusOf).sort();
      expect(statuses, JSON.stringify(ends)).toEqual(['already_published', 'published']);
      const { releases, events } = await readContents(new FileStore(store), database);
      expect(releases.map((release) => release.day)).toEqual(days.slice(0, round + 1));
      expect(events.map(([seq]) => seq)).toEqual(events.map((_, index) => index + 1));
      await assertOrphansAreUnmarked(
        store,
        releases.map((release) => `${release.day}.${release.run}`),
      );
    }
  },
);

/** With a work folder of its own or, in half of the stores, a common one. */
function startNight(store: string, day: string, who: string): Promise<CliResult> {
  const isShared = STORES.indexOf(store.slice(-1)) % 2 === 0;
  const work = path(isShared ? `work-${store.slice(-1)}` : `work-${store.slice(-1)}-${who}`);
  return runCli(['nightly', '--source', source, '--day', day, '--json'], { env: envOf({ store, work }) });
}

function statusOf({ code, stdout, stderr }: CliResult): unknown {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return responsesFrom(stdout)[0]?.['status'];
}

/** A loser's files stay until they are pruned; nothing in them says that they were ever published. */
async function assertOrphansAreUnmarked(store: string, live: readonly string[]): Promise<void> {
  for (const name of await readdir(join(store, 'releases'))) {
    const files = await readdir(join(store, 'releases', name));
    expect(files.includes('published')).toBe(live.includes(name));
  }
}
