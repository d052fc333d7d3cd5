import { Redis } from 'ioredis';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { doublingMs } from '../../../runtime/retry.ts';
import { isClearAddress, shownAddress, UNCLEAR_ADDRESS } from '../../../runtime/shown-address.ts';
import { type CounterOptions, WINDOW_MS, type Window, type WindowCounter } from './rate-limiter.ts';

export interface RedisOptions extends CounterOptions {
  /** Default: the clock of Redis. */
  readonly redisClock?: (() => Date) | undefined;
}

export interface RedisWatcher {
  readonly onError: (error: Error) => void;
  /** Also after reconnecting. */
  readonly onReady: () => void;
}

/** Redis errors that mean a wrong address: its credentials or database number. */
const REFUSALS =
  /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:invalid password|AUTH|Client sent AUTH|DB index|invalid DB index))/i;

/**
 * Adds a hit to the list KEYS[1] of times in milliseconds, newest first. ARGV: limit, time (empty: of Redis). Drops
 * times outside the window or beyond the limit; shifts all if the clock was set back. Returns hits and milliseconds of
 * `Window`. Atomic.
 */
const HIT = `
  if redis.replicate_commands then redis.replicate_commands() end
  local key, limit, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  local newest = tonumber(redis.call('LINDEX', key, 0) or now)
  if newest > now then
    local all = redis.call('LRANGE', key, 0, -1)
    redis.call('DEL', key)
    for _, time in ipairs(all) do
      redis.call('RPUSH', key, string.format('%.0f', time - newest + now))
    end
  end
  local length = redis.call('LLEN', key)
  while length > 0 and tonumber(redis.call('LINDEX', key, -1)) <= now - ${WINDOW_MS} do
    redis.call('RPOP', key)
    length = length - 1
  end
  redis.call('LPUSH', key, string.format('%.0f', now))
  redis.call('LTRIM', key, 0, math.max(limit, length) - 1)
  redis.call('PEXPIRE', key, ${2 * WINDOW_MS})
  local first = redis.call('LINDEX', key, math.min(length, limit - 1))
  return { math.min(length, limit) + 1, first + ${WINDOW_MS} - now }`;

/**
 * Windows in a Redis shared by several processes, by its clock.
 * Nothing is queued: a hit rejects at once while Redis is unreachable, after `timeoutMs` if it hangs, and is never
 * resent. Errors name the address and the cause.
 */
export class RedisCounter implements WindowCounter {
  readonly #redis: Redis;
  readonly #clock: (() => Date) | undefined;
  /** Without credentials. */
  readonly #address: string;
  /** Undefined while connected. */
  #lastError: Error | undefined;
  #refusal: Error | undefined;

  /** Throws `configuration` for an invalid address. */
  constructor(url: string, options: RedisOptions, { onError, onReady }: Partial<RedisWatcher> = {}) {
    if (!isClearAddress(url)) {
      const message = `not a Redis address: '${shownAddress(url)}'; expected for example redis://host:6379; ${UNCLEAR_ADDRESS}`;
      throw new AppError('configuration', message);
    }
    this.#clock = options.redisClock;
    this.#address = shownAddress(url);
    this.#redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: options.connectTimeoutMs,
      commandTimeout: options.timeoutMs,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => doublingMs(attempt, { firstMs: 100, maxMs: options.reconnectMsMax }),
    });
    this.#redis.on('error', (error) => {
      this.#lastError = error;
      if (REFUSALS.test(error.message)) this.#refusal = error;
      onError?.(this.#named(error));
    });
    this.#redis.on('ready', () => {
      this.#lastError = undefined;
      onReady?.();
    });
  }

  /**
   * Resolves even if Redis is unreachable, and keeps trying. Rejects with `configuration` if Redis refuses credentials
   * or database.
   */
  async connect(): Promise<void> {
    await this.#redis.connect().catch(() => {}); // Handled by the error event.
    const cause = this.#refusal;
    if (cause === undefined) return;
    const hint = 'check user, password and database in MODELSTATS_REDIS';
    throw new AppError('configuration', `Redis at ${this.#named(cause).message}; ${hint}`, { cause });
  }

  async hit(name: string, limit: number): Promise<Window> {
    const now = this.#clock?.().getTime() ?? '';
    const response = await this.#evaluate(name, limit, now);
    const [hits, waitMs] = Array.isArray(response) ? response.map(Number) : [];
    if (hits === undefined || waitMs === undefined) throw new Error('Redis returned no counts');
    return { hits, waitMs };
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  async #evaluate(name: string, limit: number, now: number | ''): Promise<unknown> {
    try {
      return await this.#redis.eval(HIT, 1, `modelstats:hits:${name}`, limit, now);
    } catch (error) {
      // Without a connection the driver's error lacks the cause.
      throw this.#named(this.#lastError ?? error);
    }
  }

  #named(error: unknown): Error {
    return new Error(`${this.#address}: ${messageFromError(error)}`, { cause: error });
  }
}

/** Tests an address. Rejects with `configuration` if it is invalid, and with `unavailable`. */
export async function readRedisTime(url: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<Date> {
  if (!isClearAddress(url)) throw new AppError('configuration', `not a URL: ${shownAddress(url)}; ${UNCLEAR_ADDRESS}`);
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error; // The rejected call only says that the connection is closed.
  });
  try {
    await redis.connect();
    const [seconds, microseconds] = await redis.time();
    return new Date(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000));
  } catch (error) {
    const why = messageFromError(reason ?? error);
    throw new AppError('unavailable', `Redis ${shownAddress(url)} does not respond: ${why}`, { cause: error });
  } finally {
    redis.disconnect();
  }
}
