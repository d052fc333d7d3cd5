import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../runtime/errors.ts';
import { isSameRecord } from '../../../schemas/catalog.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import { FileStoreLock, LockTimeout } from '../../../storage/file/lock.ts';
import { RELEASE_PATHS, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { FinishedView } from '../view.ts';
import type { ViewMeta } from '../view-meta.ts';

const LOCK = 'lock';
const CURRENT = 'current';
const STORE = 'store';
const CURRENT_VIEW = /^([0-9A-Z]+\.sqlite) (\d+)$/;

/**
 * A process's cache of views: missing or damaged files are rebuilt.
 *
 * - `current` has the name and the sum of the view to open after a restart, always a complete one.
 * - `store` has the address of their store.
 */
export class ViewFolder {
  readonly path: string;
  readonly #release: () => void;

  private constructor(path: string, release: () => void) {
    this.path = path;
    this.#release = release;
  }

  /** Rejects with `configuration` if another process uses the folder or it isn't writable. */
  static async acquire(path: string): Promise<ViewFolder> {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const folder = new ViewFolder(path, await acquireLock(join(path, LOCK)));
      return folder;
    } catch (cause) {
      const reason =
        cause instanceof LockTimeout ? 'another process uses it; give each process its own folder' : String(cause);
      throw new AppError('configuration', `the view folder ${path} can't be used: ${reason}`, { cause });
    }
  }

  pathsFor(id: string): { readonly path: string; readonly scratch: string } {
    return { path: join(this.path, `${id}.sqlite`), scratch: join(this.path, `${id}.parts`) };
  }

  /** With the address of its store, if known. */
  async findCurrent(): Promise<(FinishedView & { readonly url: string | undefined }) | undefined> {
    const current = await readFile(join(this.path, CURRENT), 'utf8').catch(() => '');
    const url = await readFile(join(this.path, STORE), 'utf8').catch(() => undefined);
    const [, name, sum] = CURRENT_VIEW.exec(current) ?? [];
    return name === undefined ? undefined : { path: join(this.path, name), sum: Number(sum), url };
  }

  /** Makes a view the current one and removes all other files; open views stay readable. */
  async keepOnly(view: FinishedView | undefined, url: string): Promise<void> {
    const name = view && basename(view.path);
    if (view !== undefined) {
      // First the address: after a crash in between, the old `current` isn't trusted.
      await writeFile(join(this.path, STORE), url);
      await writeFile(join(this.path, `${CURRENT}.new`), `${name} ${view.sum}`);
      await rename(join(this.path, `${CURRENT}.new`), join(this.path, CURRENT));
    }
    const retained = new Set([LOCK, CURRENT, STORE, name]);
    for (const entry of await readdir(this.path)) {
      if (!retained.has(entry) && !entry.startsWith(`${LOCK}-`))
        await rm(join(this.path, entry), { recursive: true, force: true });
    }
  }

  release(): void {
    this.#release();
  }
}

/** Resolves to the function that releases the lock. */
function acquireLock(path: string): Promise<() => void> {
  const lock = new FileStoreLock(path, { timeoutMs: 0, random: Math.random });
  return new Promise((resolve, reject) => {
    lock.hold(() => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}

/** A view of an earlier process. */
export interface CachedView {
  readonly meta: ViewMeta;
  /** Of the store that it was built from, if known. */
  readonly url: string | undefined;
}

/**
 * How long to wait for a store to confirm a cached view. Longer: a start without the store responds 503 for longer. Shorter: a slow
 * store counts as unreachable.
 */
export const RESPONSE_MS_MAX = 5000;

/**
 * Whether a store holds the releases of a cached view (decision 0043), so that another store's data is never served. If the store
 * doesn't respond in time, its address decides. Never rejects.
 */
export async function isFromStore(
  store: ObjectStore,
  { meta, url }: CachedView,
  responseMsMax = RESPONSE_MS_MAX,
): Promise<boolean> {
  const timeout = new AbortController();
  const late = sleep(responseMsMax, undefined, { ref: false, signal: timeout.signal }).catch(() => undefined);
  const response = await Promise.race([holdsReleases(store, meta).catch(() => undefined), late]);
  timeout.abort();
  return response ?? url === store.url;
}

/** Rejects if the store can't be read. */
async function holdsReleases(store: ObjectStore, { catalog: cached }: ViewMeta): Promise<boolean> {
  const { catalog } = await loadCatalog(store).catch(() => ({ catalog: undefined }));
  if (catalog !== undefined) return isSameRecord(cached, catalog);
  // Without a readable catalog, a store still has its releases.
  const first = cached.releases[0];
  return first !== undefined && (await store.head(releaseKey(first, RELEASE_PATHS.release))) !== undefined;
}

export async function removeView(path: string): Promise<void> {
  await rm(path, { force: true });
}
