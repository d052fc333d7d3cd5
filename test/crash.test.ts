import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { Database } from '../storage/duckdb.ts';
import { answersFrom, type Place } from './cli.ts';
import { writeInventedDays } from './crash/invented-days.ts';
import { type KillOptions, killNights, LANDED, type Landed, runUndisturbed } from './crash/kill.ts';
import { type Published, readPublished } from './crash/published.ts';
import { randomFromSeed } from './crash/random.ts';

const KILLS = 100;
/** Series of nights that are killed at the same time, each in a store of its own. */
const LANES = [0, 1];
const DAYS = 5;
const SOURCE_SEED = 2024;
/** Where the kills fall; give the one that a failure names to see it again. */
const SEED = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);

let folder: string;
let source: string;
let database: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-crash-'));
  source = join(folder, 'source');
  await writeInventedDays(source, DAYS, SOURCE_SEED);
  database = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder: join(folder, 'spill') });
});
afterAll(async () => {
  database?.close();
  await rm(folder, { recursive: true, force: true });
});

describe(`of ${KILLS} nights killed at random moments`, () => {
  /** What a series shows that nobody disturbed. */
  let expected: Published;
  const landed = new Map<Landed, number>(LANDED.map((where) => [where, 0]));

  test('each leaves yesterday or today whole, and the rerun ends with the same files and events', async () => {
    onTestFailed(() => console.error(`to see it again: CRASH_SEED=${SEED}`));
    const runs = await Promise.all(LANES.map((lane) => runUndisturbed(source, placeOf(`undisturbed-${lane}`))));
    for (const run of runs) expect(run).toMatchObject({ code: 0, stderr: '' });
    expected = await readPublished(placeOf('undisturbed-0').store, database);
    expect(expected.releases).toHaveLength(DAYS);
    const durations = {
      nightMs: Math.max(...runs.map(({ nightMs }) => nightMs)),
      publishMs: Math.max(...runs.map(({ publishMs }) => publishMs)),
    };
    await Promise.all(LANES.map((lane) => killSeries(lane, { durations, random: randomFromSeed(SEED + lane) })));
    console.info(`${KILLS} kills, seed ${SEED}: ${[...landed].map((entry) => entry.join(' ')).join(', ')}`);
    const inPublishing = (landed.get('uploading') ?? 0) + (landed.get('before the swap') ?? 0);
    expect(inPublishing).toBeGreaterThan(KILLS / 10);
  }, 600_000);

  /** Begins a new series of days whenever one is published to its end, until the lane has its part of the kills. */
  async function killSeries(lane: number, options: KillOptions): Promise<void> {
    let kills = 0;
    for (let series = 0; kills < KILLS / LANES.length; series += 1) {
      const place = placeOf(`lane-${lane}-${series}`);
      for (let days = 0; days < DAYS && kills < KILLS / LANES.length; ) {
        const { isKilled, landed: where, said, code } = await killNights(source, place, options);
        if (isKilled) landed.set(where, (landed.get(where) ?? 0) + 1);
        else expect(code).toBe(0);
        kills += isKilled ? 1 : 0;
        const published = (await assertWhole(place)).releases.map(({ day }) => day);
        expect(published.length).toBeGreaterThanOrEqual(days);
        expect(published).toEqual(expect.arrayContaining([...said]));
        days = published.length;
      }
      await assertRerunFinishes(place);
    }
  }

  /** What a store shows is the undisturbed series up to some day: same files, same events under the same numbers. */
  async function assertWhole({ store }: Place): Promise<Published> {
    const found = await readPublished(store, database);
    const lastSeq = found.releases.at(-1)?.last_seq ?? 0;
    expect(found.snapshots).toEqual(expected.snapshots.slice(0, found.snapshots.length));
    expect(found.events).toEqual(expected.events.slice(0, lastSeq));
    expect(found.events.map(([seq]) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    return found;
  }

  async function assertRerunFinishes(place: Place): Promise<void> {
    const { code, stdout, stderr } = await runUndisturbed(source, place);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(answersFrom(stdout)).toHaveLength(DAYS);
    expect((await assertWhole(place)).releases).toHaveLength(DAYS);
    const left = await readdir(place.work, { recursive: true });
    expect(left.filter((path) => !/^runs(\/[^/]+(\/(report\.json|issues\.jsonl))?)?$/.test(path))).toEqual([]);
  }
});

function placeOf(name: string): Place {
  return { store: join(folder, name, 'store'), work: join(folder, name, 'work') };
}
