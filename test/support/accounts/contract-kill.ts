import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addDays, dayFromDate } from '../../../schemas/day.ts';
import { addCustomer, type Subject } from './subject.ts';

const CHILD = join(import.meta.dirname, 'usage-child.ts');
const COUNT_CHILD = join(import.meta.dirname, 'count-child.ts');
const KILLS = 4;
const ANSWERS_BEFORE_KILL = 150;

export function describeKill(subject: Subject): void {
  describe('kill -9 under load', () => {
    test('loses no unit that was answered, and leaves a database that works', async () => {
      const accounts = await subject.open();
      const { key, caller } = await addCustomer(accounts, { contract: { daily_quota: null } });
      const usedNow = async () => (await accounts.quota.usage(await caller())).used;
      for (let round = 0, before = 0; round < KILLS; round += 1) {
        const answered = await answeredUntilKilled(subject.url(), key);
        const used = await usedNow();
        expect(answered).toBeGreaterThanOrEqual(ANSWERS_BEFORE_KILL);
        expect(used - before).toBeGreaterThanOrEqual(answered);
        // Counted but not answered: what each of the 20 workers had under way.
        expect(used - before - answered).toBeLessThanOrEqual(20);
        before = used;
      }
      expect(await accounts.quota.reserve(await caller())).toMatchObject({ granted: true });
    });

    test('loses at most the usage details that were not written, and no unit of the quota', async () => {
      const accounts = await subject.open();
      const { key, organizationId } = await addCustomer(accounts, { contract: { daily_quota: null } });
      const yesterday = addDays(dayFromDate(new Date()), -1);
      let [counted, written] = [0, 0];
      for (let round = 0; round < KILLS; round += 1) {
        const told = await countedUntilKilled(subject.url(), key);
        counted += told.counted;
        written += told.written;
        const range = { from: yesterday, to: addDays(yesterday, 2) };
        const { total, keys } = await accounts.readUsage(organizationId, range);
        expect(total.requests).toBeGreaterThanOrEqual(written);
        expect(keys[0]?.units).toBe(total.requests);
        expect(total.units).toBeGreaterThanOrEqual(counted);
        expect(total.requests).toBeLessThanOrEqual(total.units);
      }
    });
  });
}

/** Lets a process count and kills it; what it had counted, and written for sure, as far as it could tell. */
async function countedUntilKilled(url: string, key: string): Promise<{ counted: number; written: number }> {
  const child = fork(COUNT_CHILD, [url, key], { execArgv: ['--import', 'tsx'] });
  const told = { counted: 0, written: 0 };
  await new Promise<void>((resolve, reject) => {
    child.on('message', ({ counted, written }: typeof told) => {
      told.counted = counted;
      told.written = Math.max(told.written, written);
      if (counted >= ANSWERS_BEFORE_KILL) resolve();
    });
    child.on('exit', () => reject(new Error('the process ended by itself')));
  });
  await kill(child);
  return told;
}

/** Lets a process reserve and kills it; the units it was answered. */
async function answeredUntilKilled(url: string, key: string): Promise<number> {
  const child = fork(CHILD, [url, key], { execArgv: ['--import', 'tsx'] });
  let answered = 0;
  const enough = new Promise<void>((resolve, reject) => {
    child.on('message', () => {
      answered += 1;
      if (answered === ANSWERS_BEFORE_KILL) resolve();
    });
    child.on('exit', () => reject(new Error('the process ended by itself')));
  });
  await enough;
  await kill(child);
  return answered;
}

/** Ends a process at once; what it had said before is still read. */
async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
