import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';
import { limitedOrigin } from '../address-limit.ts';
import { hashOfToken } from '../organizations/token-form.ts';
import { LINK_PACE_MS, type PeopleLimits, type TooMany } from './people.ts';

/** Refused subjects that a process remembers; of the others each refusal costs a statement. */
const REMEMBERED_MAX = 10_000;

/** How often something may be done: so many times at once, and once more each time that an equal part of the window has passed. */
interface AttemptLimit {
  /** What is counted, such as `mail:address`. */
  readonly kind: string;
  readonly max: number;
  readonly windowMs: number;
}

/** The name of a limit of {@link namedLimits}. */
export type LimitName = keyof ReturnType<typeof namedLimits>;

export interface AttemptLimitsDeps {
  readonly database: Database;
  readonly clock: () => Date;
  /** Told of the time with every attempt. */
  readonly onHit: (now: Date) => void;
}

/**
 * Counts what people try, in the control database, so that a restart forgets nothing and several servers count together: a row per
 * subject, which one statement reads and writes, so that of many at once exactly `max` pass. Beyond `max` attempts are slowed down, not
 * locked: the next one may follow after `windowMs / max`. A row holds the instant at which all attempts have been made up for
 * (`ends_at`, the theoretical arrival time of the generic cell rate algorithm). Refused attempts don't move it, and a process that has
 * refused a subject refuses it until the next may follow without a statement, so that a flood costs no writes. Subjects are kept as
 * hashes: the table tells nobody which addresses were tried.
 */
export class AttemptLimits {
  readonly #limits: Readonly<Record<LimitName, AttemptLimit>>;
  readonly #database: Database;
  readonly #clock: () => Date;
  readonly #onHit: (now: Date) => void;
  /** When the refusals of a subject end. */
  readonly #refused = new LRUCache<string, number>({ max: REMEMBERED_MAX });

  constructor(limits: PeopleLimits, { database, clock, onHit }: AttemptLimitsDeps) {
    this.#limits = namedLimits(limits);
    this.#database = database;
    this.#clock = clock;
    this.#onHit = onHit;
  }

  /** Counts an attempt; resolves to undefined where it may go ahead. Rejects with `unavailable`. */
  async hit(name: LimitName, subject: string): Promise<TooMany | undefined> {
    const { kind, max, windowMs } = this.#limits[name];
    this.#onHit(this.#clock());
    const now = this.#clock().getTime();
    const everyMs = Math.ceil(windowMs / max);
    // `hits` is read by the version before alone.
    const row = { subject: subjectOf(kind, subject), hits: 1, ends_at: now + everyMs };
    const refusedUntil = this.#refused.get(row.subject) ?? 0;
    if (refusedUntil > now) return tooMany(refusedUntil - now);
    const fullAt = now + (max - 1) * everyMs;
    if (await this.#take(row, { now, everyMs, fullAt })) return undefined;
    const waitMs = Math.max(1, (await this.#endOf(row.subject, fullAt)) - fullAt);
    this.#refused.set(row.subject, now + waitMs);
    return tooMany(waitMs);
  }

  /** Counts one more, where that leaves `ends_at` no later than the limit has it. */
  async #take(
    row: { readonly subject: string; readonly hits: number; readonly ends_at: number },
    { now, everyMs, fullAt }: { readonly now: number; readonly everyMs: number; readonly fullAt: number },
  ): Promise<boolean> {
    const taken = await orUnavailable(() =>
      this.#database
        .insertInto('sign_in_limits')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('subject')
            .doUpdateSet({
              hits: row.hits,
              ends_at: sql<number>`case when sign_in_limits.ends_at <= ${now} then ${row.ends_at} else sign_in_limits.ends_at + ${everyMs} end`,
            })
            .where('sign_in_limits.ends_at', '<=', fullAt),
        )
        .returning('subject')
        .executeTakeFirst(),
    );
    return taken !== undefined;
  }

  async #endOf(subject: string, otherwise: number): Promise<number> {
    const row = await orUnavailable(() =>
      this.#database.selectFrom('sign_in_limits').select('ends_at').where('subject', '=', subject).executeTakeFirst(),
    );
    return row?.ends_at ?? otherwise;
  }

  /** Forgets what was counted of a subject: its last attempt was right. */
  async forget(name: LimitName, subject: string): Promise<void> {
    const row = subjectOf(this.#limits[name].kind, subject);
    this.#refused.delete(row);
    await orUnavailable(() => this.#database.deleteFrom('sign_in_limits').where('subject', '=', row).execute());
  }
}

function tooMany(waitMs: number): TooMany {
  return { tooMany: true, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
}

function subjectOf(kind: string, subject: string): string {
  return `${kind}:${hashOfToken(subject)}`;
}

const HOUR_MS = 3_600_000;
const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Attempts at one person's password from everywhere, for each that one place may make at once (NIST SP 800-63B, 3.2.2: 100 at most). */
const PLACES_GUESSING = 10;

/** How often an organization may have its invitation to one address sent in a day. */
const INVITATIONS_PER_PAIR = 3;

/**
 * What of people is limited, and how (decision 0100); rows of the same kind count together. What refuses somebody counts what their own
 * place did (an origin, or a pair of it and an address of mail); what counts an address of mail, whoever asks, slows mail down or asks for
 * more proof, and keeps nobody out.
 */
function namedLimits(limits: PeopleLimits) {
  const { mailsPerAddress, passwordsPerAddress } = limits;
  const linksPerAddress = { kind: 'mail:address', max: mailsPerAddress, windowMs: mailsPerAddress * LINK_PACE_MS };
  return {
    mailsPerOrigin: { kind: 'mail:origin', max: limits.mailsPerOrigin, windowMs: HOUR_MS },
    // One less than the address takes at once: one place alone never uses up what there is for others.
    linksPerPair: { kind: 'mail:pair', max: Math.max(1, mailsPerAddress - 1), windowMs: HOUR_MS },
    linksPerAddress,
    confirmationsPerAddress: { ...linksPerAddress, kind: 'confirmation:address' },
    passwordsPerOrigin: { kind: 'password:origin', max: limits.passwordsPerOrigin, windowMs: QUARTER_MS },
    passwordsPerPair: { kind: 'password:pair', max: passwordsPerAddress, windowMs: QUARTER_MS },
    passwordsPerAddress: { kind: 'password:guesses', max: PLACES_GUESSING * passwordsPerAddress, windowMs: DAY_MS },
    passwordChanges: { kind: 'password:change', max: passwordsPerAddress, windowMs: QUARTER_MS },
    invitationsPerOrganization: { kind: 'invitation:organization', max: limits.invitations, windowMs: DAY_MS },
    invitationsPerPair: { kind: 'invitation:pair', max: INVITATIONS_PER_PAIR, windowMs: DAY_MS },
    invitationsPerAddress: { kind: 'invitation:address', max: mailsPerAddress, windowMs: DAY_MS },
    registrationsPerOrigin: { kind: 'registration:origin', max: limits.registrationsPerOrigin, windowMs: HOUR_MS },
  } satisfies Readonly<Record<string, AttemptLimit>>;
}

/** An address of mail as one place asks for it. */
export function pairOf(email: string, clientAddress: string): string {
  return `${limitedOrigin(clientAddress)} ${email}`;
}
