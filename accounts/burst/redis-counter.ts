import { Redis } from 'ioredis';
import { AppError, messageFromError } from '../../schemas/errors.ts';
import { WINDOW_SECONDS, type Window } from './window.ts';
import type { WindowCounter } from './window-counter.ts';

export interface RedisOptions {
  /** For an answer. Longer: every request waits that long once Redis hangs; shorter: a busy Redis is given up too soon. */
  readonly timeoutMs: number;
  /** For a connection. */
  readonly connectTimeoutMs: number;
  /** Longest wait between two attempts to connect again. */
  readonly reconnectMsMax: number;
}

/** Told of the connection's ends and returns. */
export type OnRedisError = (error: Error) => void;

/**
 * Adds a hit to the hash of KEYS[1] (field: Unix second, value: hits) in second ARGV[1], drops seconds that have left the
 * window, and answers with those in it as a flat list second, hits, … One call, so it is atomic.
 */
const HIT = `
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('EXPIRE', KEYS[1], ${2 * WINDOW_SECONDS})
  local all = redis.call('HGETALL', KEYS[1])
  local window = {}
  for index = 1, #all, 2 do
    if tonumber(all[index]) <= tonumber(ARGV[1]) - ${WINDOW_SECONDS} then
      redis.call('HDEL', KEYS[1], all[index])
    else
      table.insert(window, tonumber(all[index]))
      table.insert(window, tonumber(all[index + 1]))
    end
  end
  return window`;

/**
 * Windows in a Redis that several processes share, so that they hold one limit together. The second is the caller's: their
 * clocks have to agree (NTP); hits of a clock that is ahead count as of now.
 *
 * Nothing is queued while Redis is away: a hit rejects at once, or after `timeoutMs` where it hangs, and is never sent again. The
 * connection comes back by itself.
 */
export class RedisCounter implements WindowCounter {
  readonly #redis: Redis;

  /** Throws `configuration` where the address is none. */
  constructor(url: string, options: RedisOptions, onError: OnRedisError) {
    if (!URL.canParse(url)) throw new AppError('configuration', 'the address of Redis is not redis://host:port');
    this.#redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: options.connectTimeoutMs,
      commandTimeout: options.timeoutMs,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), options.reconnectMsMax),
    });
    this.#redis.on('error', onError);
  }

  /** Tries to connect once and resolves either way; goes on trying in the background. */
  async connect(): Promise<void> {
    await this.#redis.connect().catch(() => {}); // Told by the error event.
  }

  async hit(name: string, second: number): Promise<Window> {
    const answer = await this.#redis.eval(HIT, 1, `modelstats:${name}`, second);
    return windowFrom(answer, second);
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }
}

function windowFrom(answer: unknown, second: number): Window {
  const window = new Array<number>(WINDOW_SECONDS).fill(0);
  const numbers = Array.isArray(answer) ? answer.map(Number) : [];
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const age = Math.max(0, second - (numbers[index] ?? 0));
    const at = WINDOW_SECONDS - 1 - age;
    window[at] = (window[at] ?? 0) + (numbers[index + 1] ?? 0);
  }
  return window;
}

/** What Redis complained of, without the address. */
export function reasonOf(error: unknown): string {
  return messageFromError(error).replace(/\/\/[^/@\s]*@/g, '//…@');
}
