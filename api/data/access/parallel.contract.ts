import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Customer, times } from '../../../test/support/accounts/subject.ts';
import { countStatuses, fetchOnce } from '../../../test/support/api/listen.ts';
import type { Contract } from '../../accounts/organizations/terms.ts';

/** Servers that hold their limits together. */
export interface ParallelSubject {
  readonly urls: readonly string[];
  /** A Commercial customer with these terms and no backstop in the way. */
  add(contract: Contract): Promise<Customer>;
  close(): Promise<void>;
}

/** What parallel requests must not get past, over real connections, spread over the servers. */
export function describeParallel(name: string, create: () => Promise<ParallelSubject>): void {
  describe(`parallel requests on ${name}`, () => {
    const opened: { subject?: ParallelSubject } = {};

    beforeAll(async () => {
      opened.subject = await create();
    });
    afterAll(() => opened.subject?.close());

    function add(daily_quota: number | null, burst_per_minute = 10_000): Promise<Customer> {
      if (opened.subject === undefined) throw new Error('the servers run only while the tests do');
      return opened.subject.add({ daily_quota, burst_per_minute });
    }

    function urlOf(index: number, path: string): string {
      const { urls = [] } = opened.subject ?? {};
      return `${urls[index % urls.length]}${path}`;
    }

    async function usedBy({ key }: Customer): Promise<number[]> {
      const answers = await times(opened.subject?.urls.length ?? 0, (index) =>
        fetchOnce(urlOf(index, '/v1/account'), key),
      );
      return answers.map(({ body }) => JSON.parse(body).usage.used);
    }

    test('200 for the last 50 units: exactly 50 are served, the others get quota_exceeded', async () => {
      const customer = await add(60);
      await times(10, (index) => fetchOnce(urlOf(index, '/v1/models'), customer.key));
      const paths = ['/v1/models', '/v1/scores', '/v1/changes', '/v1/snapshots'];
      const counts = await countStatuses(200, (index, agent) =>
        fetchOnce(urlOf(index, paths[(index >> 1) % paths.length] ?? ''), customer.key, { agent }),
      );
      expect(counts).toEqual({ 200: 50, 429: 150 });
      expect(new Set(await usedBy(customer))).toEqual(new Set([60]));
    });

    test('200 of which half fail: every failure gives its unit back', async () => {
      const customer = await add(150);
      const counts = await countStatuses(200, (index, agent) =>
        fetchOnce(urlOf(index, (index >> 1) % 2 ? '/v1/models/none' : '/v1/models'), customer.key, { agent }),
      );
      const served = counts[200] ?? 0;
      expect(new Set(await usedBy(customer))).toEqual(new Set([served]));
      // A unit that is held by a request which will fail may refuse another for that moment.
      expect(served).toBeGreaterThan(50);
    });

    test('200 for a burst of 50: exactly 50 are served', async () => {
      const customer = await add(null, 50);
      const counts = await countStatuses(200, (index, agent) =>
        fetchOnce(urlOf(index, '/v1/models'), customer.key, { agent }),
      );
      expect(counts).toEqual({ 200: 50, 429: 150 });
    });

    test('50 with one Idempotency-Key are served for one unit', async () => {
      const customer = await add(1);
      const headers = { 'idempotency-key': 'the same' };
      const counts = await countStatuses(50, (index, agent) =>
        fetchOnce(urlOf(index, '/v1/models'), customer.key, { agent, headers }),
      );
      expect(counts).toEqual({ 200: 50 });
      expect(new Set(await usedBy(customer))).toEqual(new Set([1]));
    });
  });
}
