import pg from 'pg';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { isClearAddress, UNCLEAR_ADDRESS } from '../../../runtime/shown-address.ts';
import { findSystemUser } from '../../../runtime/this-machine.ts';
import { type Column, type ColumnType, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import { type AnyRecord, inGroups, readLines } from '../json-lines.ts';
import {
  CREATE_INDEXES,
  columnsIn,
  columnsOf,
  type Dialect,
  EVENT_COLUMNS,
  EVENTS_KEY,
  EVENTS_TABLE,
  lineFrom,
  TablesCopy,
} from './tables.ts';

/** The keys compare by their bytes, as snapshots are sorted. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'text COLLATE "C"',
  text: 'text',
  'text[]': 'text[]',
  double: 'double precision',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz(3)',
  // Not jsonb, which sorts the keys.
  rates: 'json',
  modalities: 'json',
};

const DIALECT: Dialect = {
  types: TYPES,
  tablesSql: 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
  columnsSql: 'SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()',
  events: `seq bigint NOT NULL, occurred_on date NOT NULL, entity_type text NOT NULL,
    entity_id text COLLATE "C" NOT NULL, key json NOT NULL, op text NOT NULL, data json, schema_version text NOT NULL,
    PRIMARY KEY (${EVENTS_KEY.join(', ')})`,
  indexes: CREATE_INDEXES,
  begin: 'BEGIN',
  placeOf: (number) => `$${number}`,
};

const GROUP = 5000;

/** A copy in the first schema of the search path. Readers see it before or after an update. */
export class PostgresCopy extends TablesCopy {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    super(DIALECT);
    this.#client = client;
  }

  /**
   * Rejects with `usage` for an invalid address or a foreign database, `unavailable` if another process writes the
   * copy.
   * @param shown the address without its password
   */
  static async open(url: string, shown: string): Promise<PostgresCopy> {
    const client = clientFor(url, shown);
    // A broken connection fails the next statement.
    client.on('error', () => undefined);
    await client.connect().catch((cause: unknown) => {
      throw new AppError('usage', `${shown} can't be opened: ${messageFromError(cause)}`, { cause });
    });
    const copy = new PostgresCopy(client);
    try {
      await client.query(
        `SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET extra_float_digits = 1; SET lock_timeout = '1min'`,
      );
      await copy.#lock(shown);
      await copy.prepare(shown);
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  async *lines(name: DatasetName, version: string): AsyncGenerator<string, void> {
    const columns = columnsIn(name, version);
    const selected = columns.map(
      (column) => `${READ_SQL[column.type]?.(column.name) ?? column.name} AS ${column.name}`,
    );
    const key = DATASETS[name].key.join(', ');
    await this.#client.query('BEGIN READ ONLY');
    try {
      await this.#client.query(
        `DECLARE line_cursor NO SCROLL CURSOR FOR SELECT ${selected.join(', ')} FROM ${name} ORDER BY ${key}`,
      );
      for (;;) {
        const { rows } = await this.#client.query<AnyRecord>(`FETCH ${GROUP} FROM line_cursor`);
        for (const row of rows) yield lineFrom(columns, row, published);
        if (rows.length < GROUP) return;
      }
    } finally {
      await this.#client.query('COMMIT');
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  protected async run(sql: string, values: readonly (string | null)[] = []): Promise<void> {
    await this.#client.query(sql, [...values]);
  }

  protected async rows(sql: string): Promise<readonly AnyRecord[]> {
    return (await this.#client.query<AnyRecord>(sql)).rows;
  }

  protected async replace(name: DatasetName, path: string): Promise<void> {
    await this.run(`DELETE FROM ${name}`);
    await this.upsert(name, path);
  }

  protected remove(name: DatasetName, path: string): Promise<void> {
    return this.#forGroups(path, deleteSql(name));
  }

  protected upsert(name: DatasetName, path: string): Promise<void> {
    return this.#forGroups(path, insertSql(name));
  }

  protected addEvents(path: string): Promise<void> {
    return this.#forGroups(path, EVENTS_SQL);
  }

  /** Runs a statement with the lines of a file as a JSON array, in groups. */
  async #forGroups(path: string, sql: string): Promise<void> {
    for await (const lines of inGroups(readLines(path), GROUP)) {
      await this.#client.query(sql, [`[${lines.join(',')}]`]);
    }
  }

  /** The lock ends with the connection. */
  async #lock(shown: string): Promise<void> {
    const { rows } = await this.#client.query<{ isLocked: boolean | null }>(
      `SELECT pg_try_advisory_lock(hashtextextended('modelstats sync ' || current_schema(), 0)) AS "isLocked"`,
    );
    const [lock] = rows;
    if (lock?.isLocked === null)
      throw new AppError(
        'usage',
        `${shown}: no schema of the search_path exists; create one, or set another search_path`,
      );
    if (lock?.isLocked !== true) {
      throw new AppError('unavailable', `another modelstats sync is writing into ${shown}; wait until it ends`);
    }
  }
}

const CONNECT_MS_MAX = 10_000;

const JSON_TYPES: Readonly<Record<ColumnType, string>> = { ...TYPES, id: 'text', timestamp: 'timestamptz' };

function insertSql(name: DatasetName): string {
  const { key } = DATASETS[name];
  const columns = columnsOf(name);
  const types = columns.map((column) => `${column.name} ${JSON_TYPES[column.type]}`).join(', ');
  const rest = columns.filter((column) => !key.includes(column.name));
  const set = rest.map((column) => `${column.name} = excluded.${column.name}`).join(', ');
  const names = columns.map((column) => column.name).join(', ');
  return `INSERT INTO ${name} (${names}) SELECT ${names} FROM json_to_recordset($1::json) AS r (${types})
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set}`;
}

function deleteSql(name: DatasetName): string {
  const { key } = DATASETS[name];
  const same = key.map((part) => `${name}.${part} = gone.${part}`).join(' AND ');
  const types = key.map((part) => `${part} text`).join(', ');
  return `DELETE FROM ${name} USING json_to_recordset($1::json) AS gone (${types}) WHERE ${same}`;
}

const EVENTS_SQL = `INSERT INTO ${EVENTS_TABLE} (${EVENT_COLUMNS.join(', ')})
  SELECT ${EVENT_COLUMNS.join(', ')} FROM json_to_recordset($1::json) AS r (seq bigint, occurred_on date, entity_type text,
    entity_id text, key json, op text, data json, schema_version text)
  ON CONFLICT (${EVENTS_KEY.join(', ')}) DO UPDATE SET occurred_on = excluded.occurred_on, op = excluded.op, data = excluded.data`;

const READ_SQL: Readonly<Partial<Record<ColumnType, (name: string) => string>>> = {
  date: (name) => `${name}::text`,
};

function published({ type }: Column, value: unknown): unknown {
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  return type === 'bigint' && value !== null ? Number(value) : value;
}

function clientFor(url: string, shown: string): pg.Client {
  if (!isClearAddress(url)) throw new AppError('usage', `${shown}: ${UNCLEAR_ADDRESS}`);
  pg.defaults.user = findSystemUser() ?? pg.defaults.user; // As psql does for an address without a user, after PGUSER.
  return new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX, keepAlive: true });
}
