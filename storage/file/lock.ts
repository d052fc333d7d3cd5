import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';

/**
 * A lock between processes and within one: SQLite's exclusive lock on a file, which the system releases when the
 * process ends, so no stale locks. A stopped process rightly keeps it, since it may continue. The file stays empty.
 * Never open it any other way: closing any descriptor releases the locks of the whole process.
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

  /** Rejects with {@link LockTimeout}, with SQLite's errors, or with those of the work. */
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
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number;
}

export class LockTimeout extends Error {
  override readonly name = 'LockTimeout';

  constructor(timeoutMs: number) {
    super(`another process has held the lock for ${timeoutMs} ms: it may be stopped or very slow`);
  }
}

/** Smaller: racing writers busy the CPUs. Larger: a free lock stays unused. */
const RETRY_DELAY_MS_MAX = 25;

/** The database whose open transaction is the lock; undefined if another process holds it. Never waits. */
function lockNow(path: string): Database.Database | undefined {
  const database = new Database(path, { timeout: 0 });
  try {
    // No journal file for a killed process to leave.
    database.pragma('journal_mode = memory');
    database.exec('BEGIN EXCLUSIVE');
    // On a read-only file BEGIN EXCLUSIVE locks nothing and succeeds; this statement, never committed, fails.
    database.exec('CREATE TABLE held (x)');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}
