/**
 * Where the SELECTs of `source.sql` run (specification "Source folder"; decision 0039): a DuckDB database of its own, whose only
 * sight of the machine is the given folders, for reading. No extensions, no network, no settings that could be changed, nothing
 * of the night's own data. Rows leave it block by block.
 */

import { join, relative, sep } from 'node:path';
import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance, StatementType } from '@duckdb/node-api';
import { messageFromError } from '../../../../runtime/errors.ts';
import { sqlText } from '../../../../storage/duckdb/database.ts';
import { withoutAbsentFiles } from './absent-files.ts';
import {
  type AbsentFile,
  rejectedSection,
  type SandboxSettings,
  type Section,
  type SelectColumns,
} from './messages.ts';
import { judgeSelect, type SelectRules } from './select.ts';

/** Takes the rows of a SELECT; what it throws ends the SELECT. */
export interface RowTaker {
  begin(columns: SelectColumns): Promise<void>;
  take(rows: DuckDBDataChunk): Promise<void>;
}

export class Sandbox {
  readonly #connection: DuckDBConnection;
  readonly #rules: SelectRules;
  readonly #absent: readonly AbsentFile[];

  private constructor(connection: DuckDBConnection, rules: SelectRules, absent: readonly AbsentFile[]) {
    this.#connection = connection;
    this.#rules = rules;
    this.#absent = absent;
  }

  static async open(settings: SandboxSettings): Promise<Sandbox> {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: settings.memoryLimit,
      threads: String(settings.threads),
      temp_directory: settings.spillFolder,
      max_temp_directory_size: `${settings.spillBytesMax}B`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_persistent_secrets: 'false',
      enable_external_file_cache: 'false',
    });
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    const views = await connection.runAndReadAll(
      `SELECT DISTINCT lower(view_name) FROM duckdb_views() WHERE schema_name <> 'information_schema'`,
    );
    await connection.run(`SET allowed_directories = [${settings.folders.map(sqlText).join(', ')}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    const systemTables = views.getRows().map(([name]) => String(name));
    return new Sandbox(connection, { folder: settings.folders[0], systemTables }, settings.absent ?? []);
  }

  /**
   * Runs the one SELECT of a section; resolves to the file where one that it names isn't there, else to undefined. Rejects with `source_rejected`, naming file
   * and line, where it is no such SELECT, or fails.
   */
  async run(section: Section, taker: RowTaker): Promise<string | undefined> {
    try {
      await this.#stream(section, await this.#judge(section), taker);
      return undefined;
    } catch (cause) {
      const missing = missingFile(cause);
      if (missing !== undefined) return relative(this.#rules.folder, missing).split(sep).join('/');
      if (!isDuckDBError(cause)) throw cause;
      throw rejectedSection(section, reasonFromDuckDB(cause), lineFromDuckDB(cause), cause);
    }
  }

  /** The section's statement, with absolute paths, and without what is absent. */
  async #judge(section: Section): Promise<string> {
    const text = await this.#withoutAbsent(section.sql);
    const { sql, problem, line } = judgeSelect(text, await this.#parse(text), this.#rules);
    // Throws where the text can't be parsed, and says at which line.
    if (problem === 'syntax') await this.#connection.extractStatements(text);
    if (problem !== undefined) throw rejectedSection(section, problem, line);
    return sql;
  }

  async #withoutAbsent(sql: string): Promise<string> {
    if (this.#absent.length === 0) return sql;
    const hasFiles = async (pattern: string) => {
      const found = await this.#connection.runAndReadAll('SELECT count(*)::DOUBLE FROM glob($1)', [
        join(this.#rules.folder, pattern),
      ]);
      return found.value(0, 0) !== 0;
    };
    return withoutAbsentFiles(sql, await this.#parse(sql), { absent: this.#absent, hasFiles });
  }

  /** DuckDB's parse tree of a text. */
  async #parse(sql: string): Promise<unknown> {
    const reader = await this.#connection.runAndReadAll(
      'SELECT json_serialize_sql($1::VARCHAR, skip_default := true)::VARCHAR',
      [sql],
    );
    return JSON.parse(String(reader.value(0, 0)));
  }

  async #stream(section: Section, sql: string, taker: RowTaker): Promise<void> {
    const statements = await this.#connection.extractStatements(sql);
    const statement = await statements.prepare(0);
    try {
      if (statements.count !== 1 || statement.statementType !== StatementType.SELECT) {
        throw rejectedSection(section, 'only SELECT is allowed');
      }
      const result = await statement.stream();
      await taker.begin({ names: result.deduplicatedColumnNames(), types: result.columnTypes().map(String) });
      for (let rows = await result.fetchChunk(); rows !== null && rows.rowCount > 0; rows = await result.fetchChunk()) {
        await taker.take(rows);
      }
    } finally {
      statement.destroySync();
    }
  }
}

/** The path in DuckDB's complaint that a file named in SQL isn't there: the dataset is not captured then. */
function missingFile(error: unknown): string | undefined {
  return /^IO Error: No files found that match the pattern "([\s\S]*?)"/.exec(messageFromError(error))?.[1];
}

function isDuckDBError(error: unknown): boolean {
  return /^(Failed to extract statements: )?[A-Z][A-Za-z ]*(Error|Exception)\b.*: /.test(messageFromError(error));
}

/** The line of a query at which DuckDB points, 1-based; 0 where it points at none. */
function lineFromDuckDB(error: unknown): number {
  return Number(/\nLINE (\d+): /.exec(messageFromError(error))?.[1] ?? 0);
}

const FORBIDDEN = /^Permission Error: Cannot access (?:file|directory) "([\s\S]*?)" - file system operations/;

/** What DuckDB says of a query, in one line, without the kind of error, the drawing and advice on extensions. */
function reasonFromDuckDB(error: unknown): string {
  const message = messageFromError(error);
  const path = FORBIDDEN.exec(message)?.[1];
  if (path !== undefined) {
    return `may not read "${path}": only files of the day's folder, by a path that is written out`;
  }
  const start = message.startsWith('Out of Memory Error')
    ? 'takes more memory than DuckDB may (MODELSTATS_MEMORY_LIMIT): '
    : '';
  const [reason = ''] = message
    .replace(/^Failed to extract statements: /, '')
    .replace(/^[A-Z][A-Za-z ]* Error: /, '')
    .split(/\n\s*\n/);
  return start + reason.replace(/\s*\n\s*/g, ' ').trim();
}
