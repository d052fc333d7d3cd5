import { openAccounts } from '../../../accounts/open-accounts.ts';
import { callerOf } from './subject.ts';

/**
 * A process of its own that reserves units without end, 20 at a time, and tells its parent of each one after it was answered:
 * what a client has seen. Words: the control database's address, an API key.
 */
const [url = '', key = ''] = process.argv.slice(2);
const accounts = await openAccounts(url);
const caller = await callerOf(accounts, key);

async function reserveForEver(worker: number): Promise<never> {
  for (let round = 0; ; round += 1) {
    const idempotencyKey = round % 2 === 0 ? undefined : `${process.pid}-${worker}-${round}`;
    const { granted } = await accounts.quota.reserve(caller, { idempotencyKey, request: 'r' });
    // Waits until it is written, so that a kill loses one message of a worker at most.
    if (granted) await new Promise((resolve) => process.send?.('answered', resolve));
  }
}

await Promise.all(Array.from({ length: 20 }, (_, worker) => reserveForEver(worker)));
