import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import type { Awaitable } from '../../../runtime/awaitable.ts';
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

function targetOf(program: string): string {
  return program === 'minio' ? 'make minio' : 'make test-services';
}

/** A server of one test file, running as a process of its own; it can be killed and started again. */
export class ServerProcess {
  readonly #command: readonly string[];
  readonly #isReady: (said: string) => Awaitable<boolean>;
  readonly #env: NodeJS.ProcessEnv;
  #server: ChildProcess | undefined;
  #log = '';

  /** @param isReady whether it answers, by what it wrote to stdout so far; an error means that it doesn't yet */
  constructor(
    command: readonly string[],
    isReady: (said: string) => Awaitable<boolean>,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.#command = command;
    this.#isReady = isReady;
    this.#env = env;
  }

  /** Everything that its processes wrote, on both outputs. */
  get log(): string {
    return this.#log;
  }

  get isRunning(): boolean {
    return this.#server?.exitCode === null && this.#server.signalCode === null;
  }

  /** Starts the server, again after {@link end}; resolves when it answers. */
  async run(): Promise<void> {
    const [program = '', ...words] = this.#command;
    const server = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: this.#env });
    this.#server = server;
    let said = '';
    server.stdout.on('data', (chunk) => {
      said += chunk;
      this.#log += chunk;
    });
    server.stderr.on('data', (chunk) => {
      this.#log += chunk;
    });
    const isReady = async () => this.#isReady(said);
    for (let waitedMs = 0; !(await isReady().catch(() => false)); waitedMs += 20) {
      if (!this.isRunning || waitedMs > START_MS_MAX)
        throw new Error(`${program} did not start: ${this.#log.slice(-2000)}`);
      await sleep(20);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#server?.kill(signal);
  }

  /** Sends a signal and waits; says how the process ended, which may have been before. */
  async end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    const server = this.#server;
    if (server !== undefined && this.isRunning) {
      const closed = once(server, 'close');
      server.kill(signal);
      await closed;
    }
    return { code: server?.exitCode ?? null, signal: server?.signalCode ?? null };
  }
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
