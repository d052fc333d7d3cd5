import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type NightDeps, runNight } from '../../pipeline/night/night.ts';
import { rebuildCatalog } from '../../pipeline/upkeep/catalog-rebuild.ts';
import { endOfDay } from '../../runtime/day.ts';
import { Database } from '../../storage/duckdb/database.ts';
import { CATALOG_KEY, RELEASE_PATHS, RELEASES_PREFIX, releaseFromKey, releaseId } from '../../storage/keys.ts';
import { openStore } from '../../storage/open-store.ts';
import { readContents } from '../support/pipeline/store-contents.ts';
import { NIGHT_SETTINGS } from '../support/pipeline/temporary-store.ts';
import { upkeepDeps } from '../support/pipeline/upkeep.ts';
import { answersFrom, runCli } from '../support/processes/cli.ts';
import { describeOnMinio } from '../support/processes/minio.ts';
import { S3Server, type S3Target } from '../support/processes/s3-target.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { writeInventedDays } from '../worlds/invented-days.ts';

/** Nights at once: in this process, each with a handle of its own on the store, and by the command. */
const NIGHTS = 20;
const PROCESSES = 3;
const SOURCE_SEED = 20;
vi.setConfig({ testTimeout: 300_000 });

describeOnMinio(`of ${NIGHTS} nights and ${PROCESSES} processes that start at once on one store`, () => {
  const path = useFolder();
  let source: string;
  let days: readonly string[];
  let server: S3Server;
  let target: S3Target;
  let database: Database;

  beforeAll(async () => {
    source = path('source');
    days = await writeInventedDays(source, 2, SOURCE_SEED);
    server = await S3Server.start();
    target = server.target(path('raced'));
    database = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder: path('spill') });
  });
  afterAll(async () => {
    database?.close();
    await server?.stop();
  });

  test('exactly one publishes the first night, when there is no catalog yet', () => assertOnePublishes(0));
  test('exactly one publishes the next night, over the catalog that is there', () => assertOnePublishes(1));

  test('the losers’ releases are orphans, also for a catalog that has to be rebuilt', async () => {
    const { releases } = await readContents(target.store, database);
    const all = await releasesWith(RELEASE_PATHS.release);
    await target.store.delete(CATALOG_KEY);
    const { catalog, orphans } = await rebuildCatalog(
      { force: false },
      { ...upkeepDeps(path('work')), store: target.store },
    );
    expect(catalog.releases).toEqual(releases);
    expect([...orphans, ...releases.map(releaseId)].sort()).toEqual(all);
  });

  async function assertOnePublishes(round: number): Promise<void> {
    const day = days[round] ?? '';
    const nights = Array.from({ length: NIGHTS }, (_, index) => startNight(day, index));
    const processes = Array.from({ length: PROCESSES }, (_, index) => startProcess(day, index));
    const statuses = await Promise.all([...nights, ...processes]);
    expect(statuses.sort()).toEqual([...Array(NIGHTS + PROCESSES - 1).fill('already_published'), 'published']);

    const { releases, events } = await readContents(target.store, database);
    expect(releases.map((release) => release.day)).toEqual(days.slice(0, round + 1));
    expect(events.map(([seq]) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(await releasesWith(RELEASE_PATHS.published)).toEqual(releases.map(releaseId));
    const rivals = (await releasesWith(RELEASE_PATHS.release)).filter((name) => name.startsWith(day));
    expect(rivals.length, 'all nights of this process went to the very end').toBeGreaterThanOrEqual(NIGHTS);
  }

  async function startNight(day: string, index: number): Promise<unknown> {
    const deps: NightDeps = {
      ...NIGHT_SETTINGS,
      store: await openStore(target.url, { access: 'write', s3: server.minio.options }),
      clock: () => new Date(endOfDay(day)),
      newRunId: ulid,
      workFolder: path(`work-${index}`),
      duckdb: { memoryLimit: '100MB', threads: 1 },
    };
    return (await runNight({ day, source, dryRun: false, accept: false, acceptSuspects: [] }, deps)).status;
  }

  async function startProcess(day: string, index: number): Promise<unknown> {
    const env = { ...target.env, MODELSTATS_WORK: path(`process-${index}`) };
    const { code, stdout, stderr } = await runCli(['nightly', '--source', source, '--day', day, '--json'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return answersFrom(stdout)[0]?.['status'];
  }

  /** The releases, live or not, that have this file, in order. */
  async function releasesWith(file: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { key } of target.store.list(RELEASES_PREFIX)) {
      const found = releaseFromKey(key);
      if (found?.path === file) names.push(releaseId(found));
    }
    return names.sort();
  }
});
