import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../runtime/errors.ts';
import { isSameRecord } from '../../schemas/catalog.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { FileStoreLock, LockTimeout } from '../../storage/file/lock.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { HISTORY_KINDS } from './tables/history-kinds.ts';
import { type TextsMeta, textFileName } from './text/text-meta.ts';
import type { ViewMeta } from './view-meta.ts';

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

/** A view that an earlier process left, and the address of the store that it was built from, where that is known. */
export interface KeptView {
  readonly meta: ViewMeta;
  readonly url: string | undefined;
}

/**
 * How long a store may take to say what it holds before a kept view is served without its word, in milliseconds. Longer: a
 * process that starts while the store is away answers 503 for longer. Shorter: a slow store is taken for one that is away.
 */
export const RESPONSE_MS_MAX = 5000;

/**
 * True where a kept view is of the record that a store holds (decision 0043): another store's data must not be served, not for a
 * second. Where the store doesn't answer in time, its address is taken for its word. Never rejects.
 */
export async function isKeptFrom(
  store: ObjectStore,
  { meta, url }: KeptView,
  responseMsMax = RESPONSE_MS_MAX,
): Promise<boolean> {
  const giveUp = new AbortController();
  const late = sleep(responseMsMax, undefined, { ref: false, signal: giveUp.signal }).catch(() => undefined);
  const response = await Promise.race([holdsRecord(store, meta).catch(() => undefined), late]);
  giveUp.abort();
  return response ?? url === store.url;
}

/** Whether a store holds what a view was built from; rejects where it can't be asked. */
async function holdsRecord(store: ObjectStore, { catalog: kept }: ViewMeta): Promise<boolean> {
  const { catalog } = await loadCatalog(store).catch(() => ({ catalog: undefined }));
  if (catalog !== undefined) return isSameRecord(kept, catalog);
  // A store that has lost its catalog, or whose catalog is damaged, still has its releases.
  const first = kept.releases[0];
  return first !== undefined && (await store.head(releaseKey(first, RELEASE_PATHS.release))) !== undefined;
}

/**
 * The files of a view, by the path of its database: `<id>.duckdb`, a text for each kind of history, and the feed's text, which may have
 * been begun by a view before it.
 *
 * The names of the files that a view is read from.
 */
export function viewFileNames(path: string, { feed, histories }: TextsMeta): readonly string[] {
  return [path, feed.file, ...Object.values(histories).map(({ file }) => file)].map((name) => basename(name));
}

/** Removes what was written for a view at a path; what it has of another view's stays. */
export async function removeView(path: string): Promise<void> {
  const texts = (['feed', ...HISTORY_KINDS] as const).map((text) => join(dirname(path), textFileName(path, text)));
  for (const file of [path, `${path}.wal`, ...texts]) await rm(file, { force: true });
}
