import { formsOf, NAME_STEPS } from '../../../schemas/model-name.ts';
import { chunksOf, idSql, textSql, type Writer } from './writer.ts';

/** Writes the forms of all ids, names and aliases; needs the table `names` of `writeNames`. */
export async function writeNameForms({ duckdb, view }: Writer, models: string): Promise<void> {
  view.exec('DELETE FROM name_forms');
  const insert = view.prepare('INSERT INTO name_forms VALUES (?, ?, ?, ?, ?)');
  const result = await duckdb.connection.stream(
    `WITH s AS (SELECT m.number AS model, s.id, s.name FROM read_parquet($1) s ${idSql('model', 's.id', 'm')})
     SELECT model, 'id', ${textSql('id')} FROM s
     UNION ALL SELECT model, 'name', ${textSql('name')} FROM s WHERE name <> id
     UNION ALL SELECT DISTINCT model, 'alias', ${textSql('id')} FROM names`,
    [models],
  );
  for await (const { columns, rowCount } of chunksOf(result)) {
    const [numbers = [], kinds = [], texts = []] = columns;
    for (let at = 0; at < rowCount; at += 1) {
      const text = String(texts[at]);
      for (const { form, step } of formsOf(text)) {
        insert.run(form, NAME_STEPS.indexOf(step), kinds[at], numbers[at], text);
      }
    }
  }
}
