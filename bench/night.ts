import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Release, ReleaseSchema } from '../schemas/release.ts';
import { RELEASE_PATHS, RELEASES_PREFIX } from '../storage/keys.ts';
import type { FloorResult } from './floor.ts';
import { type Measured, measureNode, measureScript } from './measure.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** The days that the generator writes; the second follows from the first. */
export const FIRST_DAY = '2026-01-01';
export const SECOND_DAY = '2026-01-02';
/** The built command line, which is what is measured. */
export const CLI = join(ROOT, 'dist/bin/modelstats.js');

/** A generated source of two days and a store in which the first is published. */
export interface Stage {
  readonly folder: string;
  readonly scores: number;
  readonly memoryLimit: string;
}

export interface StageInput {
  readonly folder: string;
  readonly scores: number;
  /** Part of the scores that differ on the second day. */
  readonly changed: number;
  /** DuckDB's, for every program measured. */
  readonly memoryLimit: string;
}

/** Generates the two days and publishes the first. */
export async function prepareNight({ folder, scores, changed, memoryLimit }: StageInput): Promise<Stage> {
  await rm(folder, { recursive: true, force: true });
  await measureScript('bench/generate-days.ts', [join(folder, 'source'), String(scores), String(changed)], {});
  const stage = { folder, scores, memoryLimit };
  await measureNode(nightArgs(stage, FIRST_DAY), environment(stage, 'store'));
  return stage;
}

export interface NightMeasured extends Measured {
  readonly release: Release;
  /** Where the release lies until the next night is measured. */
  readonly releaseFolder: string;
}

/** One night of the second day, on a fresh copy of the store: the built command line from its start to its end. */
export async function measureNight(stage: Stage): Promise<NightMeasured> {
  const store = join(stage.folder, 'store-copy');
  await rm(store, { recursive: true, force: true });
  await cp(join(stage.folder, 'store'), store, { recursive: true, preserveTimestamps: true });
  const measured = await measureNode(nightArgs(stage, SECOND_DAY), environment(stage, 'store-copy'));
  const releases = join(store, RELEASES_PREFIX);
  const name = (await readdir(releases)).find((entry) => entry.startsWith(SECOND_DAY));
  if (name === undefined) throw new Error(`the night published nothing: ${measured.stdout}`);
  const releaseFolder = join(releases, name);
  const release = ReleaseSchema.parse(JSON.parse(await readFile(join(releaseFolder, RELEASE_PATHS.release), 'utf8')));
  return { ...measured, release, releaseFolder };
}

export type FloorMeasured = FloorResult & Measured;

/** The floor of that night; rejects where it wrote other lines. */
export async function measureFloor(stage: Stage, night: NightMeasured): Promise<FloorMeasured> {
  const to = join(stage.folder, 'floor');
  await rm(to, { recursive: true, force: true });
  const measured = await measureScript('bench/floor.ts', [night.releaseFolder, to], environment(stage, 'none'));
  const result = JSON.parse(measured.stdout) as FloorResult; // Printed by floor.ts, a few lines from here.
  for (const { name, content_sha256 } of night.release.manifest.datasets) {
    if (result.contentSha256[name] !== content_sha256) throw new Error(`the floor wrote other ${name} than the night`);
  }
  return { ...measured, ...result };
}

function nightArgs({ folder }: Stage, day: string): readonly string[] {
  return [CLI, 'nightly', '--source', join(folder, 'source'), '--day', day, '--json'];
}

function environment({ folder, memoryLimit }: Stage, store: string) {
  return {
    MODELSTATS_STORE: `file:${join(folder, store)}`,
    MODELSTATS_WORK: join(folder, 'work'),
    MODELSTATS_MEMORY_LIMIT: memoryLimit,
  };
}
