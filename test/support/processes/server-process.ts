import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import { findExecutable } from './servers.ts';

const START_MS_MAX = 30_000;
const POSTGRES_FOLDER = '/usr/lib/postgresql';

const TOOLS = join(import.meta.dirname, '../../../.tools');

/** Tests that need a program: left out, with the reason, where there is none; under CI=true its absence is a failure. */
export function describeWith(program: string, name: string, tests: () => void): void {
  if (findProgram(program) !== undefined || process.env['CI'] === 'true') {
    describe(name, tests);
    return;
  }
  const reason = `no ${program}, run \`${targetOf(program)}\``;
  console.warn(`left out: ${name}: ${reason}`);
  describe.skip(`${name} (left out: ${reason})`, tests);
}

/** What installs a program. */
function targetOf(program: string): string {
  return program === 'minio' ? 'make minio' : 'make test-services';
}

/** A server of one test file, running as a process of its own. */
export class ServerProcess {
  readonly #command: readonly string[];
  readonly #isReady: () => Promise<boolean>;
  readonly #env: NodeJS.ProcessEnv;
  #server: ChildProcess | undefined;

  constructor(command: readonly string[], isReady: () => Promise<boolean>, env: NodeJS.ProcessEnv = process.env) {
    this.#command = command;
    this.#isReady = isReady;
    this.#env = env;
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Starts the server, again after {@link end}; resolves when it answers. */
  async run(): Promise<void> {
    const [program = '', ...words] = this.#command;
    const server = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], env: this.#env });
    this.#server = server;
    let complaints = '';
    server.stderr.on('data', (chunk) => {
      complaints = `${complaints}${chunk}`.slice(-2000);
    });
    for (let waitedMs = 0; !(await this.#isReady()); waitedMs += 50) {
      if (hasEnded(server)) throw new Error(`${program} ended with ${server.exitCode}: ${complaints}`);
      if (waitedMs > START_MS_MAX) throw new Error(`${program} was not ready after ${START_MS_MAX} ms: ${complaints}`);
      await sleep(50);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#server?.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    if (server === undefined || hasEnded(server)) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** A program in .tools/, on PATH or among PostgreSQL's, whose newest version comes first. */
export function findProgram(name: string): string | undefined {
  const folders = [TOOLS, ...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...postgresFolders()];
  return findExecutable(name, folders);
}

export function getProgram(name: string): string {
  const program = findProgram(name);
  if (program === undefined) throw new Error(`there is no ${name}: run \`${targetOf(name)}\``);
  return program;
}

function postgresFolders(): string[] {
  try {
    const versions = readdirSync(POSTGRES_FOLDER).sort((one, other) => Number(other) - Number(one));
    return versions.map((version) => join(POSTGRES_FOLDER, version, 'bin'));
  } catch {
    return [];
  }
}
