import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { Database } from '../../storage/duckdb/database.ts';
import { readContents, type StoreContents } from '../support/pipeline/store-contents.ts';
import { responsesFrom } from '../support/processes/cli.ts';
import type { Target } from '../support/processes/target.ts';
import { randomFromSeed } from '../support/random.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { writeInventedDays } from '../worlds/invented-days.ts';
import { type KillOptions, killNights, LANDED, type Landed, runUndisturbed } from './kill.ts';

const KILLS = 100;
/** Series of nights that are killed at the same time, each in a store of its own. */
const LANES = [0, 1];
const DAYS = 5;
const SOURCE_SEED = 2024;
/** Where the kills fall; give the one that a failure names to see it again. */
const SEED = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);

/**
 * Kills nights on the stores that `open` gives, each in a folder of its own, and proves the product's second promise
 * (specification "All or nothing") after each kill.
 */
export function describeKills(open: (folder: string) => Promise<Target>): void {
  const folder = useFolder();
  let source: string;
  let database: Database;
  /** What a series shows that nobody disturbed. */
  let expected: StoreContents;
  const landed = new Map<Landed, number>(LANDED.map((where) => [where, 0]));

  beforeAll(async () => {
    source = folder('source');
    await writeInventedDays(source, DAYS, SOURCE_SEED);
    database = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder: folder('spill') });
  });
  afterAll(() => database?.close());

  test(`each of ${KILLS} nights killed at random moments leaves yesterday or today whole, and the rerun ends with the same files and events`, async () => {
    onTestFailed(() => console.error(`to see it again: CRASH_SEED=${SEED}`));
    const undisturbed = await Promise.all(LANES.map((lane) => open(folder(`undisturbed-${lane}`))));
    const runs = await Promise.all(undisturbed.map((target) => runUndisturbed(source, target)));
    for (const run of runs) expect(run).toMatchObject({ code: 0, stderr: '' });
    for (const { store } of undisturbed) {
      expected = await readContents(store, database);
      expect(expected.releases).toHaveLength(DAYS);
    }
    const durations = {
      nightMs: Math.max(...runs.map(({ nightMs }) => nightMs)),
      publishMs: Math.max(...runs.map(({ publishMs }) => publishMs)),
    };
    await Promise.all(LANES.map((lane) => killSeries(lane, { durations, random: randomFromSeed(SEED + lane) })));
    console.info(`${KILLS} kills, seed ${SEED}: ${[...landed].map((entry) => entry.join(' ')).join(', ')}`);
    const inPublishing = (landed.get('uploading') ?? 0) + (landed.get('before the swap') ?? 0);
    expect(inPublishing).toBeGreaterThan(KILLS / 10);
  }, 900_000);

  /** Begins a new series of days whenever one is published to its end, until this lane has had its share of the kills. */
  async function killSeries(lane: number, options: KillOptions): Promise<void> {
    let kills = 0;
    for (let series = 0; kills < KILLS / LANES.length; series += 1) {
      const target = await open(folder(`lane-${lane}-${series}`));
      for (let days = 0; days < DAYS && kills < KILLS / LANES.length; ) {
        const { isKilled, landed: where, said, code } = await killNights(source, target, options);
        if (isKilled) landed.set(where, (landed.get(where) ?? 0) + 1);
        else expect(code).toBe(0);
        kills += isKilled ? 1 : 0;
        const published = (await assertWhole(target)).releases.map(({ day }) => day);
        expect(published.length).toBeGreaterThanOrEqual(days);
        expect(published).toEqual(expect.arrayContaining([...said]));
        days = published.length;
      }
      await assertRerunFinishes(target);
    }
  }

  /** What a store shows is the undisturbed series up to some day: same files, same events under the same numbers. */
  async function assertWhole({ store }: Target): Promise<StoreContents> {
    const found = await readContents(store, database);
    const lastSeq = found.releases.at(-1)?.last_seq ?? 0;
    expect(found.snapshots).toEqual(expected.snapshots.slice(0, found.snapshots.length));
    expect(found.events).toEqual(expected.events.slice(0, lastSeq));
    expect(found.events.map(([seq]) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    return found;
  }

  async function assertRerunFinishes(target: Target): Promise<void> {
    const { code, stdout, stderr } = await runUndisturbed(source, target);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(responsesFrom(stdout)).toHaveLength(DAYS);
    expect((await assertWhole(target)).releases).toHaveLength(DAYS);
    const left = await readdir(target.work, { recursive: true });
    const kept = /^(store\.json|runs(\/[^/]+(\/(report\.json|issues\.jsonl))?)?)$/;
    expect(left.filter((path) => !kept.test(path))).toEqual([]);
  }
}
