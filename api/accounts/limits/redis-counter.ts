import { Redis } from 'ioredis';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { doublingMs } from '../../../runtime/retry.ts';
import { isClearAddress, shownAddress, UNCLEAR_ADDRESS } from '../../../runtime/shown-address.ts';
import { type CounterOptions, WINDOW_MS, type Window, type WindowCounter } from './rate-limiter.ts';

export interface RedisOptions extends CounterOptions {
  /** Default: Redis' own clock. */
  readonly redisClock?: (() => Date) | undefined;
}

/** Told how the connection does. */
export interface RedisWatcher {
  readonly onError: (error: Error) => void;
  /** It can be asked, for the first time or again. */
  readonly onReady: () => void;
}

/** What Redis says when it refuses what the address says: the credentials, or the number of the database. */
const REFUSALS =
  /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:invalid password|AUTH|Client sent AUTH|DB index|invalid DB index))/i;

/**
 * Adds a hit now to the list KEYS[1], the times of the newest hits in milliseconds, newest first. ARGV[1] is the limit, ARGV[2]
 * the time, or empty for Redis' own. Times that have left the window go, and all beyond the limit, of which no more is needed
 * (see `HitTimes`). Where the clock was set back, all times move back with it. Answers with hits and milliseconds as `Window` has
 * them. One call, so it is atomic.
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
 * Windows in a Redis that several processes share, so that they hold one limit together. The time is Redis' own, so the
 * processes' clocks need not agree.
 *
 * Nothing is queued while Redis can't be reached: a hit rejects at once, or after `timeoutMs` where Redis hangs, and is never
 * sent again. The connection is made anew by itself. Errors name the address and, where there is no connection, why.
 */
export class RedisCounter implements WindowCounter {
  readonly #redis: Redis;
  readonly #clock: (() => Date) | undefined;
  /** As it may be shown. */
  readonly #address: string;
  /** Why there is no connection; undefined while there is one. */
  #lastError: Error | undefined;
  #refusal: Error | undefined;

  /** Throws `configuration` where the address is not valid. */
  constructor(url: string, options: RedisOptions, { onError, onReady }: Partial<RedisWatcher> = {}) {
    if (!isClearAddress(url)) {
      const message = `not the address of a Redis: '${shownAddress(url)}'; for example redis://host:6379; ${UNCLEAR_ADDRESS}`;
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
   * Tries to connect once and resolves also where Redis can't be reached, and goes on trying in the background. Rejects with
   * `configuration` where Redis is there and refuses what the address says.
   */
  async connect(): Promise<void> {
    await this.#redis.connect().catch(() => {}); // The error event has it.
    const cause = this.#refusal;
    if (cause === undefined) return;
    const hint = 'check user, password and database in MODELSTATS_REDIS';
    throw new AppError('configuration', `Redis at ${this.#named(cause).message}; ${hint}`, { cause });
  }

  async hit(name: string, limit: number): Promise<Window> {
    const now = this.#clock?.().getTime() ?? '';
    const response = await this.#ask(name, limit, now);
    const [hits, waitMs] = Array.isArray(response) ? response.map(Number) : [];
    if (hits === undefined || waitMs === undefined) throw new Error('Redis left a hit without an answer');
    return { hits, waitMs };
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  async #ask(name: string, limit: number, now: number | ''): Promise<unknown> {
    try {
      return await this.#redis.eval(HIT, 1, `modelstats:hits:${name}`, limit, now);
    } catch (error) {
      // Without a connection the driver only says that there is none.
      throw this.#named(this.#lastError ?? error);
    }
  }

  #named(error: unknown): Error {
    return new Error(`${this.#address}: ${messageFromError(error)}`, { cause: error });
  }
}

/**
 * Asks a Redis for its time, once, which shows that it can be reached and lets us in. Rejects with `configuration` for what is no address
 * of one, and with `unavailable`.
 */
export async function askRedis(url: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<Date> {
  if (!isClearAddress(url)) throw new AppError('configuration', `${shownAddress(url)} is no URL; ${UNCLEAR_ADDRESS}`);
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error; // What the call rejects with only says that the connection is closed.
  });
  try {
    await redis.connect();
    const [seconds, microseconds] = await redis.time();
    return new Date(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000));
  } catch (error) {
    const why = messageFromError(reason ?? error);
    throw new AppError('unavailable', `Redis ${shownAddress(url)} does not answer: ${why}`, { cause: error });
  } finally {
    redis.disconnect();
  }
}
