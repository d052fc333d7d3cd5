/**
 * How far published changes have become events: one row, updated in the transactions that write events. So the next
 * dispatcher continues exactly there, and no event is skipped or repeated.
 *
 * Several may run. A claim on the row only saves duplicate work: the row is updated only from the exact place that the
 * writer expects.
 */
import type { Day } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { type Catalog, type CatalogEntry, identityFromCatalog } from '../../../schemas/catalog.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';

const NAME = 'changes';

export interface Place {
  /** The newest release that is done as a whole. */
  readonly day: Day;
  /** The newest change that is done, in `day` or the next release. */
  readonly seq: number;
}

export interface Progress extends Place {
  /** The store's identity. */
  readonly record: string;
}

export interface Claim {
  /** The dispatcher's id. */
  readonly by: string;
  readonly now: Date;
  readonly until: Date;
}

/** Undefined before the first start. */
export function readProgress(database: Database): Promise<Progress | undefined> {
  const query = database.selectFrom('webhook_progress').select(['record', 'day', 'seq']).where('name', '=', NAME);
  return orUnavailable(() => query.executeTakeFirst());
}

/** False, without a change, if there is progress. */
export async function beginProgress(database: Database, { record, day, seq }: Progress): Promise<boolean> {
  const query = database
    .insertInto('webhook_progress')
    .values({ name: NAME, record, day, seq, claimed_by: null, claimed_until: null })
    .onConflict((conflict) => conflict.column('name').doNothing());
  const { numInsertedOrUpdatedRows: inserted = 0n } = await orUnavailable(() => query.executeTakeFirstOrThrow());
  return inserted > 0n;
}

/** False if another dispatcher has it. */
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

export async function releaseClaim(database: Database, by: string): Promise<void> {
  await database
    .updateTable('webhook_progress')
    .set({ claimed_by: null, claimed_until: null })
    .where('name', '=', NAME)
    .where('claimed_by', '=', by)
    .execute();
}

/**
 * Also renews the claim; false, without a change, if another dispatcher has moved on. The first statement of each
 * transaction that writes events.
 */
export async function advance(
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

/** The replay window: older releases are skipped (specification "From changes to events"). */
const RELEASE_AGE_DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/** Releases after a place: those that are too old, oldest first, and the next to publish with the one before it. */
export function pendingReleases({ releases }: Catalog, place: Place, now: Date) {
  const done = findDone(releases, place)?.day ?? place.day;
  const pending = releases.filter((release) => release.day > done);
  const oldest = now.getTime() - RELEASE_AGE_DAYS_MAX * DAY_MS;
  const recent = pending.findIndex(({ published_at }) => Date.parse(published_at) >= oldest);
  const skipped = recent < 0 ? pending : pending.slice(0, recent);
  const entry = pending[skipped.length];
  const before = releases.findLast((release) => entry !== undefined && release.day < entry.day);
  return { skipped, next: entry === undefined || before === undefined ? undefined : { entry, before } };
}

/**
 * Where a new dispatcher begins: at the newest release before the first endpoint became active (Unix milliseconds;
 * null: none), but not before the first release, which has an upsert for every record.
 */
export function firstPlace({ releases }: Catalog, activeSince: number | null): Place | undefined {
  const isBefore = ({ published_at }: CatalogEntry) => activeSince === null || Date.parse(published_at) <= activeSince;
  const entry = releases.findLast(isBefore) ?? releases[0];
  return entry === undefined ? undefined : placeOf(entry);
}

export function placeOf({ day, last_seq: seq }: CatalogEntry): Place {
  return { day, seq };
}

/** The release of a place, even if it was redated and another one has its day now. */
function findDone(releases: Catalog['releases'], { day, seq }: Place): CatalogEntry | undefined {
  const isOf = ({ day: own, redated_from: was }: CatalogEntry) => own === day || was?.day === day;
  return releases.findLast((release) => isOf(release) && release.last_seq <= seq) ?? releases.findLast(isOf);
}

/** Throws `corrupt` if the catalog is another store's, or older than the progress. */
export function assertContinues(catalog: Catalog, progress: Progress, url: string): void {
  if (identityFromCatalog(catalog) !== progress.record) {
    const message = `${url} has other releases than those that webhooks reported, as a different store would`;
    throw new AppError('corrupt', `${message}; no events are made from it`);
  }
  const { releases } = catalog;
  const done = findDone(releases, progress);
  const lastSeq = releases.at(-1)?.last_seq ?? 0;
  if (done !== undefined && done.last_seq <= progress.seq && progress.seq <= lastSeq) return;
  const reported = `webhooks reported ${progress.day} and all changes up to ${progress.seq}`;
  throw new AppError(
    'corrupt',
    `${url}: ${reported}, but its catalog does not continue from there, as if it were an older copy`,
  );
}
