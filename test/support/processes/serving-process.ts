import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { V1_ROUTES } from '../../../api/data/routes/data-routes.ts';
import { COMMAND } from './cli.ts';

/** A backstop that is in nobody's way, as a setting. */
const WIDE_BACKSTOP = V1_ROUTES.map(({ name }) => `${name}=1000000`).join(',');

export interface ServingOptions {
  /** The store's folder. */
  readonly store: string;
  /** The control database's address. */
  readonly database: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options of `serve` besides `--json`. */
  readonly args?: readonly string[];
  /** The Node that runs it; the one that runs the tests unless named. */
  readonly node?: string;
}

/** A process of `modelstats serve` on a free port, with a view of its own; it can be killed and started again. */
export class ServingProcess {
  readonly #options: ServingOptions;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #url = '';
  #log = '';

  private constructor(options: ServingOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  static async start(options: ServingOptions): Promise<ServingProcess> {
    const serving = new ServingProcess(options, await mkdtemp(join(tmpdir(), 'modelstats-serving-')));
    await serving.run();
    return serving;
  }

  get url(): string {
    return this.#url;
  }

  /** Everything that its processes wrote, on both outputs. */
  get log(): string {
    return this.#log;
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts it, again after {@link end}; resolves when it serves data. */
  async run(): Promise<void> {
    const { store, database, env = {}, args = [], node = process.execPath } = this.#options;
    const child = spawn(node, [COMMAND, 'serve', '--json', ...args], {
      env: {
        PATH: process.env['PATH'],
        NO_COLOR: '1',
        MODELSTATS_STORE: `file:${store}`,
        MODELSTATS_DATABASE: database,
        MODELSTATS_VIEW: join(this.#folder, 'view'),
        MODELSTATS_WORK: join(this.#folder, 'work'),
        MODELSTATS_PORT: '0',
        MODELSTATS_THREADS: '1',
        MODELSTATS_BACKSTOP: WIDE_BACKSTOP,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let answer = '';
    child.stdout.on('data', (chunk) => {
      answer += chunk;
      this.#log += chunk;
    });
    child.stderr.on('data', (chunk) => {
      this.#log += chunk;
    });
    // However long a busy machine takes: what hangs ends with its test.
    for (;;) {
      this.#url = /"url":"([^"]+)"/.exec(answer)?.[1] ?? '';
      if (this.#url !== '' && (await isReady(this.#url))) return;
      if (!this.isRunning) throw new Error(`serve did not start: ${this.#log.slice(-2000)}`);
      await sleep(20);
    }
  }

  /** Sends a signal and waits; says how the process ended, which may have been before. */
  async end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    const child = this.#child;
    if (child === undefined) return { code: null, signal: null };
    if (this.isRunning) {
      const closed = once(child, 'close');
      child.kill(signal);
      await closed;
    }
    return { code: child.exitCode, signal: child.signalCode };
  }

  async dispose(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}
