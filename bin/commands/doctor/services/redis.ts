import { askRedis } from '../../../../api/accounts/burst/redis-counter.ts';
import { messageFromError } from '../../../../runtime/errors.ts';
import { shownAddress } from '../../../../runtime/shown-address.ts';
import { type Finding, fail, type Setup } from '../finding.ts';
import { compareClocks } from './clock.ts';

/** Longer than a request waits for it: here a slow one is to be told from one that is gone. */
const TIMEOUT_MS = 3_000;

export async function checkRedis({ config, clock }: Setup): Promise<Finding | undefined> {
  if (config.REDIS === undefined) return undefined;
  try {
    return compareClocks(clock(), await askRedis(config.REDIS, { timeoutMs: TIMEOUT_MS }), shownAddress(config.REDIS));
  } catch (error) {
    return fail(messageFromError(error), 'until it answers each server counts requests per minute for itself');
  }
}
