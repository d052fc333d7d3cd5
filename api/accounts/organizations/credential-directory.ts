import { type Awaitable, mapAwaitable } from '../../../runtime/awaitable.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { FindCredential, LiveCredential } from './live-credential.ts';
import { hashOfToken, type TokenForm } from './token-form.ts';

/**
 * Finds who a key or an access token belongs to, without asking the database at every request; below, both are keys.
 *
 * - A live key is remembered for `ttlMs`, so a revocation or a change of plan by another process is in force after that at the
 *   latest. Where the database's version shows that another process has written (SQLite), it is in force at once.
 *   {@link CredentialDirectory.forget} is for changes by this process.
 * - An unknown or revoked key is remembered longer (decision 0023): keys are random and revoked for good, so an unknown key does
 *   not become known later. A key that was issued just now works at once, since nobody can have asked for it before.
 * - Both memories are bounded and apart, so that many wrong keys push out no right ones.
 * - Keys are looked up by their SHA-256, here and in the database, so the time that takes doesn't depend on how much of a key is
 *   right. A text whose checksum is wrong is refused without a look-up; that of a key that is known was right.
 */
export class CredentialDirectory {
  readonly #form: TokenForm;
  readonly #source: CredentialSource;
  readonly #clock: () => Date;
  readonly #options: CredentialOptions;
  readonly #known = new Map<string, Remembered>();
  readonly #unknown = new Map<string, number>();
  #version = 0;
  #lookups = 0;
  #nowMs = Number.NEGATIVE_INFINITY;

  constructor(
    form: TokenForm,
    source: CredentialSource,
    { clock, ...options }: CredentialOptions & { readonly clock: () => Date },
  ) {
    this.#form = form;
    this.#source = source;
    this.#clock = clock;
    this.#options = options;
  }

  /** The live key that this text is; undefined for every other text. Throws or rejects with `unavailable`. */
  find(text: string): Awaitable<LiveCredential | undefined> {
    if (!this.#form.has(text)) return undefined;
    const version = this.#source.version();
    if (version !== this.#version) this.forget();
    this.#version = version;
    const hash = hashOfToken(text);
    const now = this.#tellTime();
    const known = this.#known.get(hash);
    if (known !== undefined && isFresh(known.sinceMs, now, this.#options.ttlMs))
      return mapAwaitable(known.record, (record) => unlessExpired(record, now));
    if (!this.#form.isProper(text)) return undefined;
    if (isFresh(this.#unknown.get(hash) ?? Number.NaN, now, this.#options.unknownTtlMs)) return undefined;
    return this.#lookUp(hash, now).then((record) => unlessExpired(record, now));
  }

  /** Forgets live keys: each is looked up in the database when it is asked for next. */
  forget(): void {
    this.#known.clear();
  }

  /** The time; where the clock was set back, nothing is known any more of how old a memory is. */
  #tellTime(): number {
    const now = this.#clock().getTime();
    if (now < this.#nowMs) this.forget();
    this.#nowMs = now;
    return now;
  }

  /** Requests for one key share a look-up; what it finds is remembered as of its beginning. */
  #lookUp(hash: string, now: number): Promise<LiveCredential | undefined> {
    if (this.#lookups >= this.#options.lookupsMax)
      return Promise.reject(new AppError('unavailable', 'too many credentials are being looked up'));
    this.#lookups += 1;
    const record = this.#source.find({ hash });
    const remembered: Remembered = { record, sinceMs: now };
    remember(this.#known, hash, { value: remembered, entriesMax: this.#options.entriesMax });
    return record.then(
      (found) => {
        this.#lookups -= 1;
        remembered.record = found;
        if (found !== undefined) return found;
        this.#drop(hash, remembered);
        remember(this.#unknown, hash, { value: now, entriesMax: this.#options.unknownMax });
        return undefined;
      },
      (error: unknown) => {
        this.#lookups -= 1;
        this.#drop(hash, remembered);
        throw error;
      },
    );
  }

  #drop(hash: string, remembered: Remembered): void {
    if (this.#known.get(hash) === remembered) this.#known.delete(hash);
  }
}

/** Where keys are looked up. */
export interface CredentialSource {
  readonly find: FindCredential;
  /** As `ControlDatabase.version`: a number that changes when another process has written. */
  readonly version: () => number;
}

export const CREDENTIAL_OPTIONS = {
  /** Larger: a key revoked elsewhere works longer; 5 s are promised. Smaller: more look-ups. */
  ttlMs: 3_000,
  /** Only a database restored from a backup can make an unknown key known. */
  unknownTtlMs: 60_000,
  /** Live keys remembered, some 500 bytes each; more keys in use than this are looked up more often. */
  entriesMax: 10_000,
  unknownMax: 10_000,
  /** Look-ups under way; further ones are refused with `unavailable`, so that many wrong keys can't fill a queue. */
  lookupsMax: 1_000,
};
export type CredentialOptions = Readonly<typeof CREDENTIAL_OPTIONS>;

interface Remembered {
  /** The promise until it is known. */
  record: Awaitable<LiveCredential | undefined>;
  readonly sinceMs: number;
}

/** A key that has an end works until the millisecond before. */
function unlessExpired(key: LiveCredential | undefined, now: number): LiveCredential | undefined {
  return key?.expiresAtMs != null && key.expiresAtMs <= now ? undefined : key;
}

/** False also where the clock was set back to before `sinceMs`, so that nothing is remembered for longer. */
function isFresh(sinceMs: number, now: number, ttlMs: number): boolean {
  return now >= sinceMs && now - sinceMs < ttlMs;
}

/** Adds an entry as the newest, and removes the oldest where there are too many. */
function remember<T>(
  map: Map<string, T>,
  hash: string,
  { value, entriesMax }: { readonly value: T; readonly entriesMax: number },
): void {
  map.delete(hash);
  map.set(hash, value);
  const oldest = map.size > entriesMax ? map.keys().next() : undefined;
  if (oldest?.done === false) map.delete(oldest.value);
}
