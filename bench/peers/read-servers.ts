import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { Database, sqlText } from '../../storage/duckdb/database.ts';
import { processorMs, type Server } from '../api/servers.ts';

/** A page of scores that is asked for: of a benchmark, or with at least a value, in the order of the key. */
export interface ReadRequest {
  readonly benchmark: string;
  readonly minValue?: string;
}

/** A server that others have built, over the same scores. */
export interface ReadPeer {
  readonly name: string;
  /** Of a page of a hundred scores. */
  readonly path: (request: ReadRequest) => string;
  readonly start: (folder: string, bin: string) => Promise<Server>;
}

/** Both answer from a file that is made for them: an SQLite file with the same index, a Parquet file in the same order. */
export const READ_PEERS: readonly ReadPeer[] = [
  {
    name: 'Datasette',
    path: ({ benchmark, minValue }) =>
      `/scores/scores.json?_shape=array&_size=100&benchmark_id=${benchmark}` +
      (minValue === undefined ? '' : `&value__gte=${minValue}`),
    start: (folder, bin) =>
      startServer(folder, 'datasette', (port) => [
        join(bin, 'datasette'),
        join(folder, 'scores.db'),
        ...['--host', '127.0.0.1', '--port', String(port), '--setting', 'max_returned_rows', '1000'],
        ...['--setting', 'sql_time_limit_ms', '10000'],
      ]),
  },
  {
    name: 'ROAPI',
    path: ({ benchmark, minValue }) =>
      `/api/tables/scores?limit=100&filter[benchmark_id]=%27${benchmark}%27` +
      (minValue === undefined ? '' : `&filter[value]gte=${minValue}`),
    start: (folder, bin) =>
      startServer(folder, 'roapi', (port) => [
        join(bin, 'roapi'),
        ...['--addr-http', `127.0.0.1:${port}`, '--table', `scores=${join(folder, 'scores.parquet')}`],
      ]),
  },
];

/** Makes the files of both from a snapshot's scores. */
export async function prepareReads(folder: string, scores: string): Promise<void> {
  const duckdb = await Database.open(':memory:', {
    memoryLimit: '1GB',
    threads: 2,
    tempFolder: join(folder, 'duckdb'),
  });
  await duckdb.run(
    `COPY (SELECT * FROM read_json(${sqlText(scores)}, format = 'newline_delimited'))
     TO ${sqlText(join(folder, 'scores.parquet'))} (FORMAT parquet)`,
  );
  const database = new SqliteDatabase(join(folder, 'scores.db'));
  database.exec(`CREATE TABLE scores (model_id TEXT, benchmark_id TEXT, value REAL, source TEXT, measured_at TEXT,
    updated_at TEXT, PRIMARY KEY (model_id, benchmark_id))`);
  const insert = database.prepare('INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?)');
  const reader = await duckdb.connection.stream(
    `SELECT model_id, benchmark_id, value, source, measured_at::VARCHAR, updated_at::VARCHAR FROM ${sqlText(join(folder, 'scores.parquet'))}`,
  );
  database.exec('BEGIN');
  for await (const rows of reader.yieldRowsJs()) for (const row of rows) insert.run(row);
  database.exec('COMMIT');
  database.exec('CREATE INDEX scores_by_benchmark ON scores (benchmark_id, model_id); ANALYZE');
  database.close();
  duckdb.close();
}

async function startServer(
  folder: string,
  name: string,
  command: (port: number) => readonly string[],
): Promise<Server> {
  const port = await freePort();
  const log = await open(join(folder, `${name}.log`), 'a');
  const [program = '', ...args] = command(port);
  const child = spawn(program, args, { stdio: ['ignore', log.fd, log.fd] });
  await log.close();
  const origin = `http://127.0.0.1:${port}`;
  await waitFor(origin, child, name);
  return {
    origin,
    cpuMs: () => processorMs(child.pid ?? 0),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      return { cpuMs: Number.NaN, peakBytes: Number.NaN };
    },
  };
}

const START_MS_MAX = 120_000;

async function waitFor(origin: string, child: ChildProcess, name: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < START_MS_MAX && child.exitCode === null; waitedMs += 100) {
    const isThere = await fetch(origin).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await sleep(100);
  }
  throw new Error(`${name} did not start; its log is beside its files`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}
