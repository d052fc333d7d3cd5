import { Redis } from 'ioredis';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { isClearAddress, shownAddress, UNCLEAR_ADDRESS } from '../../../runtime/shown-address.ts';

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
