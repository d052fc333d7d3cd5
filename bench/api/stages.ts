import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Release } from '../../schemas/release.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import { measureNight, prepareNight } from '../night.ts';
import type { BenchAccess } from './access.ts';

export interface ApiBenchOptions extends BenchAccess {
  /** Where to generate, publish and serve. */
  readonly folder: string;
  /** How many rounds each figure is taken from. */
  readonly repeats: number;
  /** Seconds of a round of load. */
  readonly seconds: number;
  readonly progress: (text: string) => void;
}

/** Two published days, by the project's own nights. */
export interface ApiStage {
  /** A folder of its own. */
  readonly folder: string;
  /** A store with the first day only. */
  readonly before: string;
  /** A store with both. */
  readonly after: string;
  /** That of the second day. */
  readonly release: Release;
}

const ready = new Map<string, Promise<ApiStage>>();

/** Publishes two days, once for all benchmarks that want the same. */
export function prepareApi(
  { scores, changed }: { readonly scores: number; readonly changed: number },
  { folder, progress }: Pick<ApiBenchOptions, 'folder' | 'progress'>,
): Promise<ApiStage> {
  const name = `api-${scores}-${changed}`;
  const known = ready.get(name);
  if (known !== undefined) return known;
  progress(`api: publishing two days of ${scores} scores, ${changed * 100} % changed`);
  const stage = publishTwoDays(join(folder, name), scores, changed);
  ready.set(name, stage);
  return stage;
}

async function publishTwoDays(folder: string, scores: number, changed: number): Promise<ApiStage> {
  const stage = await prepareNight({ folder, scores, changed, memoryLimit: '1GB' });
  const { release } = await measureNight(stage);
  return { folder, before: join(folder, 'store'), after: join(folder, 'store-copy'), release };
}

/** A copy of the store with the first day only, on which a second day may be published. */
export async function copyBefore({ before, folder }: ApiStage, name: string): Promise<string> {
  const store = join(folder, name);
  await rm(store, { recursive: true, force: true });
  await cp(before, store, { recursive: true, preserveTimestamps: true });
  return store;
}

/** Puts the second day's objects into a copy, all but the catalog, as its night does before it publishes. */
export async function uploadSecondDay({ after }: ApiStage, store: string): Promise<void> {
  await cp(after, store, {
    recursive: true,
    preserveTimestamps: true,
    force: false,
    filter: (source) => source !== join(after, CATALOG_KEY),
  });
  await cp(join(after, CATALOG_KEY), join(store, '..', 'next-catalog.json'));
}

/** Publishes the second day: its catalog takes the place of the first one's in one step. */
export async function publishSecondDay(store: string): Promise<void> {
  await rename(join(store, '..', 'next-catalog.json'), join(store, CATALOG_KEY));
}
