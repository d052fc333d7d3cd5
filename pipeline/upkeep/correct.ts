import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { addDays, type Day, dayFromDate } from '../../runtime/day.ts';
import { AppError, isAppError, messageFromError } from '../../runtime/errors.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import {
  DATASET_NAMES,
  DATASETS,
  type DatasetName,
  mapDatasetsSerially,
  publishedColumns,
} from '../../schemas/datasets.ts';
import { getVersion, RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import type { Release } from '../../schemas/release.ts';
import { getEntry, loadCatalogToContinue, loadRelease, newestEntry } from '../../storage/catalog.ts';
import { type DuckDBLimits, recordsSql, writeLines } from '../../storage/duckdb/database.ts';
import { columnList, entityIdSql, objectSql, sameKeySql } from '../../storage/duckdb/record-sql.ts';
import { number, text } from '../../storage/duckdb/row-shape.ts';
import { fetchLines, fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { nightCommand } from '../night/night-result.ts';
import { type ChangedRecord, type DatasetChanges, EXAMPLES_MAX } from '../night/preview.ts';
import { linesSql } from '../proof/replay.ts';
import { type WorkDeps, withScratch } from '../run/run.ts';

export interface Correction {
  readonly day: Day;
  readonly before: Day;
  readonly datasets: Readonly<Record<DatasetName, DatasetChanges>>;
  /** Null where no folder was requested. */
  readonly into: string | null;
  /** First day whose night can publish those records. */
  readonly next_day: Day;
  /** Previews that night; null without a folder. */
  readonly next_command: string | null;
  readonly warnings: readonly string[];
}

export interface CorrectDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  readonly clock: () => Date;
}

/**
 * What a published day changed and, with `into`, the previous records as a source for the next night (specification
 * "Bad days that were published"). Read-only. Rejects with `not_found` where the day doesn't exist, with `usage` where
 * it is the first one or was pruned.
 */
export async function correct(
  request: { readonly day: Day; readonly into: string | undefined },
  { store, duckdb, clock }: CorrectDeps,
): Promise<Correction> {
  const { catalog } = await loadCatalogToContinue(store);
  const entry = getEntry(catalog, request.day);
  const release = await loadRelease(store, entry);
  if (release.prev === null) throw new AppError('usage', `${entry.day} is the first day: there are no earlier records`);
  const previous = getEntry(catalog, release.prev.day);
  for (const { day, parts } of [previous, entry])
    if (!parts.includes('snapshot')) throw new AppError('usage', `the snapshot ${day} was removed by prune`);
  const before = await loadRelease(store, previous);
  const { into } = request;
  const next_day = dayAfter(newestEntry(catalog)?.day ?? entry.day, clock());
  const { datasets, warnings } = await withScratch(duckdb, async ({ database, folder: scratch }) => {
    const deps = { store, database, scratch };
    const found = await mapDatasetsSerially((name) => compareSnapshots(name, { ...deps, before, after: release }));
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

function dayAfter(newest: Day, now: Date): Day {
  const [next, today] = [addDays(newest, 1), dayFromDate(now)];
  return next > today ? next : today;
}

const RecordSchema = z.record(z.string(), z.json());

interface SnapshotPair extends WorkDeps {
  readonly before: Release;
  readonly after: Release;
}

/** Rejects with `not_found` or `corrupt` where a file is missing or damaged. */
async function compareSnapshots(name: DatasetName, pair: SnapshotPair): Promise<DatasetChanges> {
  const { database } = pair;
  const dataset = DATASETS[name];
  const [before, after] = [await unpack('before', name, pair), await unpack('after', name, pair)];
  const [part] = dataset.key;
  const key = dataset.key.map((column) => `coalesce(a.${column}, b.${column}) AS ${column}`).join(', ');
  await database.run(
    `CREATE OR REPLACE TEMP TABLE compared AS
     SELECT ${key}, b.${part} IS NOT NULL AS was, a.${part} IS NOT NULL AS "is", b.line AS before, a.line AS after
     FROM (${linesSql(dataset, before)}) b FULL JOIN (${linesSql(dataset, after)}) a ON ${sameKeySql(dataset, 'b', 'a')}`,
  );
  const counts = await database.row(
    { before: number, after: number, new: number, changed: number, gone: number },
    `SELECT count(*) FILTER (was)::DOUBLE AS before, count(*) FILTER ("is")::DOUBLE AS after,
            count(*) FILTER (${KINDS.new})::DOUBLE AS new, count(*) FILTER (${KINDS.changed})::DOUBLE AS changed,
            count(*) FILTER (${KINDS.gone})::DOUBLE AS gone FROM compared`,
  );
  const first = (kind: keyof typeof KINDS) =>
    database.rows(
      { id: text, before: text, after: text },
      `SELECT ${entityIdSql(dataset)} AS id, coalesce(before, '{}') AS before, coalesce(after, '{}') AS after FROM compared
       WHERE ${KINDS[kind]} ORDER BY ${columnList(dataset.key)} LIMIT ${EXAMPLES_MAX}`,
    );
  const idsOf = async (kind: keyof typeof KINDS) => (await first(kind)).map(({ id }) => id);
  const changed = (await first('changed')).map(({ id, ...lines }) => ({ id, fields: changedFields(lines) }));
  return { ...counts, examples: { new: await idsOf('new'), changed, gone: await idsOf('gone') } };
}

const KINDS = { new: 'NOT was', changed: 'was AND "is" AND before <> after', gone: 'NOT "is"' };

async function unpack(
  side: 'before' | 'after',
  name: DatasetName,
  { store, scratch, ...releases }: SnapshotPair,
): Promise<string> {
  const lines = join(scratch, `${name}.${side}`);
  await fetchLines(store, releases[side], name, lines);
  return lines;
}

/** `updated_at` counts only where nothing else differs; fields that a version lacks are null. */
function changedFields(lines: { readonly before: string; readonly after: string }): ChangedRecord['fields'] {
  const [before, after] = [RecordSchema.parse(JSON.parse(lines.before)), RecordSchema.parse(JSON.parse(lines.after))];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter(({ before: was, after: is }) => JSON.stringify(was) !== JSON.stringify(is));
  const others = fields.filter(({ field }) => field !== 'updated_at');
  return others.length === 0 ? fields : others;
}

interface SourceToWrite extends WorkDeps {
  readonly entry: CatalogEntry;
  readonly release: Release;
}

/**
 * Writes verified records as a source, `<dataset>.jsonl`; resolves to warnings about missing data. Without a state,
 * uses the snapshot, which lacks unpublished columns. A failure leaves no files, because some would look like a
 * complete source; rejects with `usage` where the folder can't be written.
 */
async function writeSource(source: SourceToWrite, into: string): Promise<readonly string[]> {
  const { store, entry, release } = source;
  const hasState = entry.parts.includes('state');
  const pathOf = (name: DatasetName) => join(into, `${name}.jsonl${hasState ? '' : '.gz'}`);
  try {
    await mkdir(into, { recursive: true });
    for (const name of DATASET_NAMES) {
      if (hasState) await writeState(name, source, pathOf(name));
      else await fetchReleaseFile(store, release, RELEASE_PATHS.snapshot(name), pathOf(name));
    }
  } catch (cause) {
    for (const name of DATASET_NAMES) await rm(pathOf(name), { force: true }).catch(() => {});
    if (isAppError(cause)) throw cause;
    throw new AppError('usage', `${into} can't be written: ${messageFromError(cause)}`, { cause });
  }
  const hasNames = release.files.some(({ path }) => path === RELEASE_PATHS.aliases);
  const lacksSamples = !hasState && !publishesSamples(release);
  return [...(hasNames ? [NAMES_ARE_MISSING] : []), ...(lacksSamples ? [SAMPLES_ARE_MISSING] : [])];
}

function publishesSamples({ schema_version }: Release): boolean {
  const { scores } = getVersion(RECORD_VERSIONS, schema_version).datasets;
  return publishedColumns(scores).some(({ name }) => name === 'n');
}

const NAMES_ARE_MISSING =
  'the table of model names is not included: copy the source.json and the table of aliases of your source beside the files';
const SAMPLES_ARE_MISSING =
  'the state of that day was removed by prune: sample sizes of scores are missing, so scores that have one will count as changed';

async function writeState(name: DatasetName, source: SourceToWrite, to: string): Promise<void> {
  const { store, release, database, scratch } = source;
  const state = join(scratch, `${name}.state.parquet`);
  await fetchReleaseFile(store, release, RELEASE_PATHS.state(name), state);
  const records = await recordsSql(database, DATASETS[name], state);
  await writeLines(database, `SELECT ${objectSql(DATASETS[name].columns)} FROM (${records})`, to);
}
