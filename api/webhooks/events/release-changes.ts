import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion, RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import type { Release } from '../../../schemas/release.ts';
import { Database, type DuckDBLimits, sqlText } from '../../../storage/duckdb/database.ts';
import { nullable, number, type RowOf, text, word } from '../../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { unpackLines } from '../../../storage/gzip-lines.ts';
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
import { beforeSql, comparisonOf, type VersionsAround } from './comparison.ts';

/** Changes, and so at most events, that are in memory at once. */
const PAGE_CHANGES = 5_000;

export interface ReleaseChangesInput {
  readonly release: Release;
  /** The release before it. */
  readonly previous: Release;
  /** The topics that somebody wants. */
  readonly topics: ReadonlySet<ChangeTopic>;
  /** Models that filters name: of a ranking's changes only these are listed. */
  readonly watchedModels: ReadonlySet<string>;
  /** Where files may go; what is put there is removed by whoever owns it. */
  readonly folder: string;
}

export interface ReleaseChangesDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
}

/**
 * The changes of one published release as events of the wanted topics (specification "From changes to events"): its
 * `changes.parquet`, compared with the snapshot before, from which only the datasets that a wanted topic needs are fetched, each
 * proven by its recorded hash. The events lie in files, sorted; memory is bounded whatever the night.
 */
export class ReleaseChanges {
  readonly #database: Database;
  /** Of events, a file per topic. */
  readonly #files: readonly string[];
  readonly #lastSeq: number;

  private constructor(database: Database, files: readonly string[], lastSeq: number) {
    this.#database = database;
    this.#files = files;
    this.#lastSeq = lastSeq;
  }

  /**
   * Fetches and compares. Rejects with `not_found` where a file is pruned, with `corrupt` where it is damaged, with
   * `store_unavailable`, and with `usage` where the records are of a version that this program doesn't know.
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

  /** The events behind a `seq`, in its order, a page at a time. */
  async *pagesAfter(seq: number): AsyncGenerator<readonly ChangeEvent[]> {
    if (this.#files.length === 0) return;
    const select = `SELECT seq::DOUBLE AS seq, topic, model_id, part, facts FROM read_parquet([${this.#files.map(sqlText).join(', ')}])
      WHERE seq > $1::BIGINT AND seq <= $2::BIGINT ORDER BY seq`;
    for (let last = seq; last < this.#lastSeq; last += PAGE_CHANGES) {
      const rows = await this.#database.rows(EVENT_ROW, select, [last, last + PAGE_CHANGES]);
      if (rows.length > 0) yield rows.map(eventFromRow);
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** Writes the events of each wanted topic into a file, one row per event, sorted by `seq`; resolves to the files' paths. */
async function writeEvents(
  database: Database,
  input: ReleaseChangesInput,
  deps: ReleaseChangesDeps,
): Promise<readonly string[]> {
  const { release, previous, folder } = input;
  const changes = join(folder, 'changes.parquet');
  await fetchReleaseFile(deps.store, release, RELEASE_PATHS.changes, changes);
  // What is only sent anew in the version that comes into force did not change.
  const firstRenewal = release.first_renewal_seq ?? release.last_seq + 1;
  await database.run(
    `CREATE VIEW changes AS SELECT * FROM read_parquet(${sqlText(changes)}) WHERE seq < ${firstRenewal}`,
  );
  await database.run(`CREATE TABLE watched AS SELECT unnest(from_json($1, '["VARCHAR"]')) AS id`, [
    JSON.stringify([...input.watchedModels]),
  ]);
  const versions = versionsAround(release, previous, deps.versions ?? RECORD_VERSIONS);
  const files: string[] = [];
  for (const topic of await changedTopics(database, input.topics, versions)) {
    if (topic.compared !== undefined)
      await loadBefore(topic, versions, { database, previous, folder, store: deps.store });
    const file = join(folder, `${topic.name}.parquet`);
    await database.run(`COPY (SELECT *, '${topic.name}' AS topic FROM (${topic.select(comparisonOf(topic, versions))}) ORDER BY seq)
      TO ${sqlText(file)} (FORMAT parquet, ROW_GROUP_SIZE ${PAGE_CHANGES})`);
    await database.run('DROP TABLE IF EXISTS before_records');
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

/** Those of the topics whose dataset has a change: the others need no file. */
async function changedTopics(
  database: Database,
  wanted: ReadonlySet<ChangeTopic>,
  { after }: VersionsAround,
): Promise<readonly ChangeTopicDefinition[]> {
  const rows = await database.rows({ entity_type: text }, 'SELECT DISTINCT entity_type FROM changes');
  const changed = rows.map((row) => row.entity_type);
  return CHANGE_TOPIC_DEFINITIONS.filter(({ name, dataset }) => {
    const { entityType } = after.datasets[dataset];
    return wanted.has(name) && entityType !== null && changed.includes(entityType);
  });
}

interface LoadDeps {
  readonly database: Database;
  readonly previous: Release;
  readonly folder: string;
  readonly store: ObjectStore;
}

/** Makes `before_records` from the snapshot before, whose files are kept longer than any state. */
async function loadBefore(topic: ChangeTopicDefinition, versions: VersionsAround, deps: LoadDeps): Promise<void> {
  const { database, previous, folder, store } = deps;
  const { dataset: name } = topic;
  if (previous.records[name] === 0) {
    await database.run(beforeSql(topic, undefined, versions));
    return;
  }
  const packed = join(folder, `${name}.jsonl.gz`);
  const path = join(folder, `${name}.jsonl`);
  await fetchReleaseFile(store, previous, RELEASE_PATHS.snapshot(name), packed);
  await unpackLines(packed, path);
  await database.run(beforeSql(topic, { path, longestLineBytes: await longestLine(path) }, versions));
  for (const file of [packed, path]) await rm(file);
}

const NEWLINE = 10;

/** Bytes of a file's longest line. */
async function longestLine(path: string): Promise<number> {
  let [longest, current] = [0, 0];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      longest = Math.max(longest, current + end - from);
      [current, from] = [0, end + 1];
    }
    current += chunk.length - from;
  }
  return Math.max(longest, current);
}

const EVENT_ROW = {
  seq: number,
  topic: word(CHANGE_TOPICS),
  model_id: nullable(text),
  part: nullable(text),
  facts: nullable(text),
};

function eventFromRow({ topic, ...row }: RowOf<typeof EVENT_ROW>): ChangeEvent {
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
