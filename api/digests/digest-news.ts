/**
 * What changed between two releases, for people (specification "Digests by email"): both snapshots are compared, so
 * that several nights, corrections and new record versions make one difference. Fields that a side's version lacks
 * are not compared.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { getVersion, RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import type { Release } from '../../schemas/release.ts';
import { Database, type DuckDBLimits, sqlText } from '../../storage/duckdb/database.ts';
import { DUCKDB_TYPES } from '../../storage/duckdb/record-sql.ts';
import { list, nullable, number, type RowOf, type RowShape, text } from '../../storage/duckdb/row-shape.ts';
import { fetchLines } from '../../storage/fetch-object.ts';
import { longestLine } from '../../storage/gzip-lines.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

/** Lines of a section; the rest is counted. */
export const LINES_MAX = 20;
/** Lists retirements this far ahead. */
export const AHEAD_DAYS = 30;

/** The first {@link LINES_MAX} of a section. */
export interface Section<T> {
  readonly lines: readonly T[];
  readonly total: number;
}

export interface DigestNews {
  /** The newest captured day that the last digest covered. */
  readonly from: Day;
  readonly to: Day;
  /** The feed's newest event of `from`: what follows it is the same in full. */
  readonly fromSeq: number;
  /** Largest change first. */
  readonly prices: Section<PriceMove>;
  /** Those with most providers first. */
  readonly added: Section<ModelLine>;
  readonly removed: Section<ModelLine>;
  /** What was announced, changed or reached. */
  readonly lifecycle: Section<LifecycleMove>;
  /** New leaders of a category. */
  readonly leaders: Section<Leaders>;
  /** Retirements within {@link AHEAD_DAYS}; no news by themselves. */
  readonly ahead: Section<Ahead>;
}

/** Equal changes of a model at several providers are one line. */
export type PriceMove = RowOf<typeof PRICE_MOVE>;
export type ModelLine = RowOf<typeof MODEL_LINE>;
export type LifecycleMove = RowOf<typeof LIFECYCLE_MOVE>;
export type Leaders = RowOf<typeof LEADERS>;
export type Ahead = RowOf<typeof AHEAD>;

export interface DigestNewsDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  /** For tests. */
  readonly versions?: readonly RecordVersion[] | undefined;
}

/** Whether there is anything to send. */
export function hasNews({ prices, added, removed, lifecycle, leaders }: DigestNews): boolean {
  return [prices, added, removed, lifecycle, leaders].some(({ total }) => total > 0);
}

/**
 * Rejects with `not_found` for a pruned snapshot, `corrupt` for a damaged one, and `store_unavailable`.
 *
 * @param folder for files; the caller removes it
 */
export async function readDigestNews(
  { before, after, folder }: { readonly before: Release; readonly after: Release; readonly folder: string },
  deps: DigestNewsDeps,
): Promise<DigestNews> {
  const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: join(folder, 'spill') });
  try {
    for (const name of COMPARED_DATASETS) {
      const both = { before, after, name, versions: deps.versions ?? RECORD_VERSIONS };
      await loadBoth(database, both, { store: deps.store, folder });
    }
    const days = [before.day, after.day] as const;
    const read = <S extends RowShape>(shape: S, sql: string, values: readonly string[] = []) =>
      readSection(database, { shape, sql, values });
    return {
      from: before.day,
      to: after.day,
      fromSeq: before.last_seq,
      prices: await read(PRICE_MOVE, PRICE_MOVES_SQL),
      added: await read(MODEL_LINE, modelsSql({ of: 'after', without: 'before' })),
      removed: await read(MODEL_LINE, modelsSql({ of: 'before', without: 'after' })),
      lifecycle: await read(LIFECYCLE_MOVE, LIFECYCLE_SQL, days),
      leaders: await read(LEADERS, LEADERS_SQL),
      ahead: await read(AHEAD, AHEAD_SQL, [after.day]),
    };
  } finally {
    database.close();
  }
}

async function readSection<S extends RowShape>(
  database: Database,
  { shape, sql, values }: { readonly shape: S; readonly sql: string; readonly values: readonly string[] },
): Promise<Section<RowOf<S>>> {
  const { total } = await database.row({ total: number }, `SELECT count(*)::DOUBLE AS total FROM (${sql})`, values);
  return { lines: total === 0 ? [] : await database.rows(shape, `${sql} LIMIT ${LINES_MAX}`, values), total };
}

/** Key and compared columns of what a digest reads. */
const COMPARED = {
  models: ['id', 'name', 'organization', 'status', 'deprecated_on', 'retires_on', 'replaced_by'],
  pricing: ['model_id', 'provider', 'input_per_million', 'output_per_million', 'currency', 'rates'],
  rankings: ['model_id', 'category', 'rank'],
} as const satisfies Partial<Record<DatasetName, readonly string[]>>;
const COMPARED_DATASETS = ['models', 'pricing', 'rankings'] as const;

interface Both {
  readonly before: Release;
  readonly after: Release;
  readonly name: keyof typeof COMPARED;
  readonly versions: readonly RecordVersion[];
}

/** Tables `models_before`, `models_after` and so on; a column that either side's version lacks is null in both. */
async function loadBoth(
  database: Database,
  { before, after, name, versions }: Both,
  files: { readonly store: ObjectStore; readonly folder: string },
): Promise<void> {
  const datasets = [before, after].map((release) => getVersion(versions, release.schema_version).datasets[name]);
  const typeOf = (column: string) => {
    const known = DATASETS[name].columns.find((candidate) => candidate.name === column);
    return DUCKDB_TYPES[known?.type ?? 'text'];
  };
  const columnIn = (column: string) => datasets.map((dataset) => findPublished(dataset.columns, column));
  for (const [side, release] of [before, after].entries()) {
    const columns = COMPARED[name].map((column) => ({ column, found: columnIn(column)[side], both: columnIn(column) }));
    const types = columns.flatMap(({ found }) =>
      found === undefined ? [] : [`${found.publishedAs ?? found.name}: '${DUCKDB_TYPES[found.type]}'`],
    );
    const values = columns.map(({ column, found, both }) =>
      found === undefined || both.includes(undefined)
        ? `NULL::${typeOf(column)} AS ${column}`
        : `${found.publishedAs ?? found.name} AS ${column}`,
    );
    const table = `${name}_${side === 0 ? 'before' : 'after'}`;
    if (release.records[name] === 0) {
      const empty = columns.map(({ column }) => `NULL::${typeOf(column)} AS ${column}`);
      await database.run(`CREATE TABLE ${table} AS SELECT ${empty.join(', ')} WHERE false`);
      continue;
    }
    const path = join(files.folder, `${table}.jsonl`);
    await fetchLines(files.store, release, name, path);
    const lineBytesMax = Math.max(LINE_BYTES_MIN, (await longestLine(path)) + 1);
    await database.run(`CREATE TABLE ${table} AS SELECT ${values.join(', ')} FROM read_json(${sqlText(path)},
      format = 'newline_delimited', columns = {${types.join(', ')}}, maximum_object_size = ${lineBytesMax})`);
    for (const file of [path, `${path}.gz`]) await rm(file);
  }
}

/** Smaller reads are slower. */
const LINE_BYTES_MIN = 1024 * 1024;

type Columns = RecordVersion['datasets']['models']['columns'];

function findPublished(columns: Columns, name: string): Columns[number] | undefined {
  return columns.find((column) => column.name === name && column.published);
}

const PRICE_MOVE = {
  model_id: text,
  /** What is counted; null: input and output tokens, whose prices are below. */
  meter: nullable(text),
  unit: nullable(text),
  providers: list(text),
  currency_before: text,
  currency_after: text,
  /** Of a million input tokens, or of the meter. */
  price_before: nullable(number),
  price_after: nullable(number),
  output_before: nullable(number),
  output_after: nullable(number),
};

/** SQL: a relative change; infinite from zero, none where a price came or went. */
function changeSql(before: string, after: string): string {
  return `CASE WHEN ${before} IS NULL OR ${after} IS NULL OR ${before} = ${after} THEN 0
    WHEN ${before} = 0 THEN 'infinity'::DOUBLE ELSE abs(${after} - ${before}) / ${before} END`;
}

/**
 * SQL: one row per model, provider and meter with a price without condition, but input and output, which have columns
 * of their own. Prices are per million tokens, or per one of another unit.
 */
function metersSql(table: string): string {
  return `SELECT model_id, provider, coalesce(currency, 'USD') AS currency, rate.meter AS meter, rate.unit AS unit,
      rate.price / rate.per * CASE WHEN rate.unit = 'token' THEN 1000000 ELSE 1 END AS price
    FROM (SELECT model_id, provider, currency, unnest(from_json(rates,
      '[{"meter":"VARCHAR","unit":"VARCHAR","per":"DOUBLE","price":"DOUBLE","when":"VARCHAR"}]')) AS rate
      FROM ${table} WHERE rates IS NOT NULL)
    WHERE rate."when" IS NULL AND NOT (rate.meter IN ('input', 'output') AND rate.unit = 'token')`;
}

/** One row per model, meter and equal change. */
const PRICE_MOVES_SQL = `
  WITH moves AS (
    SELECT model_id, provider, NULL::VARCHAR AS meter, NULL::VARCHAR AS unit,
      coalesce(b.currency, 'USD') AS currency_before, coalesce(a.currency, 'USD') AS currency_after,
      b.input_per_million AS price_before, a.input_per_million AS price_after,
      b.output_per_million AS output_before, a.output_per_million AS output_after,
      CASE WHEN b.currency <> a.currency THEN 'infinity'::DOUBLE ELSE greatest(
        ${changeSql('b.input_per_million', 'a.input_per_million')},
        ${changeSql('b.output_per_million', 'a.output_per_million')}) END AS change
    FROM pricing_after a JOIN pricing_before b USING (model_id, provider)
    WHERE b.input_per_million IS DISTINCT FROM a.input_per_million
      OR b.output_per_million IS DISTINCT FROM a.output_per_million OR b.currency <> a.currency
    UNION ALL
    SELECT model_id, provider, meter, unit, currency, currency, b.price, a.price, NULL, NULL,
      ${changeSql('b.price', 'a.price')}
    FROM (${metersSql('pricing_after')}) a JOIN (${metersSql('pricing_before')}) b
      USING (model_id, provider, currency, meter, unit)
    WHERE a.price <> b.price)
  SELECT * EXCLUDE (provider, change), list(provider ORDER BY provider) AS providers
  FROM moves GROUP BY ALL ORDER BY max(change) DESC, model_id, meter NULLS FIRST, providers[1]`;

const MODEL_LINE = {
  model_id: text,
  name: text,
  organization: nullable(text),
  providers: list(text),
};

/** One row per model that only one side has. */
function modelsSql({ of, without }: Readonly<Record<'of' | 'without', 'before' | 'after'>>): string {
  return `SELECT m.id AS model_id, m.name, m.organization,
      coalesce(list(p.provider ORDER BY p.provider) FILTER (p.provider IS NOT NULL), []) AS providers
    FROM models_${of} m ANTI JOIN models_${without} o ON o.id = m.id
    LEFT JOIN pricing_${of} p ON p.model_id = m.id
    GROUP BY m.id, m.name, m.organization ORDER BY count(p.provider) DESC, m.id`;
}

const LIFECYCLE_MOVE = {
  model_id: text,
  name: text,
  status_before: nullable(text),
  status_after: nullable(text),
  deprecated_before: nullable(text),
  deprecated_after: nullable(text),
  retires_before: nullable(text),
  retires_after: nullable(text),
  replaced_before: nullable(text),
  replaced_after: nullable(text),
};

/** One row per model of both sides whose life changed, or whose announced day has come; the nearest retirement first. */
const LIFECYCLE_SQL = `
  SELECT id AS model_id, a.name, b.status AS status_before, a.status AS status_after,
    b.deprecated_on::VARCHAR AS deprecated_before, a.deprecated_on::VARCHAR AS deprecated_after,
    b.retires_on::VARCHAR AS retires_before, a.retires_on::VARCHAR AS retires_after,
    b.replaced_by AS replaced_before, a.replaced_by AS replaced_after
  FROM models_after a JOIN models_before b USING (id)
  WHERE (b.status <> a.status OR (b.status IS NULL AND a.status IN ('deprecated', 'retired')))
    OR b.deprecated_on IS DISTINCT FROM a.deprecated_on OR b.retires_on IS DISTINCT FROM a.retires_on
    OR (a.replaced_by IS NOT NULL AND b.replaced_by IS DISTINCT FROM a.replaced_by)
    OR (a.retires_on > $1::DATE AND a.retires_on <= $2::DATE)
    OR (a.deprecated_on > $1::DATE AND a.deprecated_on <= $2::DATE)
  ORDER BY a.retires_on NULLS LAST, a.deprecated_on NULLS LAST, id`;

const LEADERS = {
  category: text,
  /** Null: the category was not ranked. */
  before: nullable(list(text)),
  after: list(text),
};

/** One row per category that is led by others than before. */
const LEADERS_SQL = `
  SELECT category, b.models AS before, a.models AS after
  FROM (SELECT category, list(model_id ORDER BY model_id) AS models FROM rankings_after WHERE rank = 1 GROUP BY category) a
  LEFT JOIN (SELECT category, list(model_id ORDER BY model_id) AS models FROM rankings_before WHERE rank = 1 GROUP BY category) b
    USING (category)
  WHERE b.models IS DISTINCT FROM a.models ORDER BY category`;

const AHEAD = { model_id: text, name: text, retires_on: text, replaced_by: nullable(text) };

/** One row per model that retires soon, the next first. */
const AHEAD_SQL = `
  SELECT id AS model_id, name, retires_on::VARCHAR AS retires_on, replaced_by FROM models_after
  WHERE retires_on > $1::DATE AND retires_on <= $1::DATE + ${AHEAD_DAYS} ORDER BY retires_on, id`;
