import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { Caller } from '../../../api/accounts/caller.ts';
import type { Accounts } from '../../../api/accounts/open-accounts.ts';
import { listOrganizations } from '../../../api/accounts/organizations/organizations.ts';
import { addCustomer, type Subject, times } from './subject.ts';

const ORGANIZATIONS = 20;
const REQUESTS = 2_000;

/** What one organization's requests should have cost. */
interface Kept {
  readonly caller: Caller;
  readonly keys: Set<string>;
  plain: number;
}

export function describeLoad(subject: Subject): void {
  describe('many organizations at once', () => {
    test("are served while operators work, and no operator's work is half done", async () => {
      const accounts = await subject.open();
      const caller = await (await addCustomer(accounts, { contract: { daily_quota: null } })).caller();
      const work = [
        ...Array.from({ length: 20 }, () => () => addCustomer(accounts, { plan: 'builder' })),
        ...Array.from({ length: 400 }, () => () => accounts.quota.reserve(caller)),
      ];
      await times(work.length, async (index) => work[(index * 11) % work.length]?.());
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 400 });
      const added = (await listOrganizations(accounts.as(SYSTEM))).filter(({ id }) => id > caller.organizationId);
      expect(added.map(({ terms }) => terms.plan)).toEqual(Array(20).fill('builder'));
    });

    test('through two openings, in any order, each pay exactly for what they kept, and nobody waits in a circle', async () => {
      const [here, there] = [await subject.open(), await subject.open()];
      const kept = await times(ORGANIZATIONS, async (): Promise<Kept> => {
        const customer = await addCustomer(here, { contract: { daily_quota: null } });
        return { caller: await customer.caller(), keys: new Set(), plain: 0 };
      });
      await times(REQUESTS, async (index) => {
        const mine = kept[(index * 7) % kept.length];
        if (mine !== undefined) await request(index % 2 ? here : there, mine, index);
      });
      const usages = await Promise.all(kept.map(({ caller }) => here.quota.usage(caller)));
      expect(usages.map(({ used }) => used)).toEqual(kept.map(({ plain, keys }) => plain + keys.size));
    });
  });
}

/** Reserves, every third time with one of a few Idempotency-Keys, and every eleventh time gives it back. */
async function request(accounts: Accounts, mine: Kept, index: number): Promise<void> {
  const idempotencyKey = index % 3 ? undefined : `${index % 17}`;
  const result = await accounts.quota.reserve(mine.caller, { idempotencyKey, request: 'r' });
  if (!result.granted) throw new Error('refused');
  if (index % 11 === 0) await accounts.quota.release(result.reservation);
  else if (idempotencyKey === undefined) mine.plain += 1;
  else mine.keys.add(idempotencyKey);
}
