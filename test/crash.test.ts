import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { Database } from '../storage/duckdb.ts';
import { answersFrom, type Place } from './cli.ts';
import { writeInventedDays } from './crash/invented-days.ts';
import { type Durations, killNights, LANDED, type Landed, runUndisturbed } from './crash/kill.ts';
import { type Published, readPublished } from './crash/published.ts';
import { randomFromSeed } from './crash/random.ts';

const KILLS = 100;
const LANES = Math.min(2, availableParallelism());
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

function placeOf(name: string): Place {
  return { store: join(folder, name, 'store'), work: join(folder, name, 'work') };
}

describe(`of ${KILLS} nights killed at random moments`, () => {
  let expected: Published;
  let durations: Durations;

  beforeAll(async () => {
    const places = Array.from({ length: LANES }, (_, lane) => placeOf(`undisturbed-${lane}`));
    const runs = await Promise.all(places.map((place) => runUndisturbed(source, place)));
    for (const run of runs) expect(run).toMatchObject({ code: 0, stderr: '' });
    durations = {
      nightMs: Math.max(...runs.map(({ nightMs }) => nightMs)),
      publishMs: Math.max(...runs.map(({ publishMs }) => publishMs)),
    };
    expected = await readPublished(placeOf('undisturbed-0').store, database);
    expect(expected.releases).toHaveLength(DAYS);
  });

  test('each leaves yesterday or today whole, and the rerun finishes with the same files and events', async () => {
    onTestFailed(() => console.error(`to see it again: CRASH_SEED=${SEED}`));
    const landed = new Map<Landed, number>(LANDED.map((where) => [where, 0]));
    const lanes = Array.from({ length: LANES }, (_, lane) => ({ lane, random: randomFromSeed(SEED + lane) }));
    await Promise.all(
      lanes.map(async ({ lane, random }) => {
        let kills = 0;
        for (let series = 0; kills < KILLS / LANES; series += 1) {
          const place = placeOf(`lane-${lane}-${series}`);
          let before = await assertWholeSeries(place);
          while (kills < KILLS / LANES && before.releases.length < DAYS) {
            const killed = await killNights(source, place, { random, durations });
            if (killed.isKilled) {
              kills += 1;
              landed.set(killed.landed, (landed.get(killed.landed) ?? 0) + 1);
            } else expect(killed).toMatchObject({ code: 0 });
            const after = await assertWholeSeries(place);
            expect(after.releases.slice(0, before.releases.length)).toEqual(before.releases);
            expect(after.releases.map(({ day }) => day)).toEqual(expect.arrayContaining([...killed.said]));
            before = after;
          }
          await assertRerunFinishes(place);
        }
      }),
    );
    console.info(`${KILLS} kills, seed ${SEED}: ${[...landed].map((entry) => entry.join(' ')).join(', ')}`);
    expect(Math.min(...LANDED.map((where) => landed.get(where) ?? 0))).toBeGreaterThan(0);
  }, 600_000);

  /** What a store shows is the undisturbed series up to some day: same files, same events under the same numbers. */
  async function assertWholeSeries({ store }: Place): Promise<Published> {
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
    expect(answersFrom(stdout).map(({ status }) => status)).not.toContain('held');
    expect((await assertWholeSeries(place)).releases).toHaveLength(DAYS);
    const left = await readdir(place.work, { recursive: true });
    expect(left.filter((path) => !/^runs(\/[^/]+(\/(report\.json|issues\.jsonl))?)?$/.test(path))).toEqual([]);
  }
});
