import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { killNights, runUndisturbed } from '../crash/kill.ts';
import { readContents } from '../support/pipeline/store-contents.ts';
import { type CliResult, responsesFrom, runCli } from '../support/processes/cli.ts';
import { openFileTarget, type Target } from '../support/processes/target.ts';
import type { Random } from '../support/random.ts';
import { writeInventedDays } from '../worlds/invented-days.ts';
import { compareCounts, type Kills, type Lane, type World } from './kills.ts';

const SOURCE_SEED = 2024;
/** Invented days lose more than real ones, which would hold one of them. */
const SETTINGS = { max_shrink: 0.9, usual_nights: 0 };
/** Of four kills about one comes after the swap, which ends that day. */
const DAYS_PER_KILL = 0.5;

interface NightsOptions {
  readonly kills: Kills;
  readonly wanted: number;
  readonly random: Random;
}

/** Nights of one store, each killed until it is published. The first is published undisturbed, for those who read. */
export async function openNights(
  { folder, target, reader }: World,
  { kills, wanted, random }: NightsOptions,
): Promise<Lane> {
  const [source, whole] = [join(folder, 'pending'), join(folder, 'whole')];
  const days = await writeInventedDays(source, Math.ceil(wanted * DAYS_PER_KILL) + 3, SOURCE_SEED);
  await writeInventedDays(whole, days.length, SOURCE_SEED);
  for (const place of [source, whole]) await writeFile(join(place, 'source.json'), JSON.stringify(SETTINGS));
  /** What nights answered: the day, with its number in the feed. */
  const said = new Map<unknown, unknown>();
  /** Days of which the next run need not know. */
  let published = 0;
  const note = async ({ stdout }: Pick<CliResult, 'stdout'>) => {
    const answers = responsesFrom(stdout.slice(0, stdout.lastIndexOf('\n') + 1));
    for (const response of answers)
      if (response['status'] === 'published') said.set(response['day'], response['last_seq']);
    const { releases } = await readContents(target.store, reader);
    for (; published < releases.length; published += 1)
      await rm(join(source, days[published] ?? ''), { recursive: true });
  };
  const first = await runCli(['nightly', '--source', source, '--day', days[0] ?? '', '--json'], { env: target.env });
  if (first.code !== 0) throw new Error(`the first night ended with ${first.code}: ${first.stderr}`);
  await note(first);
  const durations = await measure(join(folder, 'measured'));
  return {
    kills,
    async run() {
      while (kills.areLeft && published < days.length - 1) {
        const ended = await killNights(source, target, { random, durations });
        if (ended.isKilled) kills.count();
        else if (ended.code !== 0) throw new Error(`a night ended with ${ended.code}: ${ended.stderr}`);
        await note(ended);
      }
    },
    async finish() {
      for (const day of days.slice(published + 1)) await rm(join(source, day), { recursive: true });
      await note(await undisturbed(source, target));
      for (const day of days.slice(published)) await rm(join(whole, day), { recursive: true });
      const other = await openFileTarget(join(folder, 'undisturbed'));
      await undisturbed(whole, other);
      const [found, expected] = [await readContents(target.store, reader), await readContents(other.store, reader)];
      const seqs = new Map(found.releases.map(({ day, last_seq }) => [day, last_seq]));
      const wrong = [...said].filter(([day, seq]) => seqs.get(String(day)) !== seq);
      const verify = await runCli(['verify', '--all', '--json'], { env: target.env });
      const same = { snapshots: expected.snapshots.length, events: expected.events.length };
      return [
        compareCounts('nights that said "published"', said.size, said.size - wrong.length),
        compareCounts('nights published, of an undisturbed run', expected.releases.length, found.releases.length),
        {
          ...compareCounts('snapshot files, of an undisturbed run', same.snapshots, found.snapshots.length),
          holds: isDeepStrictEqual(found.snapshots, expected.snapshots),
        },
        {
          ...compareCounts('events with their numbers, of an undisturbed run', same.events, found.events.length),
          holds: isDeepStrictEqual(found.events, expected.events),
        },
        compareCounts(
          'snapshots that verify proves',
          found.releases.length,
          verify.code === 0 ? found.releases.length : 0,
        ),
      ];
    },
  };

  async function measure(place: string) {
    await writeInventedDays(join(place, 'source'), 1, SOURCE_SEED);
    return undisturbed(join(place, 'source'), await openFileTarget(place));
  }
}

async function undisturbed(source: string, target: Target) {
  const run = await runUndisturbed(source, target);
  if (run.code !== 0) throw new Error(`nights ended with ${run.code}: ${run.stderr}`);
  return run;
}
