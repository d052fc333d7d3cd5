import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion, RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import type { Release } from '../../../schemas/release.ts';
import { Database, type DuckDBLimits, sqlText } from '../../../storage/duckdb/database.ts';
import { nullable, number, oneOf, type RowOf, text } from '../../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { longestLine, unpackLines } from '../../../storage/gzip-lines.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { EventRow } from '../topics/topic.ts';
import {
  CHANGE_TOPIC_DEFINITIONS,
  CHANGE_TOPICS,
  type ChangeEvent,
  type ChangeTopic,
  type ChangeTopicDefinition,
} from '../topics/topics.ts';
import { comparisonOf, isInFeed, type RecordsTable, recordsSql, type VersionsAround } from './comparison.ts';

/** Changes, and so at most events, in memory at once. */
const PAGE_CHANGES = 5_000;

export interface ReleaseChangesInput {
  readonly release: Release;
  /** The release before it. */
  readonly previous: Release;
  /** Topics with a subscriber. */
  readonly topics: ReadonlySet<ChangeTopic>;
  /** Named by filters: only these are listed for a ranking's changes. */
  readonly watchedModels: ReadonlySet<string>;
  /** For files; the caller removes it. */
  readonly folder: string;
}

export interface ReleaseChangesDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  /** For tests. */
  readonly versions?: readonly RecordVersion[] | undefined;
}

/** One file per topic. */
interface EventFiles {
  /** Each event has its own `seq` within its topic. */
  readonly inFeed: readonly string[];
  readonly outsideFeed: readonly string[];
}

/**
 * A release's changes as events of the requested topics (specification "From changes to events"): `changes.parquet`
 * compared with the datasets needed from the snapshot before, checked by their hashes. Without a change feed both
 * snapshots are compared. Events are in sorted files; memory is bounded.
 */
export class ReleaseChanges {
  readonly #database: Database;
  readonly #files: EventFiles;
  readonly #lastSeq: number;

  private constructor(database: Database, files: EventFiles, lastSeq: number) {
    this.#database = database;
    this.#files = files;
    this.#lastSeq = lastSeq;
  }

  /**
   * Rejects with `not_found` for a pruned file, `corrupt` for a damaged one, `store_unavailable`, and `usage` for an
   * unknown record version.
   */
  static async open(input: ReleaseChangesInput, deps: ReleaseChangesDeps): Promise<ReleaseChanges> {
    await mkdir(input.folder, { recursive: true, mode: 0o700 });
    const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: join(input.folder, 'spill') });
    try {
      return new ReleaseChanges(database, await writeEvents(database, input, deps), input.release.last_seq);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** In pages, by `seq`. */
  async *pagesAfter(seq: number): AsyncGenerator<readonly ChangeEvent[]> {
    const { inFeed } = this.#files;
    if (inFeed.length === 0) return;
    const select = `SELECT ${EVENT_COLUMNS} FROM read_parquet([${inFeed.map(sqlText).join(', ')}])
      WHERE seq > $1::BIGINT AND seq <= $2::BIGINT ORDER BY seq`;
    for (let last = seq; last < this.#lastSeq; last += PAGE_CHANGES) {
      const rows = await this.#database.rows(EVENT_ROW, select, [last, last + PAGE_CHANGES]);
      if (rows.length > 0) yield eventsFromRows(rows);
    }
  }

  /** By topic, in pages: always all, in the same order. */
  async *pagesOutsideFeed(): AsyncGenerator<readonly ChangeEvent[]> {
    for (const file of this.#files.outsideFeed) {
      const select = `SELECT ${EVENT_COLUMNS} FROM read_parquet(${sqlText(file)}, file_row_number = true)
        WHERE file_row_number >= $1::BIGINT AND file_row_number < $2::BIGINT ORDER BY file_row_number`;
      for (let from = 0; ; from += PAGE_CHANGES) {
        const rows = await this.#database.rows(EVENT_ROW, select, [from, from + PAGE_CHANGES]);
        if (rows.length === 0) break;
        yield eventsFromRows(rows);
      }
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** One file per topic, one row per event, by `seq`. */
async function writeEvents(
  database: Database,
  input: ReleaseChangesInput,
  deps: ReleaseChangesDeps,
): Promise<EventFiles> {
  const { release, previous, topics: requested } = input;
  const versions = versionsAround(release, previous, deps.versions ?? RECORD_VERSIONS);
  const topics = CHANGE_TOPIC_DEFINITIONS.filter(({ name }) => requested.has(name));
  const writing = { database, input, versions, store: deps.store };
  await database.run(`CREATE TABLE watched AS SELECT unnest(from_json($1, '["VARCHAR"]')) AS id`, [
    JSON.stringify([...input.watchedModels]),
  ]);
  const fed = await changedTopics(topics.filter(isInFeed), writing);
  const others = topics.filter((topic) => !isInFeed(topic));
  return { inFeed: await writeFiles(fed, writing), outsideFeed: await writeFiles(others, writing) };
}

interface Writing {
  readonly database: Database;
  readonly input: ReleaseChangesInput;
  readonly versions: VersionsAround;
  readonly store: ObjectStore;
}

/** Resolves to their paths. */
async function writeFiles(topics: readonly ChangeTopicDefinition[], writing: Writing): Promise<readonly string[]> {
  const { database, input, versions } = writing;
  const files: string[] = [];
  for (const topic of topics) {
    if (!isInFeed(topic)) await loadRecords('after_records', topic, writing);
    if (!isInFeed(topic) || topic.compared !== undefined) await loadRecords('before_records', topic, writing);
    const file = join(input.folder, `${topic.name}.parquet`);
    const select = topic.select(comparisonOf(topic, versions, input.release.last_seq));
    await database.run(`COPY (SELECT *, '${topic.name}' AS topic FROM (${select}) ORDER BY seq, model_id, part)
      TO ${sqlText(file)} (FORMAT parquet, ROW_GROUP_SIZE ${PAGE_CHANGES})`);
    for (const table of ['before_records', 'after_records']) await database.run(`DROP TABLE IF EXISTS ${table}`);
    files.push(file);
  }
  return files;
}

function versionsAround(release: Release, previous: Release, versions: readonly RecordVersion[]): VersionsAround {
  return {
    before: getVersion(versions, previous.schema_version),
    after: getVersion(versions, release.schema_version),
  };
}

/** Makes the view `changes`; resolves to the topics whose dataset has any. */
async function changedTopics(
  topics: readonly ChangeTopicDefinition[],
  { database, input: { release, folder }, versions: { after }, store }: Writing,
): Promise<readonly ChangeTopicDefinition[]> {
  if (topics.length === 0 || release.first_seq === null) return [];
  const changes = join(folder, 'changes.parquet');
  await fetchReleaseFile(store, release, RELEASE_PATHS.changes, changes);
  // Records sent again for a new version did not change.
  const firstRenewal = release.first_renewal_seq ?? release.last_seq + 1;
  await database.run(
    `CREATE VIEW changes AS SELECT * FROM read_parquet(${sqlText(changes)}) WHERE seq < ${firstRenewal}`,
  );
  const rows = await database.rows({ entity_type: text }, 'SELECT DISTINCT entity_type FROM changes');
  const changed: readonly (string | null)[] = rows.map((row) => row.entity_type);
  return topics.filter(({ dataset }) => changed.includes(after.datasets[dataset].entityType));
}

/** From a snapshot, because its files outlive every state. */
async function loadRecords(
  table: RecordsTable,
  topic: ChangeTopicDefinition,
  { database, input, versions, store }: Writing,
): Promise<void> {
  const release = table === 'before_records' ? input.previous : input.release;
  const { dataset: name } = topic;
  if (release.records[name] === 0) {
    await database.run(recordsSql(table, topic, { lines: undefined, versions }));
    return;
  }
  const packed = join(input.folder, `${name}.jsonl.gz`);
  const path = join(input.folder, `${name}.jsonl`);
  await fetchReleaseFile(store, release, RELEASE_PATHS.snapshot(name), packed);
  await unpackLines(packed, path);
  const lines = { path, longestLineBytes: await longestLine(path) };
  await database.run(recordsSql(table, topic, { lines, versions }));
  for (const file of [packed, path]) await rm(file);
}

const EVENT_COLUMNS = 'seq::DOUBLE AS seq, topic, model_id, part, facts';
const EVENT_ROW = {
  seq: number,
  topic: oneOf(CHANGE_TOPICS),
  model_id: nullable(text),
  part: nullable(text),
  facts: nullable(text),
};

function eventsFromRows(rows: readonly RowOf<typeof EVENT_ROW>[]): readonly ChangeEvent[] {
  return rows.flatMap((row) => eventFromRow(row) ?? []);
}

function eventFromRow({ topic, ...row }: RowOf<typeof EVENT_ROW>): ChangeEvent | undefined {
  const eventRow: EventRow = {
    seq: row.seq,
    model_id: row.model_id ?? '',
    part: row.part ?? '',
    facts: row.facts ?? '',
  };
  return getDefinition(topic).eventFromRow(eventRow);
}

function getDefinition(topic: ChangeTopic): ChangeTopicDefinition {
  const definition = CHANGE_TOPIC_DEFINITIONS.find(({ name }) => name === topic);
  if (definition === undefined) throw new Error(`no topic ${topic}`);
  return definition;
}
