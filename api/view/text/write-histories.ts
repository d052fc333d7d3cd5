import { dirname, join } from 'node:path';
import { type Database, sqlText } from '../../../storage/duckdb/database.ts';
import type { HistoryKind } from '../history-kinds.ts';
import { type TextMeta, type TextsMeta, textFileName } from './text-meta.ts';
import { sealText } from './write-text.ts';

/**
 * Writes the text of each kind's intervals, in the order of `view.history_<kind>`, and `view.text_<kind>`: a row for each series and
 * calendar year in which intervals of it begin, with the slice of the text that has them, and the first and last day that any of
 * them holds. So a long history is read in parts, and an answer needs one row of an index for a year of points.
 */
export async function writeHistories(database: Database, viewPath: string): Promise<TextsMeta['histories']> {
  const write = async (kind: HistoryKind): Promise<TextMeta> => {
    const path = join(dirname(viewPath), textFileName(viewPath, kind));
    const record = recordSql(kind);
    await database.run(`COPY (SELECT encode(${record}) FROM view.history_${kind}) TO ${sqlText(path)} (FORMAT blob)`);
    await database.run(
      `CREATE TABLE view.text_${kind} AS
       SELECT model_hash, model_id, series, year(valid_from) AS begun, min(valid_from) AS first_day,
         max(coalesce(valid_to, DATE '${OPEN}')) AS last_day, min(ends - bytes) AS text_from, max(ends) AS text_to
       FROM (SELECT *, (sum(bytes) OVER (ROWS UNBOUNDED PRECEDING))::BIGINT AS ends
             FROM (SELECT model_hash, model_id, series, valid_from, valid_to, strlen(${record}) AS bytes FROM view.history_${kind}))
       GROUP BY model_hash, model_id, series, begun ORDER BY model_hash, model_id, series, begun`,
    );
    return sealText(path);
  };
  return {
    score: await write('score'),
    ranking: await write('ranking'),
    pricing: await write('pricing'),
    metadata: await write('metadata'),
  };
}

/** The last day of an interval that hasn't ended. */
const OPEN = '9999-12-31';

/**
 * An interval as text, in one line: its first and last day, a letter for its source, and what follows the date in its points. A tab
 * marks where a ranking's point says how many were ranked on its day; neither tab nor line feed is in JSON text.
 */
function recordSql(kind: HistoryKind): string {
  const benchmark = kind === 'score' ? SERIES_SQL : `'null'`;
  const category = kind === 'ranking' ? SERIES_SQL : `'null'`;
  const payload = kind === 'ranking' ? `'{"positions":', chr(9), ',', payload[2:]` : 'payload';
  return `concat(valid_from, coalesce(valid_to, DATE '${OPEN}'), source[1], ',"value":', value, ',"benchmark_id":', ${benchmark},
    ',"category_id":', ${category}, ',"payload":', ${payload}, ',"source":"', source, '"}', chr(10))`;
}

const SERIES_SQL = 'CAST(to_json(series) AS VARCHAR)';
