/**
 * How far the published changes have been turned into events: one row, which moves on in the transactions that write the events.
 * So whoever is killed leaves it where its events end, and whoever begins goes on from there; nothing is skipped or told twice.
 *
 * Several dispatchers may run. A claim on the row keeps them from computing the same at once. It is a courtesy: what makes it right
 * is that the row only moves on from exactly the place where the mover believed it to be.
 */
import type { Kysely } from 'kysely';
import type { Day } from '../../../runtime/day.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';

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
export function readProgress(database: Kysely<ControlTables>): Promise<Progress | undefined> {
  const query = database.selectFrom('webhook_progress').select(['record', 'day', 'seq']).where('name', '=', NAME);
  return orUnavailable(() => query.executeTakeFirst());
}

/** Writes where it begins; false, and nothing changed, where it has begun already. */
export async function beginProgress(database: Kysely<ControlTables>, { record, day, seq }: Progress): Promise<boolean> {
  const query = database
    .insertInto('webhook_progress')
    .values({ name: NAME, record, day, seq, claimed_by: null, claimed_until: null })
    .onConflict((conflict) => conflict.column('name').doNothing());
  const { numInsertedOrUpdatedRows: inserted = 0n } = await orUnavailable(() => query.executeTakeFirstOrThrow());
  return inserted > 0n;
}

/** Takes the claim; false where another dispatcher has it. */
export async function takeClaim(database: Kysely<ControlTables>, { by, now, until }: Claim): Promise<boolean> {
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
export async function giveUpClaim(database: Kysely<ControlTables>, by: string): Promise<void> {
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
  transaction: Kysely<ControlTables>,
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
