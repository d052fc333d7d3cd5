import { crc32 } from 'node:zlib';
import { DATASETS } from '../../../schemas/datasets.ts';
import { recordsSql } from '../../../storage/duckdb/database.ts';
import { chunksOf, dayNumberSql, idSql, type Writer } from './writer.ts';

/**
 * Writes the sorted values of all scores by source and day of measurement, for counting without reading scores.
 *
 * @param scores the newest release's file
 */
export async function writeScoreValues({ duckdb, view }: Writer, scores: string): Promise<void> {
  view.exec('DELETE FROM score_values');
  const insert = view.prepare('INSERT INTO score_values VALUES (?, ?, ?, ?)');
  const records = await recordsSql(duckdb, DATASETS.scores, scores);
  const result = await duckdb.connection.stream(
    `SELECT o.number, ${dayNumberSql('s.measured_at')} AS measured_at, s.value
     FROM (${records}) s LEFT ${idSql('score source', 's.source', 'o')} ORDER BY ALL`,
  );
  let [source, day, values]: [unknown, unknown, number[]] = [undefined, undefined, []];
  const write = () => {
    if (values.length === 0) return;
    const sorted = Buffer.from(Float64Array.from(values).buffer);
    insert.run(source, day, sorted, crc32(sorted));
    values = [];
  };
  for await (const { columns } of chunksOf(result)) {
    const [sources = [], days = [], sorted = []] = columns;
    for (const [at, value] of sorted.entries()) {
      if (sources[at] !== source || days[at] !== day) {
        write();
        [source, day] = [sources[at], days[at]];
      }
      values.push(Number(value));
    }
  }
  write();
}
