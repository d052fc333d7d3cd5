import { ulid } from 'ulid';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';
import { doublingMs } from '../../../runtime/retry.ts';
import type { OptionsFrom } from '../../../runtime/setting.ts';
import { type Catalog, type CatalogEntry, isSameRecord } from '../../../schemas/catalog.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import type { Release } from '../../../schemas/release.ts';
import { loadCatalog, loadRelease, newestEntry } from '../../../storage/catalog.ts';
import type { DuckDBLimits } from '../../../storage/duckdb/database.ts';
import { CATALOG_KEY } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { fileSum } from '../file-sum.ts';
import type { QueryLimits, VIEW_SETTINGS } from '../settings.ts';
import { type FinishedView, View } from '../view.ts';
import { type ViewEvent, viewProblemFrom } from '../view-events.ts';
import { type BuildDeps, type BuiltView, buildView } from './build-view.ts';
import { isFromStore, removeView, type ViewFolder } from './view-folder.ts';

/** Between two checks of the view's file, of 0.3 s of processor per GB. Longer: wrong answers of a damaged disk go on for longer. */
const CHECK_MS = 3_600_000;

/** While no release can be served. Larger: clients start late. Smaller: more requests fail. */
export const START_RETRY_SECONDS = 5;

export interface FollowerSettings extends Omit<OptionsFrom<typeof VIEW_SETTINGS>, 'folder'> {
  /** For building views, in another process. */
  readonly duckdb: DuckDBLimits;
  readonly limits: QueryLimits;
}

export interface FollowerDeps {
  readonly store: ObjectStore;
  readonly folder: ViewFolder;
  readonly clock: () => Date;
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
  readonly onEvent: (event: ViewEvent) => void;
  /** As for `buildView`. */
  readonly write?: BuildDeps['write'];
  /** Called with each new newest release. */
  readonly onRelease?: ((release: Release) => void) | undefined;
}

/**
 * Polls the catalog, builds the next view beside the one in use, and swaps (specification "Following the catalog"). After a failure
 * the old view is served until a later attempt succeeds.
 */
export class ViewFollower {
  readonly #settings: FollowerSettings;
  readonly #deps: FollowerDeps;
  #view: View | undefined;
  #problem: HealthProblem | undefined;
  /** Of the view's catalog. */
  #etag: string | undefined;
  /** False: the folder couldn't be changed, as on a full disk. */
  #isKept = true;
  #failures = 0;
  /** Of the view's file; a cached one is checked at once. */
  #checkedAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stopped = new AbortController();
  readonly #served = Promise.withResolvers<void>();

  constructor(settings: FollowerSettings, deps: FollowerDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** Throws `unavailable` before there is a view. */
  current(): View {
    if (this.#view !== undefined) return this.#view;
    throw new AppError('unavailable', 'no release can be served yet', { retryAfterSeconds: START_RETRY_SECONDS });
  }

  /** Resolves at the first view. */
  get served(): Promise<void> {
    return this.#served.promise;
  }

  /** Why the view isn't that of the newest catalog; public. */
  get problem(): HealthProblem | undefined {
    return this.#problem;
  }

  get release(): CatalogEntry | undefined {
    return this.#view?.newest;
  }

  /** Opens a usable cached view, then polls until stopped. Resolves after the first poll. */
  async start(): Promise<void> {
    this.#running = this.#running.then(() => this.#openCached());
    await this.refresh();
    this.#schedule();
  }

  /** Polls now; resolves after success or failure. */
  refresh(): Promise<void> {
    this.#running = this.#running.then(() => this.#refresh());
    return this.#running;
  }

  /** Ends a build at once, and closes the view after its last request. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#running;
    const view = this.#view;
    this.#view = undefined;
    await view?.retire();
    this.#deps.folder.release();
  }

  #schedule(): void {
    if (this.#stopped.signal.aborted) return;
    const { pollMs, retryMaxMs } = this.#settings;
    const delayMs = this.#failures === 0 ? pollMs : doublingMs(this.#failures, { firstMs: pollMs, maxMs: retryMaxMs });
    this.#timer = setTimeout(() => {
      void this.refresh().finally(() => this.#schedule()); // Never rejects.
    }, delayMs);
    this.#timer.unref();
  }

  async #refresh(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    void this.#checkSum();
    try {
      await this.#follow();
      this.#recover();
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
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
    const { store } = this.#deps;
    const head = await store.head(CATALOG_KEY);
    if (head !== undefined && head.etag === this.#etag && this.#view !== undefined) return;
    const { catalog, etag } = await loadCatalog(store);
    if (catalog === undefined) throw this.#noCatalog();
    if (this.#view !== undefined && JSON.stringify(this.#view.meta.catalog) === JSON.stringify(catalog)) {
      if (!this.#isKept) await this.#keepOnlyView();
      this.#etag = etag;
      await this.#reportRelease(catalog);
      return;
    }
    this.#assertSameRecord(catalog);
    const startedAt = this.#deps.clock();
    const built = await this.#build(catalog);
    this.#swap(await this.#openNew(built));
    this.#checkedAtMs = this.#deps.clock().getTime();
    await this.#keepOnlyView();
    this.#etag = etag;
    const durationMs = this.#deps.clock().getTime() - startedAt.getTime();
    const { day } = this.current().newest;
    const { isExtended, notFollowed } = built;
    const reason = notFollowed === undefined ? {} : { notFollowed: messageFromError(notFollowed) };
    this.#deps.onEvent({ type: 'swapped', day, durationMs, isExtended, ...reason });
    await this.#reportRelease(catalog);
  }

  async #keepOnlyView(): Promise<void> {
    this.#isKept = false;
    await this.#deps.folder.keepOnly(this.#view, this.#deps.store.url);
    this.#isKept = true;
  }

  /** For metrics only, so failures are ignored. */
  async #reportRelease(catalog: Catalog): Promise<void> {
    const { store, onRelease } = this.#deps;
    const entry = newestEntry(catalog);
    if (onRelease === undefined || entry === undefined) return;
    const release = await loadRelease(store, entry).catch(() => undefined);
    if (release !== undefined) onRelease(release);
  }

  #noCatalog(): AppError {
    const { url } = this.#deps.store;
    if (this.#view === undefined) return new NothingPublished(url);
    const reason = 'no longer has a catalog; the last view is still served';
    return new AppError('not_found', `${url} ${reason}`, { publicMessage: `the store ${reason}` });
  }

  /** Another store at the same address (wrong disk or backup) invalidates all cursors: an operator must restart for it. */
  #assertSameRecord(catalog: Catalog): void {
    const view = this.#view;
    if (view === undefined || isSameRecord(view.meta.catalog, catalog)) return;
    const message =
      'has other releases than those being served, as a different store would; restart the service to serve its releases';
    throw new AppError('corrupt', `${this.#deps.store.url} ${message}`, { publicMessage: `the store ${message}` });
  }

  /** Removes the files on failure. */
  async #openNew(file: FinishedView): Promise<View> {
    try {
      return this.#open(file);
    } catch (error) {
      await removeView(file.path);
      throw error;
    }
  }

  #build(catalog: Catalog): Promise<BuiltView> {
    const previous = this.#view;
    const { duckdb, downloadsMax } = this.#settings;
    // Other cores are for requests.
    const threads = previous === undefined ? duckdb.threads : 1;
    const { store, folder, versions, write } = this.#deps;
    return buildView(
      { catalog, previous, ...folder.pathsFor(ulid()) },
      { store, downloadsMax, versions, write, duckdb: { ...duckdb, threads }, signal: this.#stopped.signal },
    );
  }

  #swap(next: View): void {
    const old = this.#view;
    this.#view = next;
    this.#served.resolve();
    // Not awaited: a slow request on the old view must not delay the next poll.
    old?.retire().catch((error: unknown) => this.#deps.onEvent({ type: 'failed', error }));
  }

  #open(file: FinishedView): View {
    const { limits } = this.#settings;
    return View.open(file, { limits, onDamage: (error) => this.#discardDamaged(file.path, error) });
  }

  /** Never rejects: the next build reports an unusable disk. */
  async #openCached(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    try {
      const found = await this.#deps.folder.findCurrent();
      const cached = found === undefined ? undefined : await this.#openCachedView(found);
      if (cached !== undefined) this.#swap(cached);
      await this.#keepOnlyView();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Undefined if unusable or another store's. */
  async #openCachedView({ url, ...file }: FinishedView & { readonly url: string | undefined }) {
    const view = openOrUndefined(() => this.#open(file));
    if (view === undefined || (await isFromStore(this.#deps.store, { meta: view.meta, url }))) return view;
    await view.retire();
    return undefined;
  }

  /** Keys and indexes have no checks of their own, so the whole file is read after a start, then hourly. Never rejects. */
  async #checkSum(): Promise<void> {
    const now = this.#deps.clock().getTime();
    if (this.#view === undefined || now - this.#checkedAtMs < CHECK_MS) return;
    this.#checkedAtMs = now;
    const { path, sum } = this.#view;
    const found = await fileSum(path).catch(() => undefined);
    // Undefined: a later view replaced it.
    if (found !== undefined && found !== sum) this.#discardDamaged(path, new Error(`${path} is not what was written`));
  }

  #discardDamaged(path: string, error: unknown): void {
    const view = this.#view;
    if (view?.path !== path) return;
    this.#view = undefined;
    this.#etag = undefined;
    this.#deps.onEvent({ type: 'damaged', error: messageFromError(error) });
    view.retire().catch(() => undefined);
    void this.refresh();
  }
}

function openOrUndefined(open: () => View): View | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

/** No failure: polling doesn't slow down. */
class NothingPublished extends AppError {
  constructor(url: string) {
    const reason = 'has no catalog: nothing is published yet';
    super('unavailable', `${url} ${reason}`, { publicMessage: `the store ${reason}` });
  }
}
