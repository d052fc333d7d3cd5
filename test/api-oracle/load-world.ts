import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Day, isDay } from '../../schemas/day.ts';
import { loadDay } from '../oracle/load-day.ts';
import type { OracleDay } from '../oracle/state.ts';
import { buildWorld, type World } from './world.ts';

/** The one real day which the guard holds and an operator has accepted: upstream did delete thousands of scores. */
export const ACCEPTED_DAYS: readonly Day[] = ['2025-12-13'];

export interface LoadWorldOptions {
  /** Days whose hold is accepted. */
  readonly acceptedDays?: readonly Day[];
  /** Only these days; all dated folders where absent. */
  readonly days?: readonly Day[] | undefined;
}

/** The world of a folder of dated folders, read day by day so that only one day's raw rows are in memory. */
export function loadWorld(folder: string, options: LoadWorldOptions = {}): World {
  return buildWorld(readDays(folder, options));
}

function* readDays(folder: string, options: LoadWorldOptions): Iterable<OracleDay> {
  const { acceptedDays = ACCEPTED_DAYS, days } = options;
  for (const name of readdirSync(folder).sort()) {
    if (!isDay(name) || days?.includes(name) === false) continue;
    yield { ...loadDay(join(folder, name)), accept: acceptedDays.includes(name) };
  }
}
