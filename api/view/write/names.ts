import { TEXTS_SEPARATOR } from '../schema.ts';
import { writeNameForms } from './name-forms.ts';
import type { ViewParts } from './view-parts.ts';
import { idSql, insertRows, textSql, type Writer } from './writer.ts';

/** Writes all names and providers of models, and what orders them by relevance (specification "Names of models"; decision 0077). */
export async function writeNames(
  writer: Writer,
  { state: { models, rankings }, aliases }: Pick<ViewParts, 'state' | 'aliases'>,
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
    sql: `SELECT ${textSql('id')}, ${textSql('upstream')}, model FROM names`,
  });
  await insertRows(writer, {
    into: 'INSERT INTO model_names',
    sql: `SELECT m.number, lower(concat_ws('${TEXTS_SEPARATOR}', s.id, s.name, n.ids)), coalesce(n.sent, '[]'),
        coalesce(len(list_distinct(s.inference)), 0)::DOUBLE, r.best::DOUBLE
      FROM read_parquet($1) s ${idSql('model', 's.id', 'm')}
      LEFT JOIN (SELECT model_id, min(rank) AS best FROM read_parquet($2) GROUP BY model_id) r ON r.model_id = s.id
      LEFT JOIN (SELECT model, string_agg(id, '${TEXTS_SEPARATOR}' ORDER BY upstream, id) AS ids,
        to_json(list({upstream: upstream, id: id} ORDER BY upstream, id))::VARCHAR AS sent FROM names GROUP BY model) n ON n.model = m.number`,
    values: [models, rankings],
    checked: [2],
  });
  await insertRows(writer, {
    into: 'INSERT INTO model_providers',
    sql: `SELECT DISTINCT ${textSql('provider')}, m.number FROM (SELECT id, unnest(inference) AS provider FROM read_parquet($1)) s ${idSql('model', 's.id', 'm')}`,
    values: [models],
  });
  await writeNameForms(writer, models);
}
