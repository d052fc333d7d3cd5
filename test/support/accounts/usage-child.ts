import { openAccounts } from '../../../api/accounts/open-accounts.ts';
import { callerOf } from './subject.ts';

/**
 * A process of its own that reserves units without end, 20 at a time, and counts each request. It tells its parent of each unit after it
 * was answered, which is what a client has seen, and how many requests are written for sure. Words: the control database's address, an
 * API key.
 */
const [url = '', key = ''] = process.argv.slice(2);
const accounts = await openAccounts(url, { requestCounts: { flushMs: 20 } });
const caller = await callerOf(accounts, key);
let counted = 0;

async function reserveForEver(worker: number): Promise<never> {
  for (let round = 0; ; round += 1) {
    const idempotencyKey = round % 2 === 0 ? undefined : `${process.pid}-${worker}-${round}`;
    const result = await accounts.quota.reserve(caller, { idempotencyKey, request: 'r' });
    if (!result.granted) throw new Error('refused');
    const { day, units } = result.reservation;
    accounts.countRequest({ caller, day, route: `/v1/route-${round % 7}`, units, outcome: undefined });
    counted += 1;
    const before = counted;
    if (before % 20 === 0) await accounts.readUsage(caller.organizationId, { from: day, to: day });
    const told = { written: before % 20 === 0 ? before : 0 };
    // Waits until it is written, so that a kill loses one message of a worker at most.
    await new Promise((resolve) => process.send?.(told, resolve));
  }
}

await Promise.all(Array.from({ length: 20 }, (_, worker) => reserveForEver(worker)));
