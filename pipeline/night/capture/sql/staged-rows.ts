import type { DuckDBAppender, DuckDBDataChunk } from '@duckdb/node-api';
import type { Dataset } from '../../../../schemas/datasets.ts';
import type { Database } from '../../../../storage/duckdb/database.ts';
import { TooMuch } from '../../source-limits.ts';
import { compareColumns, type Relation, textColumnSql } from '../relation.ts';
import type { RowTaker, SelectColumns } from './sandbox.ts';

export interface StagedLimits {
  readonly rowsMax: number;
  /** All rows together, as DuckDB holds them. */
  readonly fileBytesMax: number;
}

/** Blocks between two looks at the size: a block has up to 2048 rows. */
const BLOCKS_BETWEEN = 16;

/**
 * The rows that a SELECT of `source.sql` gave, in the night's database: `staged_<dataset>`, in their order, with the types that
 * they came with. Counted while they come, so that neither memory nor disk is filled by more than the limits.
 */
export class StagedRows implements RowTaker {
  readonly table: string;
  readonly #database: Database;
  readonly #dataset: Dataset;
  readonly #limits: StagedLimits;
  #appender: DuckDBAppender | undefined;
  #columns: SelectColumns = { names: [], types: [] };
  #rows = 0;
  #blocks = 0;
  #bytesBefore = 0;

  constructor(database: Database, dataset: Dataset, limits: StagedLimits) {
    this.table = `staged_${dataset.name}`;
    this.#database = database;
    this.#dataset = dataset;
    this.#limits = limits;
  }

  async begin(columns: SelectColumns): Promise<void> {
    this.#columns = columns;
    this.#bytesBefore = await this.#database.bytes();
    const definitions = columns.types.map((type, index) => `c${index} ${type}`);
    await this.#database.run(`CREATE TABLE ${this.table} (${definitions.join(', ')})`);
    this.#appender = await this.#database.connection.createAppender(this.table);
  }

  async take(rows: DuckDBDataChunk): Promise<void> {
    this.#rows += rows.rowCount;
    if (this.#rows > this.#limits.rowsMax) throw new TooMuch(`gives more than ${this.#limits.rowsMax} rows`);
    this.#appender?.appendDataChunk(rows);
    this.#blocks += 1;
    if (this.#blocks % BLOCKS_BETWEEN !== 0) return;
    const bytes = (await this.#database.bytes()) - this.#bytesBefore;
    if (bytes > this.#limits.fileBytesMax) throw new TooMuch(`gives more than ${this.#limits.fileBytesMax} bytes`);
  }

  /** Ends the taking; the rows as text, as those of a file are. */
  finish(): Relation {
    this.#appender?.closeSync();
    const { names, types } = this.#columns;
    const selected = this.#dataset.columns.map(({ name }) => {
      const index = names.indexOf(name);
      return textColumnSql(name, index < 0 ? undefined : { sql: `c${index}`, type: types[index] ?? '' });
    });
    return {
      sql: `SELECT ${selected.join(', ')} FROM ${this.table}`,
      parameters: [],
      ...compareColumns(this.#dataset, names),
      staged: this.table,
    };
  }
}
