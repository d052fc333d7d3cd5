/**
 * Runs the SELECTs of `source.sql` (specification "Source folder"; decision 0039) in a DuckDB of their own: it reads
 * only the given folders, without extensions or network, with locked settings and none of the night's data.
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
import { type SelectRules, validateSelect } from './select.ts';

/** An error that it throws ends the SELECT. */
export interface RowSink {
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
   * Resolves to the missing file where the SELECT names one, else to undefined. Rejects with `source_rejected`, naming
   * file and line, where it is not allowed or fails.
   */
  async run(section: Section, sink: RowSink): Promise<string | undefined> {
    try {
      await this.#stream(section, await this.#validate(section), sink);
      return undefined;
    } catch (cause) {
      const missing = missingFile(cause);
      if (missing !== undefined) return relative(this.#rules.folder, missing).split(sep).join('/');
      if (!isDuckDBError(cause)) throw cause;
      throw rejectedSection(section, reasonFromDuckDB(cause), lineFromDuckDB(cause), cause);
    }
  }

  /** With absolute paths and without absent files. */
  async #validate(section: Section): Promise<string> {
    const text = await this.#withoutAbsent(section);
    const { sql, problem, line } = validateSelect(text, await this.#parse(text), this.#rules);
    // Throws DuckDB's own error, with the line.
    if (problem === 'syntax') await this.#connection.extractStatements(text);
    if (problem !== undefined) throw rejectedSection(section, problem, line);
    return sql;
  }

  async #withoutAbsent(section: Section): Promise<string> {
    const { sql } = section;
    if (this.#absent.length === 0) return sql;
    const listFiles = async (pattern: string) => {
      const { folder } = this.#rules;
      const found = await this.#connection.runAndReadAll('SELECT file FROM glob($1)', [join(folder, pattern)]);
      return found.getRows().map(([path]) => relative(folder, String(path)).split(sep).join('/'));
    };
    const reject = (reason: string) => rejectedSection(section, reason);
    return withoutAbsentFiles(sql, await this.#parse(sql), { absent: this.#absent, listFiles, reject });
  }

  async #parse(sql: string): Promise<unknown> {
    const reader = await this.#connection.runAndReadAll(
      'SELECT json_serialize_sql($1::VARCHAR, skip_default := true)::VARCHAR',
      [sql],
    );
    return JSON.parse(String(reader.value(0, 0)));
  }

  async #stream(section: Section, sql: string, sink: RowSink): Promise<void> {
    const statements = await this.#connection.extractStatements(sql);
    const statement = await statements.prepare(0);
    try {
      if (statements.count !== 1 || statement.statementType !== StatementType.SELECT) {
        throw rejectedSection(section, 'only SELECT is allowed');
      }
      const result = await statement.stream();
      await sink.begin({ names: result.deduplicatedColumnNames(), types: result.columnTypes().map(String) });
      for (let rows = await result.fetchChunk(); rows !== null && rows.rowCount > 0; rows = await result.fetchChunk()) {
        await sink.take(rows);
      }
    } finally {
      statement.destroySync();
    }
  }
}

function missingFile(error: unknown): string | undefined {
  return /^IO Error: No files found that match the pattern "([\s\S]*?)"/.exec(messageFromError(error))?.[1];
}

function isDuckDBError(error: unknown): boolean {
  return /^(Failed to extract statements: )?[A-Z][A-Za-z ]*(Error|Exception)\b.*: /.test(messageFromError(error));
}

/** 1-based; 0 where DuckDB names no line. */
function lineFromDuckDB(error: unknown): number {
  return Number(/\nLINE (\d+): /.exec(messageFromError(error))?.[1] ?? 0);
}

const FORBIDDEN = /^Permission Error: Cannot access (?:file|directory) "([\s\S]*?)" - file system operations/;

/** In one line, without error class, pointer drawing, or advice on extensions. */
function reasonFromDuckDB(error: unknown): string {
  const message = messageFromError(error);
  const path = FORBIDDEN.exec(message)?.[1];
  if (path !== undefined) {
    return `may not read "${path}": only files of the day's folder, by a literal path`;
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
