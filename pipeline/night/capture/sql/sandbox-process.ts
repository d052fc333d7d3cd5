import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { AppError } from '../../../../runtime/errors.ts';
import { programBeside } from '../../../../runtime/this-machine.ts';
import {
  type Answer,
  type Order,
  ResponseSchema,
  rejectedSection,
  type SandboxSettings,
  type Section,
  type SelectColumns,
  type StagedFile,
} from './messages.ts';

const CHILD = programBeside(import.meta.filename, 'sandbox-child');

/** For the process to be there, before any SELECT: a busy machine takes its time. */
const START_MS_MAX = 60_000;

/** What the process may take besides DuckDB's limit: for the program, readers of files, and rows on their way. */
const MEMORY_BESIDES_BYTES = 2 ** 30;

/** Between two looks at the process's memory: it may take as much more as it can fill in this time. */
const LOOK_MS = 10;

/** Kept of what the process complains of, in characters: the end. */
const COMPLAINT_MAX = 1000;

/** A file that a SELECT names and that isn't there, relative to the day's folder; or the pattern that no file matches. */
export interface MissingFile {
  readonly missing: string;
}

export interface SandboxProcessSettings extends SandboxSettings {
  /** For one SELECT, from its parsing to its last row. */
  readonly timeoutMs: number;
  /** Where the process works. */
  readonly folder: string;
}

/**
 * The process in which the SELECTs of a `source.sql` run, as its parent sees it (decision 0039). It is killed when a SELECT takes
 * too long or too much memory, whatever it is doing then, and ends when its parent does. It has no environment, and a process
 * group of its own: Ctrl-C at a terminal reaches the night only.
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

  /** Resolves when the process is ready for a SELECT. */
  static async open(settings: SandboxProcessSettings): Promise<SandboxProcess> {
    const opened = new SandboxProcess(settings);
    const { timeoutMs: _timeoutMs, folder: _folder, ...sandbox } = settings;
    const timer = setTimeout(() => opened.#child.kill('SIGKILL'), START_MS_MAX);
    try {
      const response = await opened.#ask({ settings: sandbox });
      if (typeof response === 'string') throw new Error(`the process of source.sql can't be started: ${response}`);
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
   * Runs the one SELECT of a section and puts its rows into a file; the missing file where one that it names isn't there. Rejects with
   * `source_rejected`, naming file and line, where it is no such SELECT, fails, or takes more than it may; nothing can be run then.
   */
  async run(section: Section, staged: StagedFile): Promise<SelectColumns | MissingFile> {
    const watch = this.#watch();
    try {
      const response = await this.#ask({ select: { section, staged } });
      if (typeof response === 'string') {
        throw rejectedSection(section, watch.excess() ?? `ended the process that it ran in: ${response}`);
      }
      if ('columns' in response) return response.columns;
      if ('missing' in response) return response;
      if ('rejected' in response) throw new AppError('source_rejected', response.rejected);
      throw new Error('failed' in response ? response.failed : 'the process of source.sql answered out of turn');
    } finally {
      watch.end();
    }
  }

  /** Resolves when the process is no more. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Kills the process when it takes too long or too much memory, and says then what was too much. */
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
    const looks = setInterval(() => {
      const bytes = this.#child.pid === undefined ? undefined : memoryOfProcess(this.#child.pid);
      if (bytes === undefined || bytes <= bytesMax) return;
      kill(`takes more memory than ${memoryLimit} (MODELSTATS_MEMORY_LIMIT) and 1 GiB besides`);
    }, LOOK_MS);
    return {
      excess: () => excess,
      end: () => {
        clearTimeout(timer);
        clearInterval(looks);
      },
    };
  }

  /** The answer to an order, or how the process ended instead. */
  #ask(order: Order): Promise<Answer | string> {
    const answered = new Promise<Answer>((resolve, reject) => {
      this.#child.once('message', (message) => {
        const { data, error } = ResponseSchema.safeParse(message);
        if (data === undefined) reject(error);
        else resolve(data);
      });
    });
    // An error of sending is the end of the process, of which `#ended` tells.
    this.#child.send(order, () => undefined);
    const ended = this.#ended.then((how) => [how, this.#complaint.trim()].filter((text) => text !== '').join(': '));
    return Promise.race([answered, ended]);
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

/** The bytes of a size as DuckDB takes it, such as `1GB` or `512 MiB`. */
export function bytesFromSize(size: string): number {
  const [, number, unit = ''] = /^([\d.]+)\s?([KMGT]i?B)$/.exec(size) ?? [];
  const bytes = UNIT_BYTES[unit];
  if (number === undefined || bytes === undefined) throw new Error(`not a size: ${size}`);
  return Number(number) * bytes;
}

/** What a process holds in memory and in swap, in bytes; undefined where it is gone, or where the system isn't Linux. */
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
