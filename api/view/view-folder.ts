import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../runtime/errors.ts';
import { FileStoreLock, LockTimeout } from '../../storage/file/lock.ts';

const LOCK = 'lock';
const CURRENT = 'current';
const STORE = 'store';
const VIEW_FILE = /^[0-9A-Z]+\.duckdb$/;

/** A finished view: the path of its database, and the names of all its files. */
export interface FinishedView {
  readonly path: string;
  readonly files: readonly string[];
}

/**
 * The folder that a process keeps its views in. It is a cache: whatever is missing or damaged is built anew.
 *
 * - One process a folder; a second one is refused.
 * - `current` names the view to begin with after a restart. It is replaced only by a view that is complete.
 * - `store` has the address of the store that the views are built from.
 */
export class ViewFolder {
  readonly path: string;
  readonly #release: () => void;

  private constructor(path: string, release: () => void) {
    this.path = path;
    this.#release = release;
  }

  /** Takes the folder; rejects with `configuration` where another process has it or it can't be written. */
  static async take(path: string): Promise<ViewFolder> {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const folder = new ViewFolder(path, await takeLock(join(path, LOCK)));
      return folder;
    } catch (cause) {
      const why = cause instanceof LockTimeout ? 'another process serves from it; give each its own' : String(cause);
      throw new AppError('configuration', `the folder for the view, ${path}, can't be used: ${why}`, { cause });
    }
  }

  /** Where a new view goes, and a folder for what it is made of. */
  place(id: string): { readonly path: string; readonly scratch: string } {
    return { path: join(this.path, `${id}.duckdb`), scratch: join(this.path, `${id}.parts`) };
  }

  /** The view to begin with, and the store that it was built from, where that is known; undefined where there is none. */
  async findCurrent(): Promise<{ readonly path: string; readonly url: string | undefined } | undefined> {
    const name = await readFile(join(this.path, CURRENT), 'utf8').catch(() => '');
    const url = await readFile(join(this.path, STORE), 'utf8').catch(() => undefined);
    return VIEW_FILE.test(name) ? { path: join(this.path, name), url } : undefined;
  }

  /**
   * Makes a finished view of the store at an address the one to begin with, and removes every other file; readers of an open one
   * don't notice.
   */
  async keepOnly(view: FinishedView | undefined, url: string): Promise<void> {
    const name = view === undefined ? undefined : view.path.slice(this.path.length + 1);
    if (name !== undefined) {
      // First the address, which an older `current` doesn't match then: it is asked about, not trusted.
      await writeFile(join(this.path, STORE), url);
      await writeFile(join(this.path, `${CURRENT}.new`), name);
      await rename(join(this.path, `${CURRENT}.new`), join(this.path, CURRENT));
    }
    const kept = new Set([LOCK, CURRENT, STORE, ...(view?.files ?? [])]);
    for (const entry of await readdir(this.path)) {
      if (!kept.has(entry) && !entry.startsWith(`${LOCK}-`))
        await rm(join(this.path, entry), { recursive: true, force: true });
    }
  }

  /** Gives the folder up, for the next process. */
  free(): void {
    this.#release();
  }
}

/** Holds the lock until the returned function is called. */
function takeLock(path: string): Promise<() => void> {
  const lock = new FileStoreLock(path, { timeoutMs: 0, random: Math.random });
  return new Promise((resolve, reject) => {
    lock.hold(() => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}
