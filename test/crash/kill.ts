import { watch } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answersFrom, type CliResult, envOf, type Place, type RunningCli, startCli } from '../cli.ts';
import type { Random } from './random.ts';

/** How long the parts of an undisturbed run took; kills are spread over them. */
export interface Durations {
  /** From the start of the process to the end of its first night. */
  readonly nightMs: number;
  /** From the first uploaded file to the end of that night. */
  readonly publishMs: number;
}

/** Runs all nights of a source without disturbing them, and measures the first. */
export async function runUndisturbed(source: string, place: Place): Promise<CliResult & Durations> {
  const started = performance.now();
  const cli = await startNights(source, place);
  const firstAnswer = new Promise<number>((resolve) => {
    cli.child.stdout?.once('data', () => resolve(performance.now()));
    cli.child.once('close', () => resolve(performance.now()));
  });
  const [result, uploading, answered] = await Promise.all([cli.ended, firstUpload(cli, place), firstAnswer]);
  return { ...result, nightMs: answered - started, publishMs: answered - (uploading ?? started) };
}

export interface Killed extends CliResult {
  /** False where the run came to its end before. */
  readonly isKilled: boolean;
  /** How far its last night had come. */
  readonly landed: Landed;
  /** The days of which it said that they are published. */
  readonly said: readonly string[];
}

export const LANDED = ['before the run', 'at work', 'uploading', 'before the swap', 'after the swap'] as const;
export type Landed = (typeof LANDED)[number];

/** Starts the nights of a source and kills the process at a random moment: half of them anywhere, half in publishing. */
export async function killNights(source: string, place: Place, options: KillOptions): Promise<Killed> {
  const { random, durations } = options;
  const before = await namesIn(place);
  const cli = await startNights(source, place);
  const isAimed = random() < 0.5;
  const spreadMs = isAimed ? durations.publishMs * 1.5 : durations.nightMs * 1.2;
  const waitMs = random() * spreadMs;
  if (isAimed) await firstUpload(cli, place);
  await Promise.race([delay(waitMs), cli.ended]);
  cli.child.kill('SIGKILL');
  const result = await cli.ended;
  const said = answersFrom(result.stdout.slice(0, result.stdout.lastIndexOf('\n') + 1));
  return {
    ...result,
    isKilled: result.signal === 'SIGKILL',
    landed: await landedWhere(place, before),
    said: said.filter(({ status }) => status === 'published').map(({ day }) => String(day)),
  };
}

export interface KillOptions {
  readonly random: Random;
  readonly durations: Durations;
}

async function startNights(source: string, place: Place): Promise<RunningCli> {
  await mkdir(join(place.store, 'releases'), { recursive: true });
  return startCli(['nightly', '--source', source, '--all-days', '--json'], { env: envOf(place) });
}

/** When the run put its first file into the store; undefined where it ended without. */
async function firstUpload({ ended }: RunningCli, { store }: Place): Promise<number | undefined> {
  const watcher = watch(join(store, 'releases'));
  const uploading = new Promise<number>((resolve) => watcher.once('change', () => resolve(performance.now())));
  try {
    return await Promise.race([uploading, ended.then(() => undefined)]);
  } finally {
    watcher.close();
  }
}

interface Names {
  readonly runs: readonly string[];
  readonly releases: readonly string[];
}

async function namesIn({ work, store }: Place): Promise<Names> {
  const [runs, releases] = [join(work, 'runs'), join(store, 'releases')];
  return { runs: await readdir(runs).catch(() => []), releases: await readdir(releases).catch(() => []) };
}

async function landedWhere(place: Place, before: Names): Promise<Landed> {
  const after = await namesIn(place);
  const run = after.runs
    .filter((name) => !before.runs.includes(name))
    .sort()
    .at(-1);
  if (run === undefined) return 'before the run';
  if (!after.releases.includes(run)) return 'at work';
  if (!(await readdir(join(place.store, 'releases', run))).includes('release.json')) return 'uploading';
  const catalog = await readFile(join(place.store, 'catalog.json'), 'utf8').catch(() => '');
  return catalog.includes(run.slice(run.indexOf('.') + 1)) ? 'after the swap' : 'before the swap';
}
