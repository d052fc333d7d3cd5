import { TEXTS_SEPARATOR } from '../schema.ts';
import { writeNameForms } from './name-forms.ts';
import type { ViewParts } from './view-parts.ts';
import { idSql, insertRows, type Writer } from './writer.ts';

/** Writes all names and providers of models, without their best ranks (specification "Names of models"; decision 0077). */
export async function writeNames(
  writer: Writer,
  { state: { models }, aliases }: Pick<ViewParts, 'state' | 'aliases'>,
): Promise<void> {
  writer.view.exec('DELETE FROM aliases; DELETE FROM model_names; DELETE FROM model_providers');
  await writer.duckdb.run(
    `CREATE OR REPLACE TEMP TABLE names AS ${
      aliases === undefined
        ? 'SELECT NULL::DOUBLE AS model, NULL::VARCHAR AS id, NULL::VARCHAR AS upstream WHERE false'
        : `SELECT m.number AS model, a.id, a.upstream FROM read_parquet($1) a JOIN read_parquet($2) s ON s.id = a.model_id ${idSql('model', 's.id', 'm')}`
    }`,
    aliases === undefined ? [] : [aliases, models],
  );
  await insertRows(writer, {
    into: 'INSERT INTO aliases',
    sql: 'SELECT id, upstream, model FROM names',
  });
  await insertRows(writer, {
    into: 'INSERT INTO model_names',
    sql: `SELECT m.number, lower(concat_ws('${TEXTS_SEPARATOR}', s.id, s.name, n.ids)), coalesce(n.sent, '[]'),
        coalesce(len(list_distinct(s.inference)), 0)::DOUBLE, NULL
      FROM read_parquet($1) s ${idSql('model', 's.id', 'm')}
      LEFT JOIN (SELECT model, string_agg(id, '${TEXTS_SEPARATOR}' ORDER BY upstream, id) AS ids,
        to_json(list({upstream: upstream, id: id} ORDER BY upstream, id))::VARCHAR AS sent FROM names GROUP BY model) n ON n.model = m.number`,
    values: [models],
    checked: [2],
  });
  await insertRows(writer, {
    into: 'INSERT INTO model_providers',
    sql: `SELECT DISTINCT provider, m.number FROM (SELECT id, unnest(inference) AS provider FROM read_parquet($1)) s ${idSql('model', 's.id', 'm')}`,
    values: [models],
  });
  await writeNameForms(writer, models);
}

/** Writes the best rank of each model, of its names and of the rankings of the view: it changes more often than they do. */
export function writeBestRanks({ view }: Pick<Writer, 'view'>): void {
  view.exec(`UPDATE model_names SET best_rank = found.best
    FROM (SELECT n.model, min(rank) AS best FROM model_names n LEFT JOIN rankings r ON r.model = n.model GROUP BY n.model) found
    WHERE found.model = model_names.model AND best_rank IS NOT found.best`);
}
