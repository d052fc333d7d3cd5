import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadCatalog } from '../../storage/catalog.ts';
import { RELEASE_PATHS, RELEASES_PREFIX, releaseId } from '../../storage/keys.ts';
import { type CliResult, type RunningCli, responsesFrom, startCli } from '../support/processes/cli.ts';
import type { Target } from '../support/processes/target.ts';
import type { Random } from '../support/random.ts';

/** How long the parts of an undisturbed run took, from the start of the process to the end of its first night. */
export interface Durations {
  readonly nightMs: number;
  /** From the first uploaded file to the answer. */
  readonly publishMs: number;
}

/** Runs all nights of a source without disturbing them, and measures the first. */
export async function runUndisturbed(source: string, target: Target): Promise<CliResult & Durations> {
  const started = performance.now();
  const cli = startNights(source, target);
  const response = new Promise<number>((resolve) => {
    cli.child.stdout?.once('data', () => resolve(performance.now()));
    cli.child.once('close', () => resolve(performance.now()));
  });
  const upload = target.writesRelease(cli).then(() => performance.now());
  const [result, uploadedAt, answeredAt] = await Promise.all([cli.ended, upload, response]);
  return { ...result, nightMs: answeredAt - started, publishMs: Math.max(0, answeredAt - uploadedAt) };
}

/** How far the last night of a killed process had come. */
export const LANDED = ['before the run', 'at work', 'uploading', 'before the swap', 'after the swap'] as const;
export type Landed = (typeof LANDED)[number];

export interface KillOptions {
  readonly random: Random;
  readonly durations: Durations;
}

/** Starts the nights of a source and kills the process at a random moment: anywhere, or in publishing, which is short. */
export async function killNights(source: string, target: Target, options: KillOptions) {
  const before = await runsIn(target.work);
  const cli = startNights(source, target);
  await Promise.race([waitForMoment(cli, target, options), cli.ended]);
  cli.child.kill('SIGKILL');
  const result = await cli.ended;
  // The last line may be cut off.
  const answers = responsesFrom(result.stdout.slice(0, result.stdout.lastIndexOf('\n') + 1));
  return {
    ...result,
    /** False where the run came to its end before. */
    isKilled: result.signal === 'SIGKILL',
    landed: await landedWhere(target, before),
    /** The days of which it said that they are published. */
    said: answers.filter(({ status }) => status === 'published').map(({ day }) => day),
  };
}

/** Four of ten moments lie anywhere in a night, three after its first upload, three after its release.json. */
async function waitForMoment(cli: RunningCli, target: Target, { random, durations }: KillOptions): Promise<void> {
  const [aim, part] = [random(), random()];
  if (aim < 0.4) {
    await delay(part * durations.nightMs * 1.2);
  } else if (aim < 0.7) {
    await target.writesRelease(cli);
    await delay(part * durations.publishMs);
  } else {
    await target.writesRelease(cli, RELEASE_PATHS.release);
    await delay(part * durations.publishMs * 0.3);
  }
}

function startNights(source: string, { env }: Target): RunningCli {
  return startCli(['nightly', '--source', source, '--all-days', '--json'], { env });
}

async function landedWhere({ store, work }: Target, before: readonly string[]): Promise<Landed> {
  const run = (await runsIn(work)).filter((name) => !before.includes(name)).at(-1);
  if (run === undefined) return 'before the run';
  const files: string[] = [];
  for await (const { key } of store.list(`${RELEASES_PREFIX}${run}/`)) files.push(key);
  if (files.length === 0) return 'at work';
  if (!files.some((key) => key.endsWith(`/${RELEASE_PATHS.release}`))) return 'uploading';
  const { catalog } = await loadCatalog(store);
  return catalog?.releases.some((entry) => releaseId(entry) === run) ? 'after the swap' : 'before the swap';
}

/** All runs that were ever begun, oldest day first. */
async function runsIn(work: string): Promise<readonly string[]> {
  return (await readdir(join(work, 'runs')).catch(() => [])).sort();
}
