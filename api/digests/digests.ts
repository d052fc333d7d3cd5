/**
 * Who wants a digest by email (specification "Digests by email"). A person chooses, not an organization: the data is
 * the same for all.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { type Origin, SYSTEM } from '../accounts/actor.ts';
import type { AuditedChanges, NoteAudit } from '../accounts/audit.ts';
import { CONSOLE_PATHS } from '../accounts/people/people.ts';
import { lockPerson, PERSON_COLUMNS, personFromRow } from '../accounts/people/person.ts';
import { type Database, parseEnum, type Transaction } from '../database/tables/tables.ts';
import { FREQUENCIES, nextDigestAt } from './frequency.ts';

export const DIGEST_CHOICES = ['none', ...FREQUENCIES] as const;
export type DigestChoice = (typeof DIGEST_CHOICES)[number];

export function findDigestChoice(personId: string, changes: AuditedChanges): Promise<DigestChoice> {
  return changes.read((database) => readChoice(database, personId));
}

export interface NewChoice {
  readonly choice: DigestChoice;
  /** The newest captured day that is served: the first digest begins there. */
  readonly newestDay: Day | null;
  /** Of the UTC day. */
  readonly hour: number;
}

/** For the acting person; the digest goes on where it was if only its frequency changes. */
export function chooseDigest({ choice, newestDay, hour }: NewChoice, changes: AuditedChanges): Promise<void> {
  const { actor } = changes;
  if (!('person' in actor)) throw new AppError('usage', 'only a person can choose a digest');
  const { id } = actor.person;
  return changes.change(async (transaction, note) => {
    if (!(await lockPerson(transaction, id))) throw new AppError('not_found', `there is no person ${id}`);
    if (choice === 'none') return removeChoice(transaction, id, note);
    const before = await readChoice(transaction, id);
    if (before === choice) return;
    const changed = { frequency: choice, due_at: nextDigestAt(choice, changes.now(), hour).getTime(), failures: 0 };
    await transaction
      .insertInto('email_digests')
      .values({ ...changed, person_id: id, reported_day: newestDay, claimed_by: null, claimed_until: null })
      .onConflict((conflict) => conflict.column('person_id').doUpdateSet(changed))
      .execute();
    await note({
      organizationId: null,
      action: 'person.set_digest',
      subjectId: id,
      details: { from: before, to: choice },
    });
  });
}

/** Requires the person's lock. */
async function removeChoice(transaction: Transaction, personId: string, note: NoteAudit): Promise<void> {
  const from = await readChoice(transaction, personId);
  if (from === 'none') return;
  await transaction.deleteFrom('email_digests').where('person_id', '=', personId).execute();
  await note({
    organizationId: null,
    action: 'person.set_digest',
    subjectId: personId,
    details: { from, to: 'none' },
  });
}

async function readChoice(database: Database, personId: string): Promise<DigestChoice> {
  const query = database.selectFrom('email_digests').select('frequency').where('person_id', '=', personId);
  const row = await query.executeTakeFirst();
  return row === undefined ? 'none' : parseEnum(FREQUENCIES, row.frequency);
}

/** Signs links that end a person's digest; they don't expire, since a mail stays in the mailbox. */
export class StopLinks {
  readonly #key: Buffer;

  /** @param key 32 bytes, the same in all processes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  linkFor(personId: string, publicUrl: string): string {
    const link = new URL(`${publicUrl}${CONSOLE_PATHS.stopDigest}`);
    link.searchParams.set('token', `${personId}.${this.#sign(personId).toString('base64url')}`);
    return link.href;
  }

  /** Undefined for a token that is not ours. */
  personIdFrom(token: string): string | undefined {
    const [personId = '', signature = ''] = token.split('.', 2);
    const [given, expected] = [Buffer.from(signature, 'base64url'), this.#sign(personId)];
    return given.length === expected.length && timingSafeEqual(given, expected) ? personId : undefined;
  }

  #sign(personId: string): Buffer {
    return createHmac('sha256', this.#key).update(`stop digest ${personId}`).digest();
  }
}

/** Ends a person's digest in their name; without one it only reads, since programs may send it as often as they like. */
export async function stopDigest(
  personId: string,
  { as, origin }: { readonly as: (actor: AuditedChanges['actor']) => AuditedChanges; readonly origin: Origin },
): Promise<void> {
  const person = await as(SYSTEM).read(async (database) => {
    const chosen = database.selectFrom('people').innerJoin('email_digests', 'email_digests.person_id', 'people.id');
    const row = await chosen.select(PERSON_COLUMNS).where('people.id', '=', personId).executeTakeFirst();
    return row && personFromRow(row);
  });
  if (person !== undefined) await chooseDigest({ choice: 'none', newestDay: null, hour: 0 }, as({ person, origin }));
}
