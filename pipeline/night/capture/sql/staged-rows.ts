import { stat } from 'node:fs/promises';
import { type DuckDBAppender, type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { messageFromError } from '../../../../runtime/errors.ts';
import { TooMuch } from '../../../source/source-settings.ts';
import type { SelectColumns, StagedFile } from './messages.ts';
import type { RowSink } from './sandbox.ts';

/** Between two checks of the size; a block has up to 2048 rows. */
const BLOCKS_BETWEEN = 16;
/** For rows not yet in the file. */
const MEMORY_LIMIT = '256MiB';

/** Writes a SELECT's rows, in order and typed, to a DuckDB file, checking limits on the way. */
export class StagedRows implements RowSink {
  readonly #file: StagedFile;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  #appender: DuckDBAppender | undefined;
  #columns: SelectColumns = { names: [], types: [] };
  #rows = 0;
  #blocks = 0;

  private constructor(file: StagedFile, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#file = file;
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(file: StagedFile): Promise<StagedRows> {
    const instance = await DuckDBInstance.create(file.path, { memory_limit: MEMORY_LIMIT, threads: '1' });
    return new StagedRows(file, instance, await instance.connect());
  }

  async begin(columns: SelectColumns): Promise<void> {
    this.#columns = columns;
    const definitions = columns.types.map((type, index) => `c${index} ${type}`);
    // One transaction writes straight to the file and skips the log.
    await this.#connection.run('BEGIN');
    await this.#connection.run(`CREATE TABLE staged (${definitions.join(', ')})`);
    this.#appender = await this.#connection.createAppender('staged');
  }

  async take(rows: DuckDBDataChunk): Promise<void> {
    this.#rows += rows.rowCount;
    if (this.#rows > this.#file.rowsMax) throw new TooMuch(`gives more than ${this.#file.rowsMax} rows`);
    try {
      this.#appender?.appendDataChunk(rows);
      this.#blocks += 1;
      if (this.#blocks % BLOCKS_BETWEEN === 0) await this.#checkSize();
    } catch (cause) {
      throw faultOf(cause);
    }
  }

  async finish(): Promise<SelectColumns> {
    try {
      this.#appender?.closeSync();
      await this.#connection.run('COMMIT');
    } catch (cause) {
      throw faultOf(cause);
    }
    return this.#columns;
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #checkSize(): Promise<void> {
    this.#appender?.flushSync();
    const reader = await this.#connection.runAndReadAll(
      'SELECT sum(memory_usage_bytes + temporary_storage_bytes)::DOUBLE FROM duckdb_memory()',
    );
    const { size } = await stat(this.#file.path);
    if (size + Number(reader.value(0, 0)) > this.#file.bytesMax) {
      throw new TooMuch(`gives more than ${this.#file.bytesMax} bytes`);
    }
  }
}

/** The SELECT's fault where its rows are too large, else the disk's, or ours. */
function faultOf(cause: unknown): Error {
  if (cause instanceof TooMuch) return cause;
  const message = messageFromError(cause);
  if (message.startsWith('Out of Memory Error'))
    return new TooMuch(`gives rows too large for ${MEMORY_LIMIT} of memory`);
  return new Error(`the rows of source.sql can't be stored: ${message}`, { cause });
}
