import { crc32 } from 'node:zlib';
import { recordsSql } from '../../../storage/duckdb/database.ts';
import { DATASETS } from '../../../schemas/datasets.ts';
import { idSql, type Writer } from './writer.ts';

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
    `SELECT o.number, (s.measured_at - DATE '1970-01-01')::DOUBLE AS measured_at, s.value
     FROM (${records}) s LEFT ${idSql('score source', 's.source', 'o')} ORDER BY ALL`,
  );
  let [source, day, values]: [unknown, unknown, number[]] = [undefined, undefined, []];
  const write = () => {
    if (values.length === 0) return;
    const sorted = Buffer.from(Float64Array.from(values).buffer);
    insert.run(source, day, sorted, crc32(sorted));
    values = [];
  };
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const [sources = [], days = [], sorted = []] = chunk.getColumns();
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
