import { hashOfApiKey, isApiKey } from '../../schemas/api-key.ts';
import { AppError } from '../../schemas/errors.ts';
import type { ControlDatabase, KeyRecord } from '../database/control-database.ts';

/**
 * Finds who a key belongs to, without asking the database at every request.
 *
 * - A live key is remembered for `ttlMs`, so a revocation or a change of plan by another process is in force after that at the
 *   latest; where the database tells for nothing that another process has written (SQLite), at once. {@link KeyDirectory.forget}
 *   is for changes by this process.
 * - An unknown or revoked key is remembered longer: keys are random and revoked for good, so what is unknown once can't become
 *   known later. A key that was issued just now works at once, since nobody can have asked for it before.
 * - Both memories are bounded, and apart: a flood of wrong keys pushes no right ones out.
 * - Keys are looked up by their SHA-256, here and in the database, so no time depends on how much of a key is right. Text that
 *   fails the checksum asks nobody.
 */
export class KeyDirectory {
  readonly #database: Pick<ControlDatabase, 'findKey' | 'version'>;
  readonly #clock: () => Date;
  readonly #options: KeyDirectoryOptions;
  readonly #known = new Map<string, Remembered>();
  readonly #unknown = new Map<string, number>();
  #version = 0;
  #lookups = 0;

  constructor(database: Pick<ControlDatabase, 'findKey' | 'version'>, clock: () => Date, options: KeyDirectoryOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  /** The live key that this text is; undefined for every other text. Rejects with `unavailable`. */
  async find(text: string): Promise<KeyRecord | undefined> {
    if (!isApiKey(text)) return undefined;
    const version = this.#database.version();
    if (version !== this.#version) this.forget();
    this.#version = version;
    const hash = hashOfApiKey(text);
    const now = this.#clock().getTime();
    const known = this.#known.get(hash);
    if (known !== undefined && isFresh(known.sinceMs, now, this.#options.ttlMs)) return known.record;
    if (isFresh(this.#unknown.get(hash) ?? Number.NaN, now, this.#options.unknownTtlMs)) return undefined;
    return this.#lookUp(hash, now);
  }

  /** Makes the next look at every key go to the database. */
  forget(): void {
    this.#known.clear();
  }

  /** Requests for one key share a look-up; it counts as of its beginning. */
  #lookUp(hash: string, now: number): Promise<KeyRecord | undefined> {
    if (this.#lookups >= this.#options.lookupsMax)
      return Promise.reject(new AppError('unavailable', 'too many API keys are being looked up'));
    this.#lookups += 1;
    const record = this.#database.findKey({ hash });
    const remembered = { record, sinceMs: now };
    remember(this.#known, hash, { value: remembered, entriesMax: this.#options.entriesMax });
    return record.then(
      (found) => {
        this.#lookups -= 1;
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

export interface KeyDirectoryOptions {
  /** Larger: a key revoked elsewhere works longer; 5 s are promised. Smaller: more look-ups. */
  readonly ttlMs: number;
  /** Only a database restored from a backup can make an unknown key known. */
  readonly unknownTtlMs: number;
  /** Live keys remembered, some 500 bytes each; more keys in use than this are looked up more often. */
  readonly entriesMax: number;
  readonly unknownMax: number;
  /** Look-ups under way, beyond which a flood of wrong keys gets `unavailable` instead of a place in the queue. */
  readonly lookupsMax: number;
}

interface Remembered {
  readonly record: Promise<KeyRecord | undefined>;
  readonly sinceMs: number;
}

/** Not after the time, nor before the memory was made: a clock that was set back makes nothing last longer. */
function isFresh(sinceMs: number, now: number, ttlMs: number): boolean {
  return now >= sinceMs && now - sinceMs < ttlMs;
}

/** Puts an entry in as the newest; the oldest goes where there are too many. */
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
