import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Day, isDay } from '../../schemas/day.ts';
import { loadDay } from '../night-oracle/load-day.ts';
import type { OracleDay } from '../night-oracle/state.ts';
import { ACCEPTED_DAYS } from '../support/real-data.ts';
import { buildWorld, type World } from './world.ts';

export interface LoadWorldOptions {
  /** Days that an operator accepts where the guard holds them; default: those of the real days that are. */
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
