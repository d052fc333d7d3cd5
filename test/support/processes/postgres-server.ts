import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { describeWith, getProgram, ServerProcess } from './server-process.ts';
import { freePort } from './servers.ts';

const NOBODY = 65534;
const USER = 'modelstats';
const IS_ROOT = process.getuid?.() === 0;

/** A PostgreSQL server of one test file: loopback, a free port, a folder that goes away with it. */
export class PostgresServer {
  readonly #folder: string;
  readonly #process: ServerProcess;
  readonly #port: number;
  #databases = 0;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    const words = ['-D', join(folder, 'data'), '-h', '127.0.0.1', '-p', `${port}`, '-k', folder];
    // Full durability is what is tested; a small server starts faster.
    const settings = ['fsync=on', 'synchronous_commit=on', 'max_connections=60', 'shared_buffers=32MB'];
    const command = [getProgram('postgres'), ...words, ...settings.flatMap((setting) => ['-c', setting])];
    this.#process = new ServerProcess(asServerUser(command), () => isAnswering(this.urlOf('postgres')));
  }

  static async start(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'modelstats-postgres-'));
    if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
    chmodSync(folder, 0o700);
    const words = ['-D', join(folder, 'data'), '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-locale'];
    const [program = '', ...rest] = asServerUser([getProgram('initdb'), ...words, '--no-sync']);
    execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
    const server = new PostgresServer(folder, await freePort());
    await server.run();
    return server;
  }

  urlOf(database: string): string {
    return `postgres://${USER}@127.0.0.1:${this.#port}/${database}`;
  }

  /** The forms in which an address names the socket. */
  socketAddressesOf(database: string): readonly string[] {
    const encoded = encodeURIComponent(this.#folder);
    return [
      `postgres://${USER}@${encoded}:${this.#port}/${database}`,
      `postgres:///${database}?host=${this.#folder}&port=${this.#port}&user=${USER}`,
      `postgres://${USER}@/${database}?host=${this.#folder}&port=${this.#port}`,
    ];
  }

  addressesWithoutUser(database: string): readonly string[] {
    return [
      `postgres://127.0.0.1:${this.#port}/${database}`,
      `postgres:///${database}?host=${this.#folder}&port=${this.#port}`,
    ];
  }

  /** From now on this role logs in with its password; all others go on without. */
  async askForPasswords(role: string): Promise<void> {
    const path = join(this.#folder, 'data', 'pg_hba.conf');
    await writeFile(path, `host all ${role} 127.0.0.1/32 scram-sha-256\n${await readFile(path, 'utf8')}`);
    await queryOnce(this.urlOf('postgres'), 'select pg_reload_conf()');
  }

  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `accounts_${this.#databases}`;
    await queryOnce(this.urlOf('postgres'), `create database ${name}`);
    return this.urlOf(name);
  }

  /** Starts the server, again after {@link kill}, with the same data and address. */
  run(): Promise<void> {
    return this.#process.run();
  }

  /** Ends the server and all its connections, as `systemctl stop` would at once. */
  async halt(): Promise<void> {
    await this.#process.end('SIGINT');
  }

  async stop(): Promise<void> {
    await this.#process.end('SIGQUIT');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Tests that need PostgreSQL, and share a server; `another` makes an empty database in it and gives its address. */
export function describePostgres(
  name: string,
  tests: (server: () => PostgresServer, another: () => Promise<string>) => void,
): void {
  describeWith('postgres', name, () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    afterAll(() => server?.stop());
    tests(
      () => server,
      () => server.createDatabase(),
    );
  });
}

/** PostgreSQL refuses to run as root. */
function asServerUser(command: readonly string[]): readonly string[] {
  if (!IS_ROOT) return command;
  return [getProgram('setpriv'), `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...command];
}

/** Rejects where it can't be reached. */
async function isAnswering(url: string): Promise<boolean> {
  await queryOnce(url, 'select 1');
  return true;
}

async function queryOnce(connectionString: string, query: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(query);
  } finally {
    await client.end().catch(() => {});
  }
}
