/**
 * How far the published changes have been turned into events: one row, which moves on in the transactions that write the events.
 * So whoever is killed leaves it where its events end, and whoever begins goes on from there; nothing is skipped or told twice.
 *
 * Several dispatchers may run. A claim on the row keeps them from computing the same at once. It is a courtesy: what makes it right
 * is that the row only moves on from exactly the place where the mover believed it to be.
 */
import type { Day } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { type Catalog, type CatalogEntry, identityFromCatalog } from '../../../schemas/catalog.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';

const NAME = 'changes';

export interface Place {
  /** The newest release that was done as a whole. */
  readonly day: Day;
  /** The newest change that was done; beyond the last one of `day` while the next release is under way. */
  readonly seq: number;
}

export interface Progress extends Place {
  /** The store's identity. */
  readonly record: string;
}

/** A claim, as it is taken or renewed. */
export interface Claim {
  /** The dispatcher's id. */
  readonly by: string;
  readonly now: Date;
  readonly until: Date;
}

/** How far it is; undefined before the first start. */
export function readProgress(database: Database): Promise<Progress | undefined> {
  const query = database.selectFrom('webhook_progress').select(['record', 'day', 'seq']).where('name', '=', NAME);
  return orUnavailable(() => query.executeTakeFirst());
}

/** Writes where it begins; false, and nothing changed, where it has begun already. */
export async function beginProgress(database: Database, { record, day, seq }: Progress): Promise<boolean> {
  const query = database
    .insertInto('webhook_progress')
    .values({ name: NAME, record, day, seq, claimed_by: null, claimed_until: null })
    .onConflict((conflict) => conflict.column('name').doNothing());
  const { numInsertedOrUpdatedRows: inserted = 0n } = await orUnavailable(() => query.executeTakeFirstOrThrow());
  return inserted > 0n;
}

/** Takes the claim; false where another dispatcher has it. */
export async function takeClaim(database: Database, { by, now, until }: Claim): Promise<boolean> {
  const query = database
    .updateTable('webhook_progress')
    .set({ claimed_by: by, claimed_until: until.getTime() })
    .where('name', '=', NAME)
    .where(({ or, eb }) =>
      or([eb('claimed_by', 'is', null), eb('claimed_by', '=', by), eb('claimed_until', '<=', now.getTime())]),
    );
  const { numUpdatedRows } = await orUnavailable(() => query.executeTakeFirstOrThrow());
  return numUpdatedRows > 0n;
}

/** Gives the claim up, where it is still held. */
export async function giveUpClaim(database: Database, by: string): Promise<void> {
  await database
    .updateTable('webhook_progress')
    .set({ claimed_by: null, claimed_until: null })
    .where('name', '=', NAME)
    .where('claimed_by', '=', by)
    .execute();
}

/**
 * Moves on from one place to another and renews the claim; false, and nothing changed, where somebody else has moved on. The first
 * statement of each transaction that writes events.
 */
export async function moveOn(
  transaction: Database,
  { from, to, claim }: { readonly from: Place; readonly to: Place; readonly claim: Claim },
): Promise<boolean> {
  const query = transaction
    .updateTable('webhook_progress')
    .set({ day: to.day, seq: to.seq, claimed_by: claim.by, claimed_until: claim.until.getTime() })
    .where('name', '=', NAME)
    .where('day', '=', from.day)
    .where('seq', '=', from.seq);
  const { numUpdatedRows } = await orUnavailable(() => query.executeTakeFirstOrThrow());
  return numUpdatedRows > 0n;
}

/** Releases published longer ago are not told any more, in days: the replay window (specification "From changes to events"). */
const TOLD_DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/**
 * The releases behind a place: those that are too old to be told, oldest first, and the oldest one to tell with the release before it;
 * undefined where all is told.
 */
export function pendingReleases({ releases }: Catalog, place: Place, now: Date) {
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
