/**
 * The table `news`: one row per recent event that is news (specification "Feeds"; decision 0082).
 *
 * | column | |
 * |---|---|
 * | `seq`, `day` | of the event |
 * | `kind` | `model`, `score`, `ranking` or `pricing` |
 * | `change` | `came`, `went` or `changed` |
 * | `model_id`, `part` | the key of the record: `part` is its benchmark, category or provider, empty for a model |
 * | `before`, `after` | its facts as JSON text; null if it did not exist. For a model that came, `before` has its last earlier facts |
 * | `is_with_model` | its model came or went in the same night |
 *
 * A row never changes; it is removed when it is too old or its event leaves the feed.
 */
import { type DuckDBValue, listValue } from '@duckdb/node-api';
import { addDays, type Day } from '../../../runtime/day.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import { DATASET_NAMES, DATASETS, type EntityType } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { retainedFrom } from '../../../schemas/retention.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { HISTORY_SOURCES, type HistoryKind } from './history-kinds.ts';

/** Including the newest day. More: larger views, and feeds that omit more. */
export const NEWS_DAYS = 30;

export interface NewsInput {
  readonly catalog: Catalog;
  /** Since the previous view, by day. */
  readonly releases: ReadonlyMap<Day, Release>;
  /** Parquet files of the releases' events. */
  readonly changes: readonly string[];
  /** The first event in the feed. */
  readonly firstSeq: number;
  /** The newest day of the previous view, which is attached as `prev`. */
  readonly previousDay: Day | undefined;
}

/** Requires the histories. */
export async function createNews(database: Database, input: NewsInput): Promise<void> {
  const { catalog, previousDay, firstSeq } = input;
  await database.run(`CREATE TEMP TABLE news (${COLUMNS})`);
  await database.run(`CREATE TEMP TABLE none (${COLUMNS}, is_with_model BOOLEAN)`);
  await addNews(database, input);
  // Already in order: sorting again would take longer than the rest.
  const old = previousDay === undefined ? 'temp.none' : 'prev.news';
  await database.run(`CREATE TABLE view.news AS SELECT * FROM ${old} WHERE day >= $1::DATE AND seq >= $2`, [
    firstDay(catalog),
    firstSeq,
  ]);
  await database.run(
    `INSERT INTO view.news
     SELECT n.*, m.seq IS NOT NULL FROM temp.news n
     LEFT JOIN temp.news m ON m.kind = 'model' AND n.kind <> 'model' AND m.day = n.day AND m.model_id = n.model_id
     WHERE n.seq >= $1 ORDER BY n.seq`,
    [firstSeq],
  );
  await database.run('DROP TABLE temp.none');
  await database.run('DROP TABLE temp.news');
}

const COLUMNS = `seq BIGINT, day DATE, kind VARCHAR, change VARCHAR, model_id VARCHAR, part VARCHAR, before VARCHAR, after VARCHAR`;

async function addNews(database: Database, input: NewsInput): Promise<void> {
  const ranges = rangesOf(input);
  if (ranges.length === 0 || input.changes.length === 0) return;
  const isCandidate = ranges.map(({ first, last }) => `seq BETWEEN ${first} AND ${last}`).join(' OR ');
  await database.run(
    `CREATE TEMP TABLE candidates AS
     SELECT seq, ${daySql(input.catalog)} AS day, entity_type AS kind, entity_id, op,
       coalesce(key ->> '$.model_id', key ->> '$.id') AS model_id,
       coalesce(key ->> '$.benchmark_id', key ->> '$.category', key ->> '$.provider', '') AS part
     FROM read_parquet($1) c WHERE ${isCandidate}`,
    [listValue([...input.changes])],
  );
  await createGone(database, input);
  for (const kind of NEWS_KINDS) await database.run(`INSERT INTO temp.news ${newsSql(kind, input)}`);
  await database.run('DROP TABLE candidates');
  await database.run('DROP TABLE gone');
}

interface SeqRange {
  readonly first: number;
  readonly last: number;
}

/** Events of recent new releases, except the first night and renewals of records in a new version. */
function rangesOf({ catalog, releases }: NewsInput): readonly SeqRange[] {
  const from = firstDay(catalog);
  const ranges: SeqRange[] = [];
  for (const { day, first_seq: first, last_seq } of catalog.releases) {
    const release = releases.get(day);
    if (release === undefined || day < from || first === null || first === 1) continue;
    const last = (release.first_renewal_seq ?? last_seq + 1) - 1;
    if (last >= first) ranges.push({ first, last });
  }
  return ranges;
}

function firstDay({ releases }: Catalog): Day {
  return addDays(releases.at(-1)?.day ?? '1970-01-01', 1 - NEWS_DAYS);
}

/** The release's day: events of a redated release have its old day. `c` is the table of events. */
function daySql({ releases }: Catalog): string {
  const redated = releases.flatMap(({ day, first_seq: first, last_seq: last, redated_from: was }) =>
    was === undefined || first === null ? [] : [`WHEN c.seq BETWEEN ${first} AND ${last} THEN DATE '${day}'`],
  );
  return redated.length === 0 ? 'c.occurred_on' : `CASE ${redated.join(' ')} ELSE c.occurred_on END`;
}

/**
 * When candidates' records were gone: one row per new deletion, and one per record that the previous view lacks.
 */
async function createGone(database: Database, { catalog, changes, previousDay }: NewsInput): Promise<void> {
  const values: DuckDBValue[] = [listValue([...changes])];
  const selects = [
    `SELECT c.entity_type AS kind, c.entity_id, ${daySql(catalog)} AS day FROM read_parquet($1) c
     SEMI JOIN candidates t ON t.kind = c.entity_type AND t.entity_id = c.entity_id AND t.op = 'upsert' WHERE c.op = 'delete'`,
  ];
  if (previousDay !== undefined) {
    values.push(previousDay);
    for (const name of DATASET_NAMES) {
      const dataset = DATASETS[name];
      if (dataset.entityType === null) continue;
      selects.push(
        `SELECT t.kind, t.entity_id, $2::DATE FROM (SELECT * FROM candidates WHERE kind = '${dataset.entityType}' AND op = 'upsert') t
         ANTI JOIN prev.${name} p ON ${dataset.key.map((column, i) => `p.${column} = t.${i === 0 ? 'model_id' : 'part'}`).join(' AND ')}`,
      );
    }
  }
  await database.run(`CREATE TEMP TABLE gone AS ${selects.join(' UNION ALL ')}`, values);
}

interface NewsKind {
  readonly entityType: EntityType;
  /** Of the records' intervals. */
  readonly history: HistoryKind;
  /** SQL over an interval: JSON text that is compared and published. */
  readonly facts: string;
  /** Whether changed facts are news. */
  readonly includesChanges: boolean;
}

const NEWS_KINDS: readonly NewsKind[] = [
  { entityType: 'model', history: 'metadata', facts: factsSql(['name', 'organization']), includesChanges: false },
  { entityType: 'score', history: 'score', facts: 'value', includesChanges: true },
  { entityType: 'ranking', history: 'ranking', facts: 'value', includesChanges: true },
  {
    entityType: 'pricing',
    history: 'pricing',
    facts: factsSql(['input_per_million', 'output_per_million', 'currency']),
    includesChanges: true,
  },
];

function factsSql(names: readonly string[]): string {
  const fields = names.map((name) => `'${name}', payload -> '$.${name}'`);
  return `json_object(${fields.join(', ')})::VARCHAR`;
}

/**
 * One row per event that is news. `before` comes from the last earlier interval, if no deletion followed it: a record whose row was
 * set aside has no interval either.
 */
function newsSql(
  { entityType, history, facts, includesChanges }: NewsKind,
  { catalog, previousDay }: NewsInput,
): string {
  const isUnknown = previousDay === undefined ? `b.valid_to < DATE '${lastDayBeforeFeed(catalog, history)}'` : 'false';
  return `WITH e AS (SELECT * FROM candidates WHERE kind = '${entityType}'),
    g AS (SELECT * FROM gone WHERE kind = '${entityType}'),
    h AS MATERIALIZED (SELECT model_id, series, valid_from, valid_to, ${facts} AS facts FROM view.history_${history} i
      SEMI JOIN e ON e.model_id = i.model_id AND e.part = i.series WHERE i.source = 'capture'),
    compared AS (
      SELECT e.*, a.facts AS after, b.facts AS before,
        b.facts IS NOT NULL AND (g.day IS NULL OR g.day <= b.valid_to) AND NOT (${isUnknown}) AS was_there
      FROM e LEFT JOIN h a ON a.model_id = e.model_id AND a.series = e.part AND a.valid_from = e.day
      ASOF LEFT JOIN h b ON b.model_id = e.model_id AND b.series = e.part AND e.day > b.valid_from
      ASOF LEFT JOIN g ON g.entity_id = e.entity_id AND e.day > g.day)
    SELECT seq, day, kind, 'went', model_id, part, before, NULL FROM compared WHERE op = 'delete'
    UNION ALL SELECT seq, day, kind, 'came', model_id, part, CASE kind WHEN 'model' THEN before END, after FROM compared
      WHERE op = 'upsert' AND after IS NOT NULL AND NOT was_there
    UNION ALL SELECT seq, day, kind, 'changed', model_id, part, before, after FROM compared
      WHERE op = 'upsert' AND after <> before AND was_there AND ${includesChanges}`;
}

/**
 * The last captured day before the feed, or '-infinity'. Without a previous view, records whose interval ended earlier count as gone:
 * their deletion may be pruned.
 */
function lastDayBeforeFeed(catalog: Catalog, history: HistoryKind): string {
  const { name } = HISTORY_SOURCES[history].dataset;
  const from = retainedFrom(catalog) ?? '';
  return catalog.releases.findLast(({ day, captured }) => day < from && captured.includes(name))?.day ?? '-infinity';
}
