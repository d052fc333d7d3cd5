import { type Awaitable, mapAwaitable } from '../../../runtime/awaitable.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { FindCredential, LiveCredential } from './live-credential.ts';
import { hashOfToken, type TokenForm } from './token-form.ts';

/**
 * Finds the owner of an API key or access token ("key" below) without a query per request.
 * - Live keys are cached for `ttlMs`, the longest delay of a revocation elsewhere; on SQLite a changed database version
 * drops the cache at once.
 * - Unknown and revoked keys are cached longer (decision 0023): an unknown key never becomes valid, and a new one was
 * never tried.
 * - The caches are separate and bounded: wrong keys don't evict valid ones.
 * - Keys are looked up by SHA-256, so timing reveals nothing; a wrong checksum is refused without a look-up.
 */
export class CredentialDirectory {
  readonly #form: TokenForm;
  readonly #source: CredentialSource;
  readonly #clock: () => Date;
  readonly #options: CredentialOptions;
  readonly #known = new Map<string, Cached>();
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

  /** Throws or rejects with `unavailable`. */
  find(text: string): Awaitable<LiveCredential | undefined> {
    if (!this.#form.has(text)) return undefined;
    const version = this.#source.version();
    if (version !== this.#version) this.forget();
    this.#version = version;
    const hash = hashOfToken(text);
    const now = this.#readClock();
    const known = this.#known.get(hash);
    if (known !== undefined && isFresh(known.sinceMs, now, this.#options.ttlMs))
      return mapAwaitable(known.record, (record) => unlessExpired(record, now));
    if (!this.#form.isProper(text)) return undefined;
    if (isFresh(this.#unknown.get(hash) ?? Number.NaN, now, this.#options.unknownTtlMs)) return undefined;
    return this.#lookUp(hash, now).then((record) => unlessExpired(record, now));
  }

  /** Drops the cached live keys. */
  forget(): void {
    this.#known.clear();
  }

  /** After the clock was set back the age of cached keys is unknown. */
  #readClock(): number {
    const now = this.#clock().getTime();
    if (now < this.#nowMs) this.forget();
    this.#nowMs = now;
    return now;
  }

  /** Shared by requests for one key; the result counts as of its start. */
  #lookUp(hash: string, now: number): Promise<LiveCredential | undefined> {
    if (this.#lookups >= this.#options.lookupsMax)
      return Promise.reject(new AppError('unavailable', 'too many credentials are being looked up'));
    this.#lookups += 1;
    const record = this.#source.find({ hash });
    const cached: Cached = { record, sinceMs: now };
    cache(this.#known, hash, { value: cached, entriesMax: this.#options.entriesMax });
    return record.then(
      (found) => {
        this.#lookups -= 1;
        cached.record = found;
        if (found !== undefined) return found;
        this.#drop(hash, cached);
        cache(this.#unknown, hash, { value: now, entriesMax: this.#options.unknownMax });
        return undefined;
      },
      (error: unknown) => {
        this.#lookups -= 1;
        this.#drop(hash, cached);
        throw error;
      },
    );
  }

  #drop(hash: string, cached: Cached): void {
    if (this.#known.get(hash) === cached) this.#known.delete(hash);
  }
}

export interface CredentialSource {
  readonly find: FindCredential;
  /** See `ControlDatabase.version`: changes when another process has written. */
  readonly version: () => number;
}

export const CREDENTIAL_OPTIONS = {
  /** Larger: a key revoked elsewhere works longer; 5 s are promised. Smaller: more look-ups. */
  ttlMs: 3_000,
  /** Only restoring a backup can make an unknown key known. */
  unknownTtlMs: 60_000,
  /** Some 500 bytes each. */
  entriesMax: 10_000,
  unknownMax: 10_000,
  /** More are refused, so that wrong keys can't fill a queue. */
  lookupsMax: 1_000,
};
export type CredentialOptions = Readonly<typeof CREDENTIAL_OPTIONS>;

interface Cached {
  /** A promise until the look-up ends. */
  record: Awaitable<LiveCredential | undefined>;
  readonly sinceMs: number;
}

function unlessExpired(key: LiveCredential | undefined, now: number): LiveCredential | undefined {
  return key?.expiresAtMs != null && key.expiresAtMs <= now ? undefined : key;
}

/** False also if the clock was set back to before `sinceMs`. */
function isFresh(sinceMs: number, now: number, ttlMs: number): boolean {
  return now >= sinceMs && now - sinceMs < ttlMs;
}

function cache<T>(
  map: Map<string, T>,
  hash: string,
  { value, entriesMax }: { readonly value: T; readonly entriesMax: number },
): void {
  map.delete(hash);
  map.set(hash, value);
  const oldest = map.size > entriesMax ? map.keys().next() : undefined;
  if (oldest?.done === false) map.delete(oldest.value);
}
