import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Release } from '../../schemas/release.ts';
import type { RecordVersion } from '../../schemas/versions/record-version.ts';
import { getVersion, RECORD_VERSIONS } from '../../schemas/versions/record-versions.ts';
import { Database, type DuckDBLimits, sqlText } from '../../storage/duckdb/database.ts';
import { nullable, number, type RowOf, text, word } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { unpackLines } from '../../storage/gzip-lines.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import {
  beforeSql,
  COMPARED_BY_TOPIC,
  type ComparedDataset,
  DATASET_BY_TOPIC,
  topicSql,
  type VersionsAround,
} from './changes-sql.ts';
import { CHANGE_TOPICS, type ChangeEvent, type ChangeTopic, largestChangePercent, type Price } from './topic-event.ts';

/** Events that are in memory at once. */
const PAGE_EVENTS = 5_000;

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
 * proven by its recorded hash. They lie in DuckDB, which keeps to its memory limit by the folder; pages of them come out by `seq`.
 */
export class ReleaseChanges {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Fetches and compares. Rejects with `not_found` where a file is pruned, with `corrupt` where it is damaged, with
   * `store_unavailable`, and with `usage` where the records are of a version that this program doesn't know.
   */
  static async open(input: ReleaseChangesInput, deps: ReleaseChangesDeps): Promise<ReleaseChanges> {
    await mkdir(input.folder, { recursive: true, mode: 0o700 });
    const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: join(input.folder, 'spill') });
    try {
      await compare(database, input, deps);
      return new ReleaseChanges(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** The events behind a `seq`, in its order, a page at a time. */
  async *pagesAfter(seq: number): AsyncGenerator<readonly ChangeEvent[]> {
    for (let last = seq; ; ) {
      const rows = await this.#database.rows(
        EVENT_ROW,
        `SELECT seq::DOUBLE AS seq, topic, model_id, part, facts FROM events WHERE seq > $1::BIGINT ORDER BY seq LIMIT ${PAGE_EVENTS}`,
        [last],
      );
      const newest = rows.at(-1);
      if (newest === undefined) return;
      yield rows.map(eventFromRow);
      if (rows.length < PAGE_EVENTS) return;
      last = newest.seq;
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** Makes the table `events`: one row per event of a wanted topic, sorted by `seq`. */
async function compare(database: Database, input: ReleaseChangesInput, deps: ReleaseChangesDeps): Promise<void> {
  const { release, previous, folder } = input;
  const changes = join(folder, 'changes.parquet');
  await fetchReleaseFile(deps.store, release, RELEASE_PATHS.changes, changes);
  // What is only sent anew in the version that comes into force did not change.
  const firstRenewal = release.first_renewal_seq ?? release.last_seq + 1;
  await database.run(
    `CREATE VIEW changes AS SELECT * FROM read_parquet(${sqlText(changes)}) WHERE seq < ${firstRenewal}`,
  );
  const versions = versionsAround(release, previous, deps.versions ?? RECORD_VERSIONS);
  const topics = await changedTopics(database, input.topics, versions);
  await database.run(`CREATE TABLE watched AS SELECT unnest(from_json($1, '["VARCHAR"]')) AS id`, [
    JSON.stringify([...input.watchedModels]),
  ]);
  for (const topic of topics) {
    const dataset = COMPARED_BY_TOPIC[topic];
    if (dataset !== undefined) await loadBefore(dataset, versions, { database, previous, folder, store: deps.store });
  }
  const empty = 'SELECT 0::BIGINT AS seq, NULL AS topic, NULL AS model_id, NULL AS part, NULL AS facts WHERE false';
  const selects = [empty, ...topics.map((topic) => topicSql(topic, versions))];
  await database.run(`CREATE TABLE events AS SELECT * FROM (${selects.join(' UNION ALL ')}) ORDER BY seq`);
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
): Promise<readonly ChangeTopic[]> {
  const rows = await database.rows({ entity_type: text }, 'SELECT DISTINCT entity_type FROM changes');
  const changed = rows.map((row) => row.entity_type);
  return CHANGE_TOPICS.filter((topic) => {
    const { entityType } = after.datasets[DATASET_BY_TOPIC[topic]];
    return wanted.has(topic) && entityType !== null && changed.includes(entityType);
  });
}

interface LoadDeps {
  readonly database: Database;
  readonly previous: Release;
  readonly folder: string;
  readonly store: ObjectStore;
}

/** Makes `before_<dataset>` from the snapshot before, whose files are kept longer than any state. */
async function loadBefore(name: ComparedDataset, versions: VersionsAround, deps: LoadDeps): Promise<void> {
  const { database, previous, folder, store } = deps;
  const packed = join(folder, `${name}.jsonl.gz`);
  const lines = join(folder, `${name}.jsonl`);
  await fetchReleaseFile(store, previous, RELEASE_PATHS.snapshot(name), packed);
  await unpackLines(packed, lines);
  await database.run(beforeSql(name, previous.records[name] === 0 ? undefined : lines, versions));
}

const EVENT_ROW = {
  seq: number,
  topic: word(CHANGE_TOPICS),
  model_id: nullable(text),
  part: nullable(text),
  facts: nullable(text),
};

function eventFromRow({ seq, topic, ...row }: RowOf<typeof EVENT_ROW>): ChangeEvent {
  const [modelId, part] = [row.model_id ?? '', row.part ?? ''];
  switch (topic) {
    case 'model.created':
      return { topic, data: { model_id: modelId, seq } };
    case 'score.updated':
      return { topic, data: { model_id: modelId, benchmark_id: part, seq } };
    case 'pricing.updated': {
      const facts = JSON.parse(row.facts ?? '') as PriceFacts; // Made by the SELECT of this topic.
      const percent =
        facts.change === 'price' ? largestChangePercent(facts.before, facts.after) : Number.POSITIVE_INFINITY;
      const data = { model_id: modelId, provider: part, change: facts.change, seq };
      return { topic, data, largestChangePercent: percent };
    }
    case 'ranking.updated': {
      const facts = JSON.parse(row.facts ?? '') as RankingFacts; // Made by the SELECT of this topic.
      const data = { category_id: part, changed: facts.changed, first_seq: facts.first_seq, seq };
      return { topic, data, models: facts.models, bestRank: facts.best_rank };
    }
  }
}

type PriceFacts =
  | { readonly change: 'provider_added' | 'provider_removed' }
  | { readonly change: 'price'; readonly before: Price; readonly after: Price };

interface RankingFacts {
  readonly changed: number;
  readonly first_seq: number;
  readonly best_rank: number;
  readonly models: readonly string[];
}
