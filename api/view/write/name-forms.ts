import { DATASETS } from '../../../schemas/datasets.ts';
import { formsOf } from '../../../schemas/model-name.ts';
import { recordsSql } from '../../../storage/duckdb/database.ts';
import { chunksOf } from './chunks.ts';
import { idSql, type Writer } from './writer.ts';

/** Longer names are never requested. */
const NAME_LENGTH_MAX = 200;

/** Writes the forms of all ids, names and aliases, and of ids without their upstream; needs the table `names` of `writeNames`. */
export async function writeNameForms({ duckdb, view }: Writer, models: string): Promise<void> {
  view.exec('DELETE FROM name_forms');
  const insert = view.prepare('INSERT OR IGNORE INTO name_forms VALUES (?, ?, ?, ?, ?)');
  const records = await recordsSql(duckdb, DATASETS.models, models);
  const result = await duckdb.connection.stream(
    `WITH s AS (SELECT m.number AS model, s.id, s.name, s.source FROM (${records}) s ${idSql('model', 's.id', 'm')})
     SELECT model, 'id', id FROM s
     UNION ALL SELECT model, 'name', name FROM s WHERE length(name) <= ${NAME_LENGTH_MAX}
     UNION ALL SELECT DISTINCT model, 'alias', id FROM names
     UNION ALL SELECT model, 'name', substr(id, length(source) + 2) FROM s WHERE starts_with(id, source || ':')`,
  );
  for await (const { columns, rowCount } of chunksOf(result)) {
    const [numbers = [], kinds = [], texts = []] = columns;
    for (let at = 0; at < rowCount; at += 1) {
      const text = String(texts[at]);
      for (const { form, distance } of formsOf(text)) {
        insert.run(form, distance, kinds[at], numbers[at], text);
      }
    }
  }
}
