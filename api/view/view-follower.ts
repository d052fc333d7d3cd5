import { ulid } from 'ulid';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import { doublingMs } from '../../runtime/retry.ts';
import type { OptionsFrom } from '../../runtime/setting.ts';
import { type Catalog, type CatalogEntry, isSameRecord } from '../../schemas/catalog.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import type { Release } from '../../schemas/release.ts';
import { loadCatalog, loadRelease, newestEntry } from '../../storage/catalog.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { type BuiltView, buildView } from './build-view.ts';
import type { QueryLimits, VIEW_SETTINGS } from './settings.ts';
import { View } from './view.ts';
import { type ViewEvent, viewProblemFrom } from './view-events.ts';
import { isKeptFrom, removeView, type ViewFolder } from './view-folder.ts';

/** While there is nothing to serve yet. Larger: clients begin later than they could. Smaller: they ask in vain more often. */
export const START_RETRY_SECONDS = 5;

export interface FollowerSettings extends Omit<OptionsFrom<typeof VIEW_SETTINGS>, 'folder'> {
  /** DuckDB's memory and threads for serving; a build beside it may take as much memory again. */
  readonly duckdb: { readonly memoryLimit: string; readonly threads: number };
  readonly limits: QueryLimits;
}

export interface FollowerDeps {
  readonly store: ObjectStore;
  readonly folder: ViewFolder;
  readonly clock: () => Date;
  /** Versions of the records; default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
  readonly onEvent: (event: ViewEvent) => void;
  /** Told of the newest release whenever it is another than before, and of the first. */
  readonly onRelease?: ((release: Release) => void) | undefined;
}

/**
 * Keeps the view that of the newest catalog (specification "Following the catalog"): looks at the catalog, builds the next view
 * beside the one in use, swaps. Whatever goes wrong, the old view keeps serving and the next attempt comes; nothing of a failed
 * one is served.
 */
export class ViewFollower {
  readonly #settings: FollowerSettings;
  readonly #deps: FollowerDeps;
  #view: View | undefined;
  #problem: HealthProblem | undefined;
  /** The catalog's version that the view shows. */
  #etag: string | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  readonly #served = Promise.withResolvers<void>();

  constructor(settings: FollowerSettings, deps: FollowerDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** The view to answer from; throws `unavailable` before there is one. */
  current(): View {
    if (this.#view !== undefined) return this.#view;
    throw new AppError('unavailable', 'no release can be served yet', { retryAfterSeconds: START_RETRY_SECONDS });
  }

  /** Resolves once there is a view to answer from. */
  get served(): Promise<void> {
    return this.#served.promise;
  }

  /** Why the view isn't that of the newest catalog, for the public. */
  get problem(): HealthProblem | undefined {
    return this.#problem;
  }

  /** The release that is served; undefined before there is one. */
  get release(): CatalogEntry | undefined {
    return this.#view?.newest;
  }

  /** Opens what an earlier process left, where it is any good, then follows until stopped. Resolves after the first look. */
  async start(): Promise<void> {
    this.#running = this.#running.then(() => this.#openCached());
    await this.refresh();
    this.#schedule();
  }

  /** Looks at the catalog now; resolves when the view is that of the newest one, or the attempt has failed. */
  refresh(): Promise<void> {
    this.#running = this.#running.then(() => this.#refresh());
    return this.#running;
  }

  /** Ends following; closes the view when its last request is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    const view = this.#view;
    this.#view = undefined;
    await view?.retire();
    this.#deps.folder.free();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const { pollMs, retryMaxMs } = this.#settings;
    const delayMs = this.#failures === 0 ? pollMs : doublingMs(this.#failures, { firstMs: pollMs, maxMs: retryMaxMs });
    this.#timer = setTimeout(() => {
      void this.refresh().finally(() => this.#schedule()); // It never rejects.
    }, delayMs);
    this.#timer.unref();
  }

  async #refresh(): Promise<void> {
    if (this.#isStopped) return;
    try {
      await this.#follow();
      this.#recover();
    } catch (error) {
      if (!(error instanceof NothingPublished)) this.#failures += 1;
      this.#fail(error);
    }
  }

  #recover(): void {
    const problem = this.#problem;
    this.#failures = 0;
    this.#problem = undefined;
    if (problem !== undefined) this.#deps.onEvent({ type: 'recovered', since: problem.since });
  }

  #fail(error: unknown): void {
    this.#problem = viewProblemFrom(error, this.#problem?.since ?? this.#deps.clock());
    this.#deps.onEvent({ type: 'failed', error });
  }

  async #follow(): Promise<void> {
    const { store, folder } = this.#deps;
    const head = await store.head(CATALOG_KEY);
    if (head !== undefined && head.etag === this.#etag && this.#view !== undefined) return;
    const { catalog, etag } = await loadCatalog(store);
    if (catalog === undefined) throw this.#noCatalog();
    if (this.#view !== undefined && JSON.stringify(this.#view.meta.catalog) === JSON.stringify(catalog)) {
      this.#etag = etag;
      await this.#tellRelease(catalog);
      return;
    }
    this.#assertSameRecord(catalog);
    const startedAt = this.#deps.clock();
    const { path, isExtended } = await this.#build(catalog);
    this.#swap(await this.#openNew(path));
    await folder.keepOnly(this.#view, store.url);
    this.#etag = etag;
    const durationMs = this.#deps.clock().getTime() - startedAt.getTime();
    const { day } = this.current().newest;
    this.#deps.onEvent({ type: 'swapped', day, durationMs, isExtended });
    await this.#tellRelease(catalog);
  }

  /** For metrics alone: whoever can't read it goes on serving. */
  async #tellRelease(catalog: Catalog): Promise<void> {
    const { store, onRelease } = this.#deps;
    const entry = newestEntry(catalog);
    if (onRelease === undefined || entry === undefined) return;
    const release = await loadRelease(store, entry).catch(() => undefined);
    if (release !== undefined) onRelease(release);
  }

  #noCatalog(): AppError {
    const { url } = this.#deps.store;
    if (this.#view === undefined) return new NothingPublished(url);
    const why = 'has no catalog any more: the last view goes on serving';
    return new AppError('not_found', `${url} ${why}`, { publicMessage: `the store ${why}` });
  }

  /**
   * Under the same address there may suddenly lie another store: a wrong disk, a wrong backup. Its numbers mean other things to
   * everybody who has a cursor, so it is served only after a restart, which somebody has to want.
   */
  #assertSameRecord(catalog: Catalog): void {
    const view = this.#view;
    if (view === undefined || isSameRecord(view.meta.catalog, catalog)) return;
    const message =
      'holds another record than the one being served, as if it were another store; restart to serve that one';
    throw new AppError('corrupt', `${this.#deps.store.url} ${message}`, { publicMessage: `the store ${message}` });
  }

  /** Opens what was just built; leaves nothing behind where that fails, for the next attempt makes a file of its own. */
  async #openNew(path: string): Promise<View> {
    try {
      return await this.#open(path);
    } catch (error) {
      await removeView(path);
      throw error;
    }
  }

  #build(catalog: Catalog): Promise<BuiltView> {
    const previous = this.#view;
    const { duckdb, downloadsMax } = this.#settings;
    // While a view serves, a build leaves the other cores to its requests.
    const threads = previous === undefined ? duckdb.threads : 1;
    const { store, folder, versions } = this.#deps;
    return buildView(
      { catalog, previous, ...folder.place(ulid()) },
      { store, downloadsMax, versions, duckdb: { ...duckdb, threads } },
    );
  }

  #swap(next: View): void {
    const old = this.#view;
    this.#view = next;
    this.#served.resolve();
    // Not awaited: a request on the old one may take a while, and the next look must not wait for it.
    old?.retire().catch((error: unknown) => this.#deps.onEvent({ type: 'failed', error }));
  }

  #open(path: string): Promise<View> {
    const { duckdb, limits } = this.#settings;
    return View.open(path, {
      duckdb: { ...duckdb, tempFolder: `${path}.tmp` },
      limits,
      onDamage: (error) => this.#giveUp(path, error),
    });
  }

  /** Never rejects: what can't be opened or cleared away is built anew, and a disk that is of no use shows there. */
  async #openCached(): Promise<void> {
    const { folder, store } = this.#deps;
    if (this.#isStopped) return;
    try {
      const found = await folder.findCurrent();
      const kept = found === undefined ? undefined : await this.#openKept(found);
      if (kept !== undefined) this.#swap(kept);
      await folder.keepOnly(this.#view, store.url);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A view of this store's record; undefined where it is another's or can't be opened. */
  async #openKept({ path, url }: { readonly path: string; readonly url: string | undefined }) {
    const view = await this.#open(path).catch(() => undefined);
    if (view === undefined || (await isKeptFrom(this.#deps.store, { meta: view.meta, url }))) return view;
    await view.retire();
    return undefined;
  }

  /** The file in use is damaged: no longer served, and built anew from the store. */
  #giveUp(path: string, error: unknown): void {
    const view = this.#view;
    if (view?.path !== path) return;
    this.#view = undefined;
    this.#etag = undefined;
    this.#deps.onEvent({ type: 'damaged', error: messageFromError(error) });
    view.retire().catch(() => undefined);
    void this.refresh();
  }
}

/** No failure: the first night is looked for as often as any other. */
class NothingPublished extends AppError {
  constructor(url: string) {
    const why = 'has no catalog: nothing is published yet';
    super('unavailable', `${url} ${why}`, { publicMessage: `the store ${why}` });
  }
}
