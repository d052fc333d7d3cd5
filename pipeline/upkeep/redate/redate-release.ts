import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { manifestsOf, type Release, ReleaseSchema } from '../../../schemas/release.ts';
import { type Database, sqlName, sqlText, writeParquet } from '../../../storage/duckdb/database.ts';
import { text } from '../../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { snapshotPaths } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { describeFiles } from '../../night/compose-release.ts';
import { type DayShift, shiftDays } from './shift-days.ts';

export interface ReleaseToRedate {
  readonly entry: CatalogEntry;
  readonly release: Release;
  /** The one before, as the catalog is to name it. */
  readonly previous: CatalogEntry;
  readonly shift: DayShift;
  /** The new run. */
  readonly run: string;
}

export interface RedateReleaseDeps {
  readonly store: ObjectStore;
  readonly database: Database;
  /** An empty folder, for the release's files. */
  readonly folder: string;
}

/**
 * Puts a release's files with their right days into a folder, and describes them. Snapshot and events stay byte for byte: they are what
 * everybody has who followed.
 */
export async function redateRelease(input: ReleaseToRedate, deps: RedateReleaseDeps): Promise<Release> {
  const { entry, release, previous, shift, run } = input;
  const { store, database, folder } = deps;
  const { prev: _, ...rest } = release;
  const moved = ReleaseSchema.parse({
    ...Object(shiftDays(rest, shift)),
    run,
    prev: refFrom(previous),
    redated_from: refFrom(entry),
  });
  for (const { path } of release.files) {
    const local = join(folder, path);
    await mkdir(dirname(local), { recursive: true });
    await fetchReleaseFile(store, release, path, local);
    if (/^(?:state|history)\/.*\.parquet$/.test(path)) await shiftColumns(database, local, shift);
  }
  for (const manifest of manifestsOf(moved)) {
    await writeFile(join(folder, snapshotPaths(manifest).manifest), `${JSON.stringify(manifest)}\n`);
  }
  return { ...moved, files: [...(await describeFiles(folder))] };
}

function refFrom({ day, run, release_sha256 }: CatalogEntry) {
  return { day, run, release_sha256 };
}

/** The days that nights write; those that sources give stay. */
const DAY_COLUMNS = ['valid_from', 'valid_to', 'since', 'removed_on'];

async function shiftColumns(database: Database, path: string, { from, days }: DayShift): Promise<void> {
  const source = `read_parquet(${sqlText(path)})`;
  const found = await database.rows(
    { column_name: text },
    `SELECT column_name FROM (DESCRIBE SELECT * FROM ${source})`,
  );
  const names = found.map(({ column_name }) => column_name).filter((name) => DAY_COLUMNS.includes(name));
  if (names.length === 0) return;
  const moved = names.map((name) => {
    const column = sqlName(name);
    return `if(${column} >= DATE '${from}', (${column} - INTERVAL ${days} DAY)::DATE, ${column}) AS ${column}`;
  });
  await writeParquet(database, `SELECT * REPLACE (${moved.join(', ')}) FROM ${source}`, `${path}.moved`);
  await rename(`${path}.moved`, path);
}
