import type { Database } from '../../../storage/duckdb/database.ts';

/** Between the texts of a model that are searched together: no id and no name can hold it. */
export const TEXTS_SEPARATOR = '\u0001';

/** The files that a view's names are made of. */
export interface NameParts {
  /** The newest release's models. */
  readonly models: string;
  /** Its names of models; undefined where it keeps none. */
  readonly aliases: string | undefined;
}

/**
 * Creates `aliases` in the attached database `view`: one row per name of a model that is there, by name and upstream (specification
 * "Names of models"; decision 0077).
 */
export async function createAliases(database: Database, { models, aliases }: NameParts): Promise<void> {
  if (aliases === undefined) {
    await database.run('CREATE TABLE view.aliases (pos INTEGER, id VARCHAR, upstream VARCHAR)');
    return;
  }
  await database.run(
    `CREATE TABLE view.aliases AS
     SELECT m.pos, a.id, a.upstream FROM read_parquet($2) a
     JOIN (SELECT (file_row_number + 1)::INTEGER AS pos, id FROM read_parquet($1, file_row_number = true)) m
     ON m.id = a.model_id ORDER BY a.id, a.upstream`,
    [models, aliases],
  );
}

/** What `models` of a view has beside its columns, where `s` is a model and `named` is {@link NAMED_SQL}. */
export const NAME_COLUMNS = `lower(concat_ws('${TEXTS_SEPARATOR}', s.id, s.name, named.ids)) AS texts,
  coalesce(named.aliases, '[]') AS aliases`;

/** One row per model with names: all of them as one text, and as the JSON that is answered, by upstream and name. */
export const NAMED_SQL = `(SELECT pos, string_agg(id, '${TEXTS_SEPARATOR}' ORDER BY upstream, id) AS ids,
  to_json(list({upstream: upstream, id: id} ORDER BY upstream, id))::VARCHAR AS aliases FROM view.aliases GROUP BY pos)`;
