import { dirname, join } from 'node:path';
import { type Database, writeLines } from '../../../storage/duckdb/database.ts';
import type { HistoryKind } from '../tables/history-kinds.ts';
import { lineSql } from './history-line.ts';
import { Marker } from './history-marks.ts';
import { type HistoryMeta, type TextsMeta, textFileName } from './text-meta.ts';
import { sealText } from './write-text.ts';

/** Writes the text of each kind's intervals, in the order of `view.history_<kind>`. */
export async function writeHistories(database: Database, viewPath: string): Promise<TextsMeta['histories']> {
  const write = async (kind: HistoryKind): Promise<HistoryMeta> => {
    const path = join(dirname(viewPath), textFileName(viewPath, kind));
    await writeLines(database, `SELECT ${lineSql(kind)} FROM view.history_${kind}`, path);
    const marker = new Marker();
    const text = await sealText(path, (chunk) => marker.add(chunk));
    return { ...text, marks: marker.marks };
  };
  return {
    score: await write('score'),
    ranking: await write('ranking'),
    pricing: await write('pricing'),
    metadata: await write('metadata'),
  };
}
