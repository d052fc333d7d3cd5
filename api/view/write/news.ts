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
import { listValue } from '@duckdb/node-api';
import { addDays, type Day, dayNumber } from '../../../runtime/day.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import type { EntityType } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { retainedFrom } from '../../../schemas/retention.ts';
import { HISTORY_SOURCES, type HistoryKind, SERIES_KINDS } from '../history-kinds.ts';
import { dayNumberSql, insertRows, type Writer } from './writer.ts';

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
  /** The newest day of the previous view; undefined: the view is new. */
  readonly previousDay: Day | undefined;
}

/** Requires the new intervals, and the previous view's records. */
export async function writeNews(writer: Writer, input: NewsInput): Promise<void> {
  const { view } = writer;
  view.prepare('DELETE FROM news WHERE day < ? OR seq < ?').run(dayNumber(firstDay(input.catalog)), input.firstSeq);
  const ranges = rangesOf(input);
  if (ranges.length === 0 || input.changes.length === 0) return;
  await loadEvents(writer, input, ranges);
  addGone(writer, input);
  view.exec(`CREATE TEMP TABLE added AS SELECT * FROM news WHERE false`);
  for (const kind of NEWS_KINDS) view.exec(`INSERT INTO temp.added ${newsSql(kind, input)}`);
  view
    .prepare(
      `INSERT INTO main.news SELECT n.seq, n.day, n.kind, n.change, n.model_id, n.part, n.before, n.after,
         n.kind <> 'model' AND (n.day, n.model_id) IN (SELECT day, model_id FROM temp.added WHERE kind = 'model')
       FROM temp.added n WHERE n.seq >= ?`,
    )
    .run(input.firstSeq);
  for (const table of ['added', 'gone', 'reported', 'changed']) view.exec(`DROP TABLE temp.${table}`);
}

/** `reported` has the events that may be news, with the numbers of their records; `changed` has them too, and all deletions. */
async function loadEvents(writer: Writer, { catalog, changes }: NewsInput, ranges: readonly SeqRange[]): Promise<void> {
  const { view } = writer;
  const isIn = ranges.map(({ first, last }) => `seq BETWEEN ${first} AND ${last}`).join(' OR ');
  view.exec(
    `CREATE TEMP TABLE changed (seq INTEGER PRIMARY KEY, day INTEGER, kind TEXT, entity_id TEXT, op TEXT, model_id TEXT, part TEXT)`,
  );
  await insertRows(writer, {
    into: 'INSERT INTO temp.changed',
    sql: `SELECT seq::DOUBLE, ${dayNumberSql(daySql(catalog))}, entity_type, entity_id, op, coalesce(key ->> '$.model_id', key ->> '$.id'),
        coalesce(key ->> '$.benchmark_id', key ->> '$.category', key ->> '$.provider', '')
      FROM read_parquet($1) c WHERE op = 'delete' OR ${isIn}`,
    values: [listValue([...changes])],
  });
  const partKinds = NEWS_KINDS.map(({ entityType, history }) => `WHEN '${entityType}' THEN '${SERIES_KINDS[history]}'`);
  view.exec(`CREATE TEMP TABLE reported AS
    SELECT c.*, m.number AS model, coalesce(s.number, 0) AS series FROM temp.changed c
    JOIN ids m ON m.kind = 'model' AND m.id = c.model_id
    LEFT JOIN ids s ON s.id = c.part AND s.kind = CASE c.kind ${partKinds.join(' ')} END
    WHERE ${isIn}`);
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

/** The release's day: events of a redated release have their old day. `c` is the table of events. */
function daySql({ releases }: Catalog): string {
  const redated = releases.flatMap(({ day, first_seq: first, last_seq: last, redated_from: was }) =>
    was === undefined || first === null ? [] : [`WHEN c.seq BETWEEN ${first} AND ${last} THEN DATE '${day}'`],
  );
  return redated.length === 0 ? 'c.occurred_on' : `(CASE ${redated.join(' ')} ELSE c.occurred_on END)`;
}

/** When records were gone: one row per new deletion, and one per reported record that the previous view lacks. */
function addGone({ view }: Writer, { previousDay }: NewsInput): void {
  view.exec(`CREATE TEMP TABLE gone AS SELECT kind, entity_id, day FROM temp.changed WHERE op = 'delete'`);
  if (previousDay !== undefined) {
    for (const { entityType, history } of NEWS_KINDS) {
      const part = SERIES_KINDS[history];
      view
        .prepare(
          `INSERT INTO temp.gone SELECT kind, entity_id, ? FROM temp.reported r WHERE kind = '${entityType}' AND op = 'upsert'
           AND NOT EXISTS (SELECT 1 FROM main.${HISTORY_SOURCES[history].dataset.name} p
             WHERE p.model = r.model ${part === null ? '' : `AND p.${part} = r.series`})`,
        )
        .run(dayNumber(previousDay));
    }
  }
  view.exec('CREATE INDEX temp.gone_record ON gone (kind, entity_id, day)');
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

const TAB = 'instr(text, char(9))';
const VALUE = `substr(text, 1, ${TAB} - 1)`;
const PAYLOAD = `substr(text, ${TAB} + 1)`;

const NEWS_KINDS: readonly NewsKind[] = [
  { entityType: 'model', history: 'metadata', facts: factsSql(['name', 'organization']), includesChanges: false },
  { entityType: 'score', history: 'score', facts: VALUE, includesChanges: true },
  { entityType: 'ranking', history: 'ranking', facts: VALUE, includesChanges: true },
  {
    entityType: 'pricing',
    history: 'pricing',
    facts: factsSql(['input_per_million', 'output_per_million', 'currency']),
    includesChanges: true,
  },
];

function factsSql(names: readonly string[]): string {
  const fields = names.map((name) => `'${name}', json(${PAYLOAD} -> '$.${name}')`);
  return `json_object(${fields.join(', ')})`;
}

/**
 * One row per event that is news. `before` comes from the last earlier interval, if no deletion followed it: a record whose row was
 * set aside has no interval either.
 */
function newsSql(
  { entityType, history, facts, includesChanges }: NewsKind,
  { catalog, previousDay }: NewsInput,
): string {
  const isUnknown = previousDay === undefined ? `b.valid_to < ${lastDayBeforeFeed(catalog, history)}` : 'false';
  const own = `i.kind = '${history}' AND i.model = e.model AND i.series = e.series AND i.source = 'capture'`;
  return `WITH e AS (SELECT e.*,
        (SELECT max(valid_from) FROM intervals i WHERE ${own} AND i.valid_from < e.day) AS before_from,
        (SELECT max(day) FROM temp.gone g WHERE g.kind = e.kind AND g.entity_id = e.entity_id AND g.day < e.day) AS gone_on
      FROM temp.reported e WHERE e.kind = '${entityType}'),
    compared AS (SELECT e.*, (SELECT ${facts} FROM intervals i WHERE ${own} AND i.valid_from = e.day) AS after,
        (SELECT ${facts} FROM intervals i WHERE ${own} AND i.valid_from = e.before_from) AS before,
        b.valid_to IS NOT NULL AND (e.gone_on IS NULL OR e.gone_on <= b.valid_to) AND NOT (${isUnknown}) AS was_there
      FROM e LEFT JOIN intervals b ON b.kind = '${history}' AND b.model = e.model AND b.series = e.series AND b.valid_from = e.before_from)
    SELECT seq, day, kind, 'went', model_id, part, before, NULL, 0 FROM compared WHERE op = 'delete'
    UNION ALL SELECT seq, day, kind, 'came', model_id, part, CASE kind WHEN 'model' THEN before END, after, 0 FROM compared
      WHERE op = 'upsert' AND after IS NOT NULL AND NOT was_there
    UNION ALL SELECT seq, day, kind, 'changed', model_id, part, before, after, 0 FROM compared
      WHERE op = 'upsert' AND after <> before AND was_there AND ${includesChanges}`;
}

/**
 * The last captured day before the feed. Without a previous view, records whose interval ended earlier count as gone: their deletion
 * may be pruned.
 */
function lastDayBeforeFeed(catalog: Catalog, history: HistoryKind): number {
  const { name } = HISTORY_SOURCES[history].dataset;
  const from = retainedFrom(catalog) ?? '';
  const last = catalog.releases.findLast(({ day, captured }) => day < from && captured.includes(name));
  return last === undefined ? Number.MIN_SAFE_INTEGER : dayNumber(last.day);
}
