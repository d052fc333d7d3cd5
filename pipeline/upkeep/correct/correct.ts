import { tmpdir } from 'node:os';
import { addDays, type Day, dayFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { type DatasetName, mapDatasetsInTurn } from '../../../schemas/datasets.ts';
import { getEntry, loadRelease, newestEntry } from '../../../storage/catalog.ts';
import { loadCatalogToContinue } from '../../../storage/continue-catalog.ts';
import type { DuckDBLimits } from '../../../storage/duckdb/database.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { nightCommand } from '../../night/next-command.ts';
import type { DatasetChanges } from '../../night/preview.ts';
import { withScratch } from '../../run/scratch.ts';
import { compareSnapshots } from './snapshot-changes.ts';
import { writeSource } from './write-source.ts';

export interface Correction {
  /** The day that is looked at. */
  readonly day: Day;
  /** The snapshot before it. */
  readonly before: Day;
  /** What the day changed. */
  readonly datasets: Readonly<Record<DatasetName, DatasetChanges>>;
  /** The folder with the records before the day; null where none was asked for. */
  readonly into: string | null;
  /** The first day whose night can publish them again. */
  readonly next_day: Day;
  /** Shows what that night would change; null without a folder. */
  readonly next_command: string | null;
  readonly warnings: readonly string[];
}

export interface CorrectDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  readonly clock: () => Date;
}

/**
 * What a published day changed, and with `into` the records before it as a source from which the next night can publish them again
 * (specification "Bad days that were published"). It only reads the store. Rejects with `not_found` where there is no such day, with
 * `usage` where there is none before it, or its files are no longer kept.
 */
export async function correct(
  request: { readonly day: Day; readonly into: string | undefined },
  { store, duckdb, clock }: CorrectDeps,
): Promise<Correction> {
  const { catalog } = await loadCatalogToContinue(store);
  const entry = getEntry(catalog, request.day);
  const release = await loadRelease(store, entry);
  if (release.prev === null) throw new AppError('usage', `${entry.day} is the first day: nothing was there before it`);
  const previous = getEntry(catalog, release.prev.day);
  for (const { day, parts } of [previous, entry])
    if (!parts.includes('snapshot')) throw new AppError('usage', `the snapshot ${day} is no longer kept: see prune`);
  const before = await loadRelease(store, previous);
  const { into } = request;
  const next_day = dayAfter(newestEntry(catalog)?.day ?? entry.day, clock());
  const scratchOptions = { workFolder: tmpdir(), prefix: 'modelstats-', duckdb };
  const { datasets, warnings } = await withScratch(scratchOptions, async ({ database, folder: scratch }) => {
    const deps = { store, database, scratch };
    const found = await mapDatasetsInTurn((name) => compareSnapshots(name, { ...deps, before, after: release }));
    if (into === undefined) return { datasets: found, warnings: [] };
    return { datasets: found, warnings: await writeSource({ ...deps, entry: previous, release: before }, into) };
  });
  return {
    day: entry.day,
    before: before.day,
    datasets,
    into: into ?? null,
    next_day,
    next_command:
      into === undefined
        ? null
        : `${nightCommand({ source: into, day: next_day, accept: false, acceptSuspects: [] })} --dry-run`,
    warnings,
  };
}

/** A day that has passed has no night any more. */
function dayAfter(newest: Day, now: Date): Day {
  const [next, today] = [addDays(newest, 1), dayFromDate(now)];
  return next > today ? next : today;
}
