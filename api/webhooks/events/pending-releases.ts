import { AppError } from '../../../runtime/errors.ts';
import { type Catalog, type CatalogEntry, identityFromCatalog } from '../../../schemas/catalog.ts';
import type { Place, Progress } from './progress.ts';

/** Releases published longer ago are not told any more, in days: the replay window (specification "From changes to events"). */
export const TOLD_DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/** What is still to be told. */
export interface Pending {
  /** Releases that are too old to be told, oldest first. */
  readonly skipped: readonly CatalogEntry[];
  /** The oldest one to tell, and the release before it; undefined where all is told. */
  readonly next: { readonly entry: CatalogEntry; readonly before: CatalogEntry } | undefined;
}

/** The releases behind a place. */
export function pendingReleases({ releases }: Catalog, place: Place, now: Date): Pending {
  const done = findDone(releases, place)?.day ?? place.day;
  const pending = releases.filter((release) => release.day > done);
  const oldest = now.getTime() - TOLD_DAYS_MAX * DAY_MS;
  const recent = pending.findIndex(({ published_at }) => Date.parse(published_at) >= oldest);
  const skipped = recent < 0 ? pending : pending.slice(0, recent);
  const entry = pending[skipped.length];
  const before = releases.findLast((release) => entry !== undefined && release.day < entry.day);
  return { skipped, next: entry === undefined || before === undefined ? undefined : { entry, before } };
}

/**
 * Behind which release a dispatcher begins that has never run: what was published since the first of the endpoints became active
 * (in Unix milliseconds; null: there is none) is told. The very first release is never: it has an upsert for everything.
 */
export function firstPlace({ releases }: Catalog, activeSince: number | null): Place | undefined {
  const isBefore = ({ published_at }: CatalogEntry) => activeSince === null || Date.parse(published_at) <= activeSince;
  const entry = releases.findLast(isBefore) ?? releases[0];
  return entry === undefined ? undefined : placeOf(entry);
}

/** The end of a release. */
export function placeOf({ day, last_seq: seq }: CatalogEntry): Place {
  return { day, seq };
}

/** The release of a place, also by a day that it no longer has since it was given its right one, and that another may have since. */
function findDone(releases: Catalog['releases'], { day, seq }: Place): CatalogEntry | undefined {
  const isOf = ({ day: own, redated_from: was }: CatalogEntry) => own === day || was?.day === day;
  return releases.findLast((release) => isOf(release) && release.last_seq <= seq) ?? releases.findLast(isOf);
}

/** Throws `corrupt` where a catalog is another store's than the one that was told, or an older copy; `url` is the store's. */
export function assertContinues(catalog: Catalog, progress: Progress, url: string): void {
  if (identityFromCatalog(catalog) !== progress.record) {
    const message = `${url} holds another record than the one that webhooks were told of, as if it were another store`;
    throw new AppError('corrupt', `${message}; no event is made from it`);
  }
  const { releases } = catalog;
  const done = findDone(releases, progress);
  const lastSeq = releases.at(-1)?.last_seq ?? 0;
  if (done !== undefined && done.last_seq <= progress.seq && progress.seq <= lastSeq) return;
  const told = `webhooks were told of ${progress.day} and all changes up to ${progress.seq}`;
  throw new AppError('corrupt', `${url}: ${told}, from where its catalog does not go on, as if it were an older copy`);
}
