import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { programBeside } from '../../../runtime/this-machine.ts';
import { addCustomer, type Subject } from './subject.ts';

const KILLS = 2;
const ANSWERS_BEFORE_KILL = 150;

export function describeKill(subject: Subject): void {
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

/** Lets a process reserve and count, and kills it; what it had been answered, and written for sure, as far as it could tell. */
async function answeredUntilKilled(url: string, key: string): Promise<{ answered: number; written: number }> {
  const { path, execArgv } = programBeside(import.meta.filename, 'usage-child');
  const child = fork(path, [url, key], { execArgv: [...execArgv] });
  const told = { answered: 0, written: 0 };
  await new Promise<void>((resolve, reject) => {
    child.on('message', ({ written }: { readonly written: number }) => {
      told.answered += 1;
      told.written = Math.max(told.written, written);
      if (told.answered === ANSWERS_BEFORE_KILL) resolve();
    });
    child.on('exit', () => reject(new Error('the process ended by itself')));
  });
  const closed = once(child, 'close'); // What it had said before is still read.
  child.kill('SIGKILL');
  await closed;
  return told;
}
