import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';
import { limitedOrigin } from '../address-limit.ts';
import { hashOfToken } from '../organizations/token-form.ts';
import { LINK_PACE_MS, type PeopleLimits, type TooMany } from './people.ts';

/** Refusals cached per process. */
const REFUSED_CACHE_MAX = 10_000;

/** `max` attempts at once, then one per `windowMs / max`. */
interface AttemptLimit {
  /** For example `mail:address`. */
  readonly kind: string;
  readonly max: number;
  readonly windowMs: number;
}

export type LimitName = keyof ReturnType<typeof namedLimits>;

export interface AttemptLimitsDeps {
  readonly database: Database;
  readonly clock: () => Date;
  /** Called on every attempt. */
  readonly onHit: (now: Date) => void;
}

/**
 * Counts attempts in the control database, across servers and restarts: a row per subject, read and written by one
 * statement, so exactly `max` of many parallel attempts pass.
 * Beyond `max` attempts are slowed down, not locked out: `ends_at` is the theoretical arrival time of the generic cell
 * rate algorithm. Refusals don't change it and are cached, so floods cost no writes. Subjects are stored as hashes.
 */
export class AttemptLimits {
  readonly #limits: Readonly<Record<LimitName, AttemptLimit>>;
  readonly #database: Database;
  readonly #clock: () => Date;
  readonly #onHit: (now: Date) => void;
  /** Unix milliseconds at which a subject's refusal ends. */
  readonly #refused = new LRUCache<string, number>({ max: REFUSED_CACHE_MAX });

  constructor(limits: PeopleLimits, { database, clock, onHit }: AttemptLimitsDeps) {
    this.#limits = namedLimits(limits);
    this.#database = database;
    this.#clock = clock;
    this.#onHit = onHit;
  }

  /** Undefined: the attempt may proceed. Rejects with `unavailable`. */
  async hit(name: LimitName, subject: string): Promise<TooMany | undefined> {
    const { kind, max, windowMs } = this.#limits[name];
    this.#onHit(this.#clock());
    const now = this.#clock().getTime();
    const everyMs = Math.ceil(windowMs / max);
    // Only the previous version reads `hits`.
    const row = { subject: subjectOf(kind, subject), hits: 1, ends_at: now + everyMs };
    const refusedUntil = this.#refused.get(row.subject) ?? 0;
    if (refusedUntil > now) return tooMany(refusedUntil - now);
    const fullAt = now + (max - 1) * everyMs;
    if (await this.#countUpTo(row, { now, everyMs, fullAt })) return undefined;
    const waitMs = Math.max(1, (await this.#endOf(row.subject, fullAt)) - fullAt);
    this.#refused.set(row.subject, now + waitMs);
    return tooMany(waitMs);
  }

  /** Counts an attempt unless `ends_at` would exceed the limit. */
  async #countUpTo(
    row: { readonly subject: string; readonly hits: number; readonly ends_at: number },
    { now, everyMs, fullAt }: { readonly now: number; readonly everyMs: number; readonly fullAt: number },
  ): Promise<boolean> {
    const counted = await orUnavailable(() =>
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
    return counted !== undefined;
  }

  async #endOf(subject: string, otherwise: number): Promise<number> {
    const row = await orUnavailable(() =>
      this.#database.selectFrom('sign_in_limits').select('ends_at').where('subject', '=', subject).executeTakeFirst(),
    );
    return row?.ends_at ?? otherwise;
  }

  /** Resets a subject after a successful attempt. */
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

/** Daily password attempts on one person, relative to those from one origin (NIST SP 800-63B, 3.2.2: at most 100). */
const GUESSING_ORIGINS = 10;

/** Per day. */
const INVITATIONS_PER_PAIR = 3;

/**
 * Limits of one kind share rows (decision 0100). Only limits by origin, or by origin and email address, refuse; limits
 * by email address, which strangers can use up, slow email down or require more proof.
 */
function namedLimits(limits: PeopleLimits) {
  const { mailsPerAddress, passwordsPerAddress } = limits;
  const linksPerAddress = { kind: 'mail:address', max: mailsPerAddress, windowMs: mailsPerAddress * LINK_PACE_MS };
  return {
    mailsPerOrigin: { kind: 'mail:origin', max: limits.mailsPerOrigin, windowMs: HOUR_MS },
    // So that one origin never uses up the address's limit.
    linksPerPair: { kind: 'mail:pair', max: Math.max(1, mailsPerAddress - 1), windowMs: HOUR_MS },
    linksPerAddress,
    confirmationsPerAddress: { ...linksPerAddress, kind: 'confirmation:address' },
    passwordsPerOrigin: { kind: 'password:origin', max: limits.passwordsPerOrigin, windowMs: QUARTER_MS },
    passwordsPerPair: { kind: 'password:pair', max: passwordsPerAddress, windowMs: QUARTER_MS },
    passwordsPerAddress: { kind: 'password:guesses', max: GUESSING_ORIGINS * passwordsPerAddress, windowMs: DAY_MS },
    passwordChanges: { kind: 'password:change', max: passwordsPerAddress, windowMs: QUARTER_MS },
    invitationsPerOrganization: { kind: 'invitation:organization', max: limits.invitations, windowMs: DAY_MS },
    invitationsPerPair: { kind: 'invitation:pair', max: INVITATIONS_PER_PAIR, windowMs: DAY_MS },
    invitationsPerAddress: { kind: 'invitation:address', max: mailsPerAddress, windowMs: DAY_MS },
    registrationsPerOrigin: { kind: 'registration:origin', max: limits.registrationsPerOrigin, windowMs: HOUR_MS },
  } satisfies Readonly<Record<string, AttemptLimit>>;
}

export function pairOf(email: string, clientAddress: string): string {
  return `${limitedOrigin(clientAddress)} ${email}`;
}
