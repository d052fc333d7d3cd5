/**
 * The tables of a view, an SQLite database that is made for look-ups: each table is clustered by its key, an index serves each filter
 * and order that the API documents, and what a response shows unchanged is stored as the JSON text that is sent.
 *
 * | table | one row per |
 * | --- | --- |
 * | `ids` | id, with its number: numbers of a kind have the order of the ids; `is_known` where a record of it was captured |
 * | `models`, `benchmarks`, `scores`, `rankings`, `pricing` | current record |
 * | `model_names` | current model: the text that `q` searches, and its names as they are sent |
 * | `model_providers` | current model and provider that serves it |
 * | `aliases` | name of a current model at an upstream |
 * | `intervals` | stretch of days over which a record did not change, by kind, model and series; `series` is 0 for metadata |
 * | `ranking_counts` | category and captured day: how many models it ranked |
 * | `events` | event that is still in the feed |
 * | `news` | event of the last days that people care about, as `write/news.ts` says |
 * | `meta` | the one row that says what the view is of |
 *
 * Ids are numbers in the large tables, so that an index on a million scores has 20 bytes an entry and not 80. Days are text.
 * `check` is the CRC-32 of the text beside it: SQLite does not notice a flipped byte.
 */
export const SCHEMA = `
CREATE TABLE meta (json TEXT NOT NULL) STRICT;

CREATE TABLE ids (kind TEXT NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL, is_known INTEGER NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX ids_number ON ids (kind, number);

CREATE TABLE models (model INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, organization TEXT, release_date TEXT,
  context_length INTEGER, updated_at INTEGER NOT NULL, added_on TEXT, line TEXT NOT NULL, "check" INTEGER NOT NULL) STRICT;
CREATE TABLE model_names (model INTEGER PRIMARY KEY, search TEXT NOT NULL, aliases TEXT NOT NULL, "check" INTEGER NOT NULL) STRICT;
CREATE TABLE model_providers (provider TEXT NOT NULL, model INTEGER NOT NULL, PRIMARY KEY (provider, model)) STRICT, WITHOUT ROWID;
CREATE TABLE aliases (id TEXT NOT NULL, upstream TEXT NOT NULL, model INTEGER NOT NULL, PRIMARY KEY (id, upstream, model))
  STRICT, WITHOUT ROWID;

CREATE TABLE benchmarks (benchmark INTEGER PRIMARY KEY, category TEXT, line TEXT NOT NULL, "check" INTEGER NOT NULL) STRICT;

CREATE TABLE scores (model INTEGER NOT NULL, benchmark INTEGER NOT NULL, value REAL NOT NULL, source INTEGER, measured_at TEXT,
  line TEXT NOT NULL, "check" INTEGER NOT NULL, PRIMARY KEY (model, benchmark)) STRICT, WITHOUT ROWID;

CREATE TABLE rankings (category INTEGER NOT NULL, rank INTEGER NOT NULL, model INTEGER NOT NULL, line TEXT NOT NULL,
  "check" INTEGER NOT NULL, PRIMARY KEY (category, rank, model)) STRICT, WITHOUT ROWID;

CREATE TABLE pricing (model INTEGER NOT NULL, provider INTEGER NOT NULL, input REAL, output REAL, line TEXT NOT NULL,
  "check" INTEGER NOT NULL, PRIMARY KEY (model, provider)) STRICT, WITHOUT ROWID;

CREATE TABLE intervals (kind TEXT NOT NULL, model INTEGER NOT NULL, series INTEGER NOT NULL, valid_from TEXT NOT NULL,
  valid_to TEXT NOT NULL, source TEXT NOT NULL, value TEXT NOT NULL, payload TEXT NOT NULL, "check" INTEGER NOT NULL,
  PRIMARY KEY (kind, model, series, valid_from)) STRICT, WITHOUT ROWID;

CREATE TABLE ranking_counts (category INTEGER NOT NULL, day TEXT NOT NULL, positions INTEGER NOT NULL, PRIMARY KEY (category, day))
  STRICT, WITHOUT ROWID;

CREATE TABLE events (seq INTEGER PRIMARY KEY, entity_type TEXT NOT NULL, json TEXT NOT NULL, "check" INTEGER NOT NULL) STRICT;

CREATE TABLE news (seq INTEGER PRIMARY KEY, day TEXT NOT NULL, kind TEXT NOT NULL, change TEXT NOT NULL, model_id TEXT NOT NULL,
  part TEXT NOT NULL, before TEXT, after TEXT, is_with_model INTEGER NOT NULL) STRICT;
`;

/** Created when the tables are filled. */
export const INDEXES = `
CREATE INDEX models_name ON models (substr(name, 1, 200), model);
CREATE INDEX models_release_date ON models (release_date, model);
CREATE INDEX models_context_length ON models (context_length, model);
CREATE INDEX models_updated_at ON models (updated_at, model);
CREATE INDEX models_organization ON models (organization, model);
CREATE UNIQUE INDEX models_id ON models (id);
CREATE INDEX benchmarks_category ON benchmarks (category, benchmark);
CREATE INDEX scores_value ON scores (value, source);
CREATE INDEX scores_source ON scores (source, value);
CREATE INDEX scores_benchmark ON scores (benchmark, value, source);
CREATE INDEX scores_benchmark_measured ON scores (benchmark, measured_at DESC, value);
CREATE INDEX scores_measured ON scores (measured_at DESC, value, source);
CREATE INDEX rankings_model ON rankings (model, category);
CREATE INDEX pricing_input ON pricing (input, output, model);
CREATE INDEX pricing_output ON pricing (output, model);
CREATE INDEX intervals_top ON intervals (series, valid_from) WHERE kind = 'ranking' AND CAST(value AS INTEGER) <= 50;
CREATE INDEX events_type ON events (entity_type, seq);
CREATE INDEX news_model ON news (model_id);
CREATE INDEX news_kind ON news (kind, part);
`;
