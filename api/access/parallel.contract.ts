import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Customer, times } from '../../accounts/testing/subject.ts';
import type { TemporaryStore } from '../../test/nights.ts';
import { type GuardedApi, openGuardedApi, publishSample } from '../testing/guarded-api.ts';
import { countStatuses, fetchOnce, listen } from '../testing/listen.ts';
import { WIDE_BACKSTOP } from '../testing/test-accounts.ts';

export interface ParallelSubject {
  /** The control database that all APIs share; undefined: a SQLite file of the only one. */
  readonly database?: string;
  readonly redis?: string;
  readonly close: () => Promise<void>;
}

/** What parallel requests must not get past, over real connections and so many APIs that share the control database. */
export function describeParallel(name: string, apis: number, create: () => Promise<ParallelSubject>): void {
  describe(`parallel requests on ${name}`, () => {
    const opened: { store?: TemporaryStore; subject?: ParallelSubject; apis: GuardedApi[]; urls: string[] } = {
      apis: [],
      urls: [],
    };

    beforeAll(async () => {
      opened.store = await publishSample();
      const { database, redis, ...subject } = await create();
      opened.subject = subject;
      const open = { backstop: WIDE_BACKSTOP, redis };
      for (let index = 0; index < apis; index += 1) {
        const api = await openGuardedApi(opened.store.folder, {
          open,
          ...(database === undefined ? {} : { database }),
        });
        opened.apis.push(api);
        opened.urls.push(await listen(api.app));
      }
    });
    afterAll(async () => {
      await Promise.all(opened.apis.map((api) => api.close()));
      await opened.subject?.close();
      await opened.store?.dispose();
    });

    function add(daily_quota: number | null, burst_per_minute = 10_000): Promise<Customer> {
      const [first] = opened.apis;
      if (first === undefined) throw new Error('no API');
      return first.accounts.add({ plan: 'commercial', contract: { daily_quota, burst_per_minute } });
    }

    function urlOf(index: number, path: string): string {
      return `${opened.urls[index % opened.urls.length]}${path}`;
    }

    async function usedBy({ key }: Customer): Promise<number[]> {
      const answers = await times(apis, (index) => fetchOnce(urlOf(index, '/v1/account'), key));
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
