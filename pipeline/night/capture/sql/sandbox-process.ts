import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { AppError } from '../../../../runtime/errors.ts';
import { programBeside } from '../../../../runtime/this-machine.ts';
import {
  type Order,
  ResponseSchema,
  rejectedSection,
  type SandboxResponse,
  type SandboxSettings,
  type Section,
  type SelectColumns,
  type StagedFile,
} from './messages.ts';

const CHILD = programBeside(import.meta.filename, 'sandbox-child');

/** Generous, for a busy machine. */
const START_MS_MAX = 60_000;

/** For the program, file readers, and rows in transit. */
const MEMORY_BESIDES_BYTES = 2 ** 30;

/** Between two checks of the process's memory. */
const POLL_MS = 10;

/** Characters; the last are kept. */
const COMPLAINT_MAX = 1000;

/** Relative to the day's folder; a pattern where no file matches. */
export interface MissingFile {
  readonly missing: string;
}

export interface SandboxProcessSettings extends SandboxSettings {
  /** For one SELECT. */
  readonly timeoutMs: number;
  readonly folder: string;
}

/**
 * The `source.sql` process, seen from its parent (decision 0039). It is killed when a SELECT takes too long or too much
 * memory, and ends with its parent. It has no environment, and its own process group: Ctrl-C reaches only the night.
 */
export class SandboxProcess {
  readonly #child: ChildProcess;
  readonly #settings: SandboxProcessSettings;
  readonly #ended: Promise<string>;
  #complaint = '';

  private constructor(settings: SandboxProcessSettings) {
    this.#settings = settings;
    this.#child = fork(CHILD.path, [], {
      execArgv: [...CHILD.execArgv],
      env: {},
      cwd: settings.folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-COMPLAINT_MAX);
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(error.message));
      this.#child.on('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
  }

  static async open(settings: SandboxProcessSettings): Promise<SandboxProcess> {
    const opened = new SandboxProcess(settings);
    const { timeoutMs: _timeoutMs, folder: _folder, ...sandbox } = settings;
    const timer = setTimeout(() => opened.#child.kill('SIGKILL'), START_MS_MAX);
    try {
      const response = await opened.#send({ settings: sandbox });
      if (typeof response === 'string') throw new Error(`the source.sql process can't be started: ${response}`);
      if ('failed' in response) throw new Error(response.failed);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Writes the rows of a SELECT to a file; resolves to the missing file where it names one. Rejects with
   * `source_rejected`, naming file and line, where it is not allowed, fails, or exceeds a limit; the process is
   * unusable afterwards.
   */
  async run(section: Section, staged: StagedFile): Promise<SelectColumns | MissingFile> {
    const watch = this.#watch();
    try {
      const response = await this.#send({ select: { section, staged } });
      if (typeof response === 'string') {
        throw rejectedSection(section, watch.excess() ?? `ended its process: ${response}`);
      }
      if ('columns' in response) return response.columns;
      if ('missing' in response) return response;
      if ('rejected' in response) throw new AppError('source_rejected', response.rejected);
      throw new Error('failed' in response ? response.failed : 'the source.sql process sent an unexpected response');
    } finally {
      watch.end();
    }
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Kills the process at its limit of time or memory, and says which. */
  #watch(): { readonly excess: () => string | undefined; readonly end: () => void } {
    const { timeoutMs, memoryLimit } = this.#settings;
    const bytesMax = bytesFromSize(memoryLimit) + MEMORY_BESIDES_BYTES;
    let excess: string | undefined;
    const kill = (reason: string) => {
      excess ??= reason;
      this.#child.kill('SIGKILL');
    };
    const timer = setTimeout(
      () =>
        kill(
          `takes longer than ${timeoutMs / 1000} seconds (MODELSTATS_SOURCE_SQL_TIMEOUT_SECONDS, sql_timeout_seconds)`,
        ),
      timeoutMs,
    );
    const polling = setInterval(() => {
      const bytes = this.#child.pid === undefined ? undefined : memoryOfProcess(this.#child.pid);
      if (bytes === undefined || bytes <= bytesMax) return;
      kill(`takes more memory than ${memoryLimit} (MODELSTATS_MEMORY_LIMIT) plus 1 GiB`);
    }, POLL_MS);
    return {
      excess: () => excess,
      end: () => {
        clearTimeout(timer);
        clearInterval(polling);
      },
    };
  }

  /** The response, or how the process ended instead. */
  #send(order: Order): Promise<SandboxResponse | string> {
    const received = new Promise<SandboxResponse>((resolve, reject) => {
      this.#child.once('message', (message) => {
        const { data, error } = ResponseSchema.safeParse(message);
        if (data === undefined) reject(error);
        else resolve(data);
      });
    });
    // A failed send means that the process ended, which `#ended` reports.
    this.#child.send(order, () => undefined);
    const ended = this.#ended.then((reason) =>
      [reason, this.#complaint.trim()].filter((text) => text !== '').join(': '),
    );
    return Promise.race([received, ended]);
  }
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** A size as DuckDB takes it, such as `1GB` or `512 MiB`. */
export function bytesFromSize(size: string): number {
  const [, number, unit = ''] = /^([\d.]+)\s?([KMGT]i?B)$/.exec(size) ?? [];
  const bytes = UNIT_BYTES[unit];
  if (number === undefined || bytes === undefined) throw new Error(`not a size: ${size}`);
  return Number(number) * bytes;
}

/** Memory and swap; undefined where the process has ended, or the system isn't Linux. */
export function memoryOfProcess(pid: number): number | undefined {
  const status = readStatus(pid);
  const sizes = [...(status?.matchAll(/^Vm(?:RSS|Swap):\s*(\d+) kB$/gm) ?? [])];
  return sizes.length === 0 ? undefined : sizes.reduce((sum, [, kibibytes]) => sum + Number(kibibytes) * 1024, 0);
}

function readStatus(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
}
