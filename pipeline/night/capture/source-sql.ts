import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { StatementType } from '@duckdb/node-api';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import { AppError, messageFromError } from '../../../schemas/errors.ts';
import { type Database, sqlText } from '../../../storage/duckdb/database.ts';

/** The SELECT of each dataset that `source.sql` maps. */
export type SourceQueries = ReadonlyMap<DatasetName, string>;

const HEADING = new RegExp(`^--\\s*(?:name:|dataset:)?\\s*(${DATASET_NAMES.join('|')})\\s*$`, 'i');
/** Words with which a SELECT of DuckDB begins. */
const SELECT_WORD = /^[(\s]*(SELECT|WITH|FROM|VALUES|PIVOT|UNPIVOT)\b/i;
/** A comment, or a text or name that may hold what looks like one. */
const COMMENT_OR_QUOTED = /--[^\n]*|\/\*[\s\S]*?\*\/|e'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$/gi;

/**
 * Reads `source.sql`: DuckDB SELECTs, each under a comment line that names its dataset (`-- models`). Relative paths in
 * them start at the day's folder. Rejects with `source_rejected`, naming file and line, where a part is not one SELECT.
 */
export async function loadSourceQueries(database: Database, path: string): Promise<SourceQueries> {
  const queries = new Map<DatasetName, string>();
  for (const section of sectionsFromSql(await readSql(path))) {
    if (queries.has(section.dataset)) throw rejected(path, section, `${section.dataset} stands twice`);
    await assertOneSelect(database, path, section);
    queries.set(section.dataset, bareSql(section.sql));
  }
  if (queries.size === 0) throw new AppError('source_rejected', `${path} maps no dataset: ${HEADING_HINT}`);
  return queries;
}

const HEADING_HINT = `put each SELECT under a comment line with its dataset: ${DATASET_NAMES.map((name) => `-- ${name}`).join(', ')}`;

async function readSql(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new AppError('source_rejected', `${path}: is not UTF-8`);
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
    const dataset = DATASET_NAMES.find((name) => name === HEADING.exec(line.trim())?.[1]?.toLowerCase());
    return dataset === undefined ? [] : [{ dataset, index }];
  });
  return starts.map(({ dataset, index }, place) => ({
    dataset,
    line: index + 1,
    sql: lines.slice(index + 1, starts[place + 1]?.index).join('\n'),
  }));
}

/** A statement without comments and without what ends it, so that it can stand inside of another. */
function bareSql(sql: string): string {
  const isComment = (token: string) => token.startsWith('--') || token.startsWith('/*');
  return sql
    .replace(COMMENT_OR_QUOTED, (token) => (isComment(token) ? ' ' : token))
    .replace(/[\s;]+$/, '')
    .trim();
}

async function assertOneSelect(database: Database, path: string, section: Section): Promise<void> {
  const bare = bareSql(section.sql);
  if (bare === '') throw rejected(path, section, 'expected one SELECT, found none');
  try {
    const statements = await database.connection.extractStatements(section.sql);
    if (statements.count !== 1) {
      const found = `expected one SELECT, found ${statements.count} statements`;
      throw rejected(path, section, `${found}; ${HEADING_HINT}`);
    }
    if (!SELECT_WORD.test(bare)) throw rejected(path, section, 'only SELECT is allowed');
    const statement = await statements.prepare(0);
    const type = statement.statementType;
    statement.destroySync();
    if (type !== StatementType.SELECT) throw rejected(path, section, 'only SELECT is allowed');
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (isMissingFileError(cause)) return; // it parses; that there is nothing to read is for capture to see
    throw rejected(path, { ...section, line: section.line + lineFromDuckDB(cause) }, reasonFromDuckDB(cause));
  }
}

function rejected(path: string, { line, dataset }: Omit<Section, 'sql'>, reason: string): AppError {
  return new AppError('source_rejected', `${path} line ${line} (${dataset}): ${reason}`);
}

/** The line of a query at which DuckDB points, 1-based; 0 where it points at none. */
function lineFromDuckDB(error: unknown): number {
  return Number(/\nLINE (\d+): /.exec(messageFromError(error))?.[1] ?? 0);
}

/** What DuckDB says of a query, in one line, without the kind of error, the drawing and advice on extensions. */
export function reasonFromDuckDB(error: unknown): string {
  const [reason = ''] = messageFromError(error)
    .replace(/^Failed to extract statements: /, '')
    .replace(/^[A-Z][A-Za-z ]* Error: /, '')
    .split(/\n\s*\n/);
  return reason.replace(/\s*\n\s*/g, ' ').trim();
}

/** True for DuckDB's complaint that a file named in SQL isn't there: the dataset is not captured then. */
export function isMissingFileError(error: unknown): boolean {
  return /No files found that match the pattern/.test(messageFromError(error));
}
