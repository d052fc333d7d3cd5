import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answersFrom, type CliResult, envOf, type Place, type RunningCli, startCli } from '../cli.ts';
import { begun } from './begun.ts';
import type { Random } from './random.ts';

/** How long the parts of an undisturbed run took, from the start of the process to the end of its first night. */
export interface Durations {
  readonly nightMs: number;
  /** From the first uploaded file to the answer. */
  readonly publishMs: number;
}

/** Runs all nights of a source without disturbing them, and measures the first. */
export async function runUndisturbed(source: string, place: Place): Promise<CliResult & Durations> {
  const started = performance.now();
  const cli = await startNights(source, place);
  const answer = new Promise<number>((resolve) => {
    cli.child.stdout?.once('data', () => resolve(performance.now()));
    cli.child.once('close', () => resolve(performance.now()));
  });
  const upload = begun(cli, join(place.store, 'releases')).then(() => performance.now());
  const [result, uploadedAt, answeredAt] = await Promise.all([cli.ended, upload, answer]);
  return { ...result, nightMs: answeredAt - started, publishMs: Math.max(0, answeredAt - uploadedAt) };
}

/** How far the last night of a killed process had come. */
export const LANDED = ['before the run', 'at work', 'uploading', 'before the swap', 'after the swap'] as const;
export type Landed = (typeof LANDED)[number];

export interface Killed extends CliResult {
  /** False where the run came to its end before. */
  readonly isKilled: boolean;
  readonly landed: Landed;
  /** The days of which it said that they are published. */
  readonly said: readonly unknown[];
}

export interface KillOptions {
  readonly random: Random;
  readonly durations: Durations;
}

/** Starts the nights of a source and kills the process at a random moment: anywhere, or in publishing, which is short. */
export async function killNights(source: string, place: Place, options: KillOptions): Promise<Killed> {
  const before = await runsIn(place);
  const cli = await startNights(source, place);
  await Promise.race([waitForMoment(cli, place, options), cli.ended]);
  cli.child.kill('SIGKILL');
  const result = await cli.ended;
  // The last line may be cut off.
  const answers = answersFrom(result.stdout.slice(0, result.stdout.lastIndexOf('\n') + 1));
  return {
    ...result,
    isKilled: result.signal === 'SIGKILL',
    landed: await landedWhere(place, before),
    said: answers.filter(({ status }) => status === 'published').map(({ day }) => day),
  };
}

/** Four of ten moments lie anywhere in a night, three after its first upload, three after its release.json. */
async function waitForMoment(cli: RunningCli, place: Place, { random, durations }: KillOptions): Promise<void> {
  const [aim, part] = [random(), random()];
  if (aim < 0.4) {
    await delay(part * durations.nightMs * 1.2);
  } else if (aim < 0.7) {
    await begun(cli, join(place.store, 'releases'));
    await delay(part * durations.publishMs);
  } else {
    await begun(cli, join(place.store, 'releases'), 'release.json');
    await delay(part * durations.publishMs * 0.3);
  }
}

async function startNights(source: string, place: Place): Promise<RunningCli> {
  await mkdir(join(place.store, 'releases'), { recursive: true }); // so that it can be watched
  return startCli(['nightly', '--source', source, '--all-days', '--json'], { env: envOf(place) });
}

async function landedWhere(place: Place, before: readonly string[]): Promise<Landed> {
  const run = (await runsIn(place)).filter((name) => !before.includes(name)).at(-1);
  if (run === undefined) return 'before the run';
  const files = await namesIn(join(place.store, 'releases', run));
  if (files.length === 0) return 'at work';
  if (!files.includes('release.json')) return 'uploading';
  const catalog = await readFile(join(place.store, 'catalog.json'), 'utf8').catch(() => '');
  return catalog.includes(run.slice(run.indexOf('.') + 1)) ? 'after the swap' : 'before the swap';
}

/** All runs that were ever begun, oldest day first. */
async function runsIn({ work }: Place): Promise<readonly string[]> {
  return (await namesIn(join(work, 'runs'))).sort();
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
