import { readFile } from 'node:fs/promises';
import { StatementType } from '@duckdb/node-api';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import { AppError, messageFromError } from '../../schemas/errors.ts';
import { type Database, sqlText } from '../../storage/duckdb.ts';

/** The SELECT of each dataset that `source.sql` maps. */
export type SourceQueries = ReadonlyMap<DatasetName, string>;

const HEADING = new RegExp(`^--\\s*(?:name:|dataset:)?\\s*(${DATASET_NAMES.join('|')})\\s*$`);

/**
 * Reads `source.sql`: DuckDB SELECTs, each under a comment line that names its dataset (`-- models`). Relative paths in
 * them start at the day's folder. Rejects with `source_rejected`, naming file and line, where a part is not one SELECT.
 */
export async function loadSourceQueries(database: Database, path: string): Promise<SourceQueries> {
  const queries = new Map<DatasetName, string>();
  for (const section of sectionsFromSql(await readFile(path, 'utf8'))) {
    const where = `${path} line ${section.line} (${section.dataset})`;
    if (queries.has(section.dataset))
      throw new AppError('source_rejected', `${where}: ${section.dataset} stands twice`);
    await assertOneSelect(database, section.sql, where);
    queries.set(section.dataset, section.sql.trim().replace(/;$/, ''));
  }
  if (queries.size === 0) {
    throw new AppError(
      'source_rejected',
      `${path} maps no dataset: put each SELECT under a comment line such as "-- models"`,
    );
  }
  return queries;
}

/** Lets relative paths in SQL start at a day's folder. */
export async function setSearchFolder(database: Database, folder: string): Promise<void> {
  await database.run(`SET file_search_path = ${sqlText(folder)}`);
}

interface Section {
  readonly dataset: DatasetName;
  readonly line: number;
  readonly sql: string;
}

function sectionsFromSql(text: string): readonly Section[] {
  const lines = text.split(/\r?\n/);
  const starts = lines.flatMap((line, index) => {
    const dataset = DATASET_NAMES.find((name) => name === HEADING.exec(line.trim())?.[1]);
    return dataset === undefined ? [] : [{ dataset, index }];
  });
  return starts.map(({ dataset, index }, place) => ({
    dataset,
    line: index + 1,
    sql: lines.slice(index + 1, starts[place + 1]?.index).join('\n'),
  }));
}

async function assertOneSelect(database: Database, sql: string, where: string): Promise<void> {
  try {
    const statements = await database.connection.extractStatements(sql);
    if (statements.count !== 1) {
      throw new AppError('source_rejected', `${where}: expected one SELECT, found ${statements.count} statements`);
    }
    const statement = await statements.prepare(0);
    const type = statement.statementType;
    statement.destroySync();
    if (type !== StatementType.SELECT) throw new AppError('source_rejected', `${where}: only SELECT is allowed`);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (isMissingFileError(cause)) return; // it parses; that there is nothing to read is for capture to see
    throw new AppError('source_rejected', `${where}: ${messageFromError(cause)}`, { cause });
  }
}

/** True for DuckDB's complaint that a file named in SQL isn't there: the dataset is not captured then. */
export function isMissingFileError(error: unknown): boolean {
  return /No files found that match the pattern/.test(messageFromError(error));
}
