import { constants, copyFile } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import { dayFromNumber } from '../../../runtime/day.ts';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion, RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import { Database, type DuckDBSettings } from '../../../storage/duckdb/database.ts';
import { fileSum } from '../file-sum.ts';
import type { HistoryKind, HistorySource } from '../history-kinds.ts';
import { INDEXES, SCHEMA } from '../schema.ts';
import { firstRetainedSeq, type ViewFacts, type ViewMeta } from '../view-meta.ts';
import { assertComplete } from './assert-complete.ts';
import { countRankings } from './counts.ts';
import { writeCurrent } from './current.ts';
import { writeEndedModels } from './ended-models.ts';
import { writeEvents } from './events.ts';
import { cutoversOf } from './history-rows.ts';
import { captureIds, numberIds } from './ids.ts';
import { writeIntervals } from './intervals.ts';
import { writeBestRanks, writeNames } from './names.ts';
import { writeNews } from './news.ts';
import { followScoreValues, recordScoreChanges, writeScoreValues } from './score-values.ts';
import type { ViewParts } from './view-parts.ts';
import { openForWriting, type Writer } from './writer.ts';

/** A finished view on disk. */
export interface ViewFile {
  readonly path: string;
  readonly meta: ViewMeta;
  /** {@link fileSum}. */
  readonly sum: number;
}

export interface WriteInput {
  readonly path: string;
  /** The view to continue; undefined: everything is written. */
  readonly base: ViewFile | undefined;
  readonly parts: ViewParts;
  /** Whether another view serves requests meanwhile; they have priority. */
  readonly isServing: boolean;
  readonly meta: Omit<ViewMeta, keyof ViewFacts>;
  /** Default: those that this program knows. */
  readonly versions: readonly RecordVersion[] | undefined;
  /** Default: those that this program serves. */
  readonly histories: Readonly<Record<HistoryKind, HistorySource>> | undefined;
  readonly duckdb: DuckDBSettings;
}

/**
 * Writes a view, or a copy of another one that follows the releases since. Rejects with `corrupt` if its records aren't those of the
 * newest release, byte for byte; the file is useless then.
 */
export async function writeView(input: WriteInput): Promise<ViewFile> {
  const { path, base } = input;
  if (base !== undefined) await copyUndamaged(base, path);
  const duckdb = await Database.open(':memory:', input.duckdb);
  const view = openForWriting(path);
  try {
    view.exec('BEGIN');
    if (base === undefined) view.exec(SCHEMA);
    await fill({ duckdb, view }, input);
    if (base === undefined) createIndexes(view);
    const meta = { ...input.meta, ...factsOf(view) };
    view.exec('DELETE FROM meta');
    view.prepare('INSERT INTO meta VALUES (?)').run(JSON.stringify(meta));
    view.exec('COMMIT');
    assertComplete(view, input.parts.newest, input.meta.catalog);
    view.close();
    return { path, meta, sum: await fileSum(path) };
  } catch (error) {
    throw isConstraint(error)
      ? new AppError('corrupt', `a row of the release is there twice or lacks a value: ${messageFromError(error)}`, {
          cause: error,
        })
      : error;
  } finally {
    view.close();
    duckdb.close();
  }
}

/** With a small cache: SQLite sorts as many entries at once as fit into it, fastest if these fit into the processor's. */
function createIndexes(view: Writer['view']): void {
  view.pragma('cache_size = -8192');
  view.exec(INDEXES);
}

/** A row that is there twice, or lacks a value. */
function isConstraint(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT');
}

/** Damage would be copied, and its sum then counted as sound. */
async function copyUndamaged({ path, sum }: ViewFile, to: string): Promise<void> {
  await copyFile(path, to, constants.COPYFILE_FICLONE);
  if ((await fileSum(to)) !== sum) throw new AppError('corrupt', `${path} is not what was written`);
}

async function fill(writer: Writer, input: WriteInput): Promise<void> {
  const { base, parts, meta, versions = RECORD_VERSIONS, histories } = input;
  const { catalog } = meta;
  const previous = base?.meta.catalog;
  const previousDay = previous?.releases.at(-1)?.day;
  const firstSeq = firstRetainedSeq(catalog);
  await writeEvents(writer, { changes: parts.changes, firstSeq });
  await captureIds(writer, parts, previousDay);
  await numberIds(writer);
  await writeIntervals(writer, {
    parts,
    cutovers: cutoversOf(catalog, versions),
    since: previousDay,
    histories,
  });
  const version = getVersion(versions, parts.newest.schema_version);
  await writeEndedModels(writer, { parts, catalog, version });
  countRankings(
    writer,
    catalog.releases
      .filter(({ day, captured }) => captured.includes('rankings') && (previousDay === undefined || day > previousDay))
      .map(({ day }) => day),
  );
  await writeNews(writer, { catalog, releases: parts.releases, changes: parts.changes, firstSeq, previousDay });
  if (base !== undefined) recordScoreChanges(writer);
  await writeCurrent(writer, {
    state: parts.state,
    changes: base === undefined ? undefined : parts.changes,
    version,
  });
  if (base === undefined) await writeScoreValues(writer, parts.state.scores);
  else followScoreValues(writer);
  if (namesOf(base?.meta) !== namesOf(meta)) await writeNames(writer, parts);
  writeBestRanks(writer);
}

/** Changes with what `writeNames` writes. */
function namesOf(meta: Pick<ViewMeta, 'contents' | 'aliases'> | undefined): string | undefined {
  return meta && JSON.stringify([meta.contents.models, meta.aliases].map((changes) => changes.at(-1)?.value));
}

function factsOf(view: Writer['view']): ViewFacts {
  const first = view.prepare<[string], number | null>('SELECT min(valid_from) FROM intervals WHERE kind = ?').pluck();
  const day = (kind: HistoryKind) => {
    const number = first.get(kind) ?? null;
    return number === null ? null : dayFromNumber(number);
  };
  return {
    availableFrom: { score: day('score'), ranking: day('ranking'), pricing: day('pricing'), metadata: day('metadata') },
    addedDays: view
      .prepare<[], number>('SELECT DISTINCT added_on FROM models WHERE added_on IS NOT NULL ORDER BY added_on')
      .pluck()
      .all()
      .map(dayFromNumber),
  };
}
