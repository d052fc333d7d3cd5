import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../api/accounts/caller.ts';
import type { Accounts } from '../../../api/accounts/open-accounts.ts';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { programBeside } from '../../../runtime/this-machine.ts';
import { addCustomer, type Subject, times } from './subject.ts';

const ORGANIZATIONS = 20;
const REQUESTS = 2_000;
const KILLS = 2;
const RESPONSES_BEFORE_KILL = 150;

/** What one organization's requests should have cost. */
interface Kept {
  readonly caller: Caller;
  readonly keys: Set<string>;
  plain: number;
}

export function describeLoad(subject: Subject): void {
  describe('many organizations at once', () => {
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

  describe('kill -9 under load', () => {
    test('loses no unit that was answered and no usage detail that was written, and leaves a database that works', async () => {
      const accounts = await subject.open();
      const { key, caller, organizationId } = await addCustomer(accounts, { contract: { daily_quota: null } });
      const yesterday = addDays(dayFromDate(new Date()), -1);
      const range = { from: yesterday, to: addDays(yesterday, 2) };
      let [answered, written] = [0, 0];
      for (let round = 1; round <= KILLS; round += 1) {
        const told = await answeredUntilKilled(subject.url(), key);
        answered += told.answered;
        written += told.written;
        const { total, keys } = await accounts.readUsage(organizationId, range);
        expect(total.units).toBeGreaterThanOrEqual(answered);
        // Counted but not answered: what each of the 20 workers had under way at each kill.
        expect(total.units - answered).toBeLessThanOrEqual(round * 20);
        expect(total.requests).toBeGreaterThanOrEqual(written);
        expect(total.requests).toBeLessThanOrEqual(total.units);
        expect(keys[0]?.units).toBe(total.requests);
      }
      expect(await accounts.quota.reserve(await caller())).toMatchObject({ granted: true });
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

/** Lets a process reserve and count, and kills it; what it had been answered, and written for sure, as far as it could tell. */
async function answeredUntilKilled(url: string, key: string): Promise<{ answered: number; written: number }> {
  const { path, execArgv } = programBeside(import.meta.filename, 'usage-child');
  const child = fork(path, [url, key], { execArgv: [...execArgv] });
  const told = { answered: 0, written: 0 };
  await new Promise<void>((resolve, reject) => {
    child.on('message', ({ written }: { readonly written: number }) => {
      told.answered += 1;
      told.written = Math.max(told.written, written);
      if (told.answered === RESPONSES_BEFORE_KILL) resolve();
    });
    child.on('exit', () => reject(new Error('the process ended by itself')));
  });
  const closed = once(child, 'close'); // What it had said before is still read.
  child.kill('SIGKILL');
  await closed;
  return told;
}
