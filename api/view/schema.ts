/**
 * The tables of a view: an SQLite database made for look-ups. Each table is clustered by its key, an index serves each filter and order
 * of the API, and whatever a response repeats unchanged is stored as the JSON text that is sent.
 *
 * | table | one row per |
 * | --- | --- |
 * | `ids` | id, with its number; numbers of a kind are in the order of the ids. `is_known`: a record of it was captured |
 * | `models`, `benchmarks`, `scores`, `rankings`, `pricing` | current record |
 * | `score_values` | source and day of measurement, with the sorted values of its scores: 8-byte little-endian doubles |
 * | `price_meters` | current price and meter with a rate without condition, and one with the meter `''` for each price |
 * | `lifecycle` | current model and event of its life (`write/lifecycle.ts`) |
 * | `ended_models` | model without an open interval: the record of its last one, with `removed_at`; it may be carried, and current |
 * | `model_names` | current model: the text that `q` searches, its aliases as JSON, how many serve it, and its best rank |
 * | `name_forms` | form of an id, a name or an alias (`schemas/model-name.ts`) |
 * | `model_providers` | current model and provider that serves it |
 * | `aliases` | name of a current model at an upstream |
 * | `intervals` | interval of a record, by kind, model and series, which is 0 for metadata; `text` is its value, a tab and its payload |
 * | `ranking_counts` | category and captured day: how many models it ranked |
 * | `events` | block of consecutive events in the feed (`feed.ts`) |
 * | `news` | event of the last days that is news (`write/news.ts`) |
 * | `meta` | the one row of `ViewMeta` |
 *
 * `all_models` has the current records, and those of models that are gone.
 *
 * Large tables have numbers instead of ids: an entry of an index on scores takes 30 bytes instead of 100. Days are counted since 1970.
 * `check` is the CRC-32 of a row's texts or bytes: SQLite does not notice a flipped byte.
 */
export const SCHEMA = `
CREATE TABLE meta (json TEXT NOT NULL) STRICT;

CREATE TABLE ids (kind TEXT NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL, is_known INTEGER NOT NULL, PRIMARY KEY (kind, id))
  STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX ids_number ON ids (kind, number);

CREATE TABLE models (model INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, organization TEXT, release_date INTEGER,
  context_length INTEGER, updated_at INTEGER NOT NULL, added_on INTEGER, line TEXT NOT NULL, "check" INTEGER NOT NULL) STRICT;
CREATE TABLE ended_models (model INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, organization TEXT, release_date INTEGER,
  context_length INTEGER, updated_at INTEGER NOT NULL, line TEXT NOT NULL, "check" INTEGER NOT NULL) STRICT;

CREATE VIEW all_models AS
  SELECT model, id, name, organization, release_date, context_length, updated_at, line, "check", 0 AS is_removed FROM models
  UNION ALL SELECT model, id, name, organization, release_date, context_length, updated_at, line, "check", 1 FROM ended_models
    WHERE model NOT IN (SELECT model FROM models);

CREATE TABLE model_names (model INTEGER PRIMARY KEY, search TEXT NOT NULL, aliases TEXT NOT NULL, sellers INTEGER NOT NULL,
  best_rank INTEGER, "check" INTEGER NOT NULL) STRICT;
CREATE TABLE name_forms (form TEXT NOT NULL, distance INTEGER NOT NULL, kind TEXT NOT NULL, model INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (form, distance, kind, model, text)) STRICT, WITHOUT ROWID;
CREATE TABLE model_providers (provider TEXT NOT NULL, model INTEGER NOT NULL, PRIMARY KEY (provider, model)) STRICT, WITHOUT ROWID;
CREATE TABLE aliases (id TEXT NOT NULL, upstream TEXT NOT NULL, model INTEGER NOT NULL, PRIMARY KEY (id, upstream, model))
  STRICT, WITHOUT ROWID;

CREATE TABLE benchmarks (benchmark INTEGER PRIMARY KEY, category TEXT, line TEXT NOT NULL, "check" INTEGER NOT NULL) STRICT;

CREATE TABLE scores (model INTEGER NOT NULL, benchmark INTEGER NOT NULL, value REAL NOT NULL, source INTEGER, measured_at INTEGER,
  line TEXT NOT NULL, "check" INTEGER NOT NULL, PRIMARY KEY (model, benchmark)) STRICT, WITHOUT ROWID;
CREATE TABLE score_values (source INTEGER, measured_at INTEGER, sorted BLOB NOT NULL, "check" INTEGER NOT NULL) STRICT;

CREATE TABLE rankings (category INTEGER NOT NULL, rank INTEGER NOT NULL, model INTEGER NOT NULL, line TEXT NOT NULL,
  "check" INTEGER NOT NULL, PRIMARY KEY (category, rank, model)) STRICT, WITHOUT ROWID;

CREATE TABLE pricing (model INTEGER NOT NULL, provider INTEGER NOT NULL, input REAL, output REAL, line TEXT NOT NULL,
  "check" INTEGER NOT NULL, PRIMARY KEY (model, provider)) STRICT, WITHOUT ROWID;

CREATE TABLE price_meters (meter TEXT NOT NULL, model INTEGER NOT NULL, provider INTEGER NOT NULL, price REAL,
  updated_at INTEGER NOT NULL, PRIMARY KEY (meter, model, provider)) STRICT, WITHOUT ROWID;

CREATE TABLE lifecycle (model INTEGER NOT NULL, event TEXT NOT NULL, date INTEGER, organization TEXT, status TEXT, line TEXT NOT NULL,
  "check" INTEGER NOT NULL, PRIMARY KEY (model, event)) STRICT, WITHOUT ROWID;

CREATE TABLE intervals (kind TEXT NOT NULL, model INTEGER NOT NULL, series INTEGER NOT NULL, valid_from INTEGER NOT NULL,
  valid_to INTEGER NOT NULL, source TEXT NOT NULL, rank INTEGER, text TEXT NOT NULL, "check" INTEGER NOT NULL,
  PRIMARY KEY (kind, model, series, valid_from)) STRICT, WITHOUT ROWID;

CREATE TABLE ranking_counts (category INTEGER NOT NULL, day INTEGER NOT NULL, positions INTEGER NOT NULL, PRIMARY KEY (category, day))
  STRICT, WITHOUT ROWID;

CREATE TABLE events (first_seq INTEGER PRIMARY KEY, types TEXT NOT NULL, deflated BLOB NOT NULL, bytes INTEGER NOT NULL,
  crc INTEGER NOT NULL, "check" INTEGER NOT NULL) STRICT;

CREATE TABLE news (seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, kind TEXT NOT NULL, change TEXT NOT NULL, model_id TEXT NOT NULL,
  part TEXT NOT NULL, before TEXT, after TEXT, is_with_model INTEGER NOT NULL) STRICT;
`;

/** Separates a model's searched texts; ids and names can't contain it. */
export const TEXTS_SEPARATOR = '\u0001';

/** `valid_to` of an open interval: the last day of the year 9999. */
export const OPEN = 2_932_896;

/** Meter of the row that each price has in `price_meters`, whatever its rates. */
export const ANY_METER = '';

/** Of a model's life. */
export const LIFECYCLE_EVENTS = ['deprecation', 'retirement'] as const;
export type LifecycleEvent = (typeof LIFECYCLE_EVENTS)[number];

/** Kinds of numbered ids. */
export type IdKind = 'model' | 'benchmark' | 'score source' | 'category' | 'provider';

/** SQL of the number of an id, which is its parameter; NULL for an unknown one. */
export function numberSql(kind: IdKind): string {
  return `(SELECT number FROM ids WHERE kind = '${kind}' AND id = ?)`;
}

/** Of `score_values`; copied, since the bytes of a row need not lie where doubles may. */
export function doublesIn(bytes: Uint8Array): Float64Array {
  return new Float64Array(Uint8Array.from(bytes).buffer);
}

/** Positions per category in one history request (specification "Rankings history"). */
export const TOP_POSITIONS_MAX = 50;

/**
 * Created after the tables are filled. Those of scores have every filtered column, so that only listed records are read. Models with the
 * same date or context length are listed by ascending number in both directions, so each direction has an index. The ascending ones come
 * last: SQLite prefers the later of two indexes, and they count a range in a third of the time.
 */
export const INDEXES = `
CREATE UNIQUE INDEX models_id ON models (id);
CREATE INDEX models_name ON models (substr(name, 1, 200), model, context_length);
CREATE INDEX models_release_date_descending ON models (release_date DESC, model, context_length);
CREATE INDEX models_context_length_descending ON models (context_length DESC, model, release_date);
CREATE INDEX models_updated_at_descending ON models (updated_at DESC, model, context_length);
CREATE INDEX models_release_date ON models (release_date, model, context_length);
CREATE INDEX models_context_length ON models (context_length, model, release_date);
CREATE INDEX models_updated_at ON models (updated_at, model, context_length);
CREATE INDEX models_organization ON models (organization, model);
CREATE INDEX models_added_on ON models (added_on, model);
CREATE INDEX benchmarks_category ON benchmarks (category, benchmark);
CREATE INDEX scores_value ON scores (value, model, benchmark, source, measured_at);
CREATE INDEX scores_measured_at ON scores (measured_at DESC, model, benchmark, value, source);
CREATE INDEX scores_source ON scores (source, model, benchmark, value, measured_at);
CREATE INDEX scores_benchmark ON scores (benchmark, model, value, source, measured_at);
CREATE INDEX scores_benchmark_value ON scores (benchmark, value, model, source, measured_at);
CREATE INDEX rankings_model ON rankings (model, category);
CREATE INDEX pricing_model ON pricing (model, input, output);
CREATE INDEX price_meters_price ON price_meters (meter, price, model, provider);
CREATE INDEX price_meters_updated_at ON price_meters (meter, updated_at DESC, model, provider, price);
CREATE INDEX price_meters_provider ON price_meters (meter, provider, model, price, updated_at);
CREATE INDEX lifecycle_date ON lifecycle (date, model, event, organization, status);
CREATE INDEX intervals_top ON intervals (series, valid_from) WHERE rank <= ${TOP_POSITIONS_MAX};
CREATE INDEX news_model ON news (model_id);
CREATE INDEX news_kind ON news (kind, part);
`;
