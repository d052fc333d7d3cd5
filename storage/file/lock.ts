import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';

/**
 * A lock between processes, and between objects of one process, that dies with whoever holds it.
 *
 * It is the exclusive lock that SQLite puts on a file: the operating system drops it when the process ends, however it ends,
 * so there are no stale locks to find or break. A process that is merely stopped keeps it, and rightly: it may go on at any time.
 * The file stays empty; nothing is ever committed to it.
 *
 * Never open the lock file in any other way: closing any descriptor of it would drop the locks of the whole process.
 */
export class FileStoreLock {
  readonly #path: string;
  readonly #timeoutMs: number;
  readonly #random: () => number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, options: FileStoreLockOptions) {
    this.#path = path;
    this.#timeoutMs = options.timeoutMs;
    this.#random = options.random;
  }

  /** Runs the work while holding the lock. Rejects with {@link LockTimeout}, with SQLite's errors, and with the work's own. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(() => this.#holdNow(work));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #holdNow<T>(work: () => Promise<T>): Promise<T> {
    const database = await this.#acquire();
    try {
      return await work();
    } finally {
      database.close();
    }
  }

  async #acquire(): Promise<Database.Database> {
    for (let waitedMs = 0, attempt = 0; ; attempt += 1) {
      const database = await this.#tryOnce();
      if (database !== undefined) return database;
      if (waitedMs >= this.#timeoutMs) throw new LockTimeout(this.#timeoutMs);
      const delayMs = 1 + this.#random() * Math.min(2 ** attempt, RETRY_DELAY_MS_MAX);
      await sleep(delayMs);
      waitedMs += delayMs;
    }
  }

  async #tryOnce(): Promise<Database.Database | undefined> {
    try {
      return lockNow(this.#path);
    } catch (error) {
      await access(dirname(this.#path), constants.W_OK); // SQLite hides the system's reason; this throws it.
      throw error;
    }
  }
}

export interface FileStoreLockOptions {
  readonly timeoutMs: number;
  /** 0 ≤ x < 1, for the jitter of the retries. */
  readonly random: () => number;
}

/** Somebody else held the lock all the time. */
export class LockTimeout extends Error {
  override readonly name = 'LockTimeout';

  constructor(timeoutMs: number) {
    super(`another process has held the lock for ${timeoutMs} ms; it may be stopped or very slow`);
  }
}

/** Smaller: racing writers keep each other's CPUs busy. Larger: a free lock lies idle. */
const RETRY_DELAY_MS_MAX = 25;

/** The database whose open transaction is the lock; undefined where somebody else has it. Never waits. */
function lockNow(path: string): Database.Database | undefined {
  const database = new Database(path, { timeout: 0 });
  try {
    // No journal file that a killed process would leave behind.
    database.pragma('journal_mode = memory');
    database.exec('BEGIN EXCLUSIVE');
    // On a file that is not writable, SQLite's BEGIN EXCLUSIVE quietly locks nothing; this (never committed) tells.
    database.exec('CREATE TABLE held (x)');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}
