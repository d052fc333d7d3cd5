import { openAccounts } from '../../../accounts/open-accounts.ts';
import { callerOf } from './subject.ts';

/**
 * A process of its own that takes units and counts requests without end, and tells its parent how many it has counted, and how
 * many of them are written for sure. Words: the control database's address, an API key.
 */
const [url = '', key = ''] = process.argv.slice(2);
const accounts = await openAccounts(url, { requestCounts: { flushMs: 20 } });
const caller = await callerOf(accounts, key);
const today = new Date().toISOString().slice(0, 10);

for (let counted = 1; ; counted += 1) {
  const result = await accounts.quota.reserve(caller);
  if (!result.granted) throw new Error('refused');
  const { day, units } = result.reservation;
  accounts.countRequest({ caller, day, route: `/v1/route-${counted % 7}`, units, outcome: undefined });
  if (counted % 20 === 0) await accounts.readUsage(caller.organizationId, { from: today, to: today });
  process.send?.({ counted, written: counted % 20 === 0 ? counted : 0 });
}
