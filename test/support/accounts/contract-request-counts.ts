import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Accounts } from '../../../accounts/accounts.ts';
import type { Caller } from '../../../accounts/caller.ts';
import { COUNT_NAMES, countsOf, type RequestCounts } from '../../../accounts/request-counts/request-counts.ts';
import type { FinishedRequest } from '../../../accounts/request-counts/request-recorder.ts';
import { addTwoKeys, DAYS, finished, RANGE } from './finished-requests.ts';
import { type Subject, TestClock } from './subject.ts';

const OUTCOMES = COUNT_NAMES.filter((name) => name !== 'requests' && name !== 'units');

/** What a request of the property comes to; which key and server it is for are numbers, taken by their remainder. */
const REQUEST = fc.record({
  server: fc.nat(1),
  key: fc.nat(1),
  day: fc.constantFrom(...DAYS),
  route: fc.constantFrom('/v1/models', '/v1/scores', undefined),
  units: fc.constantFrom(0, 1),
  outcome: fc.constantFrom(undefined, ...OUTCOMES),
  isFlushed: fc.boolean(),
});

/** What a client does with a reservation: each holds a unit of its own, or shares that of its Idempotency-Key. */
const TAKE = fc.record({ key: fc.constantFrom(undefined, 'a', 'b'), server: fc.nat(1), isReleased: fc.boolean() });

export function describeRequestCounts(subject: Subject): void {
  describe('usage details', () => {
    const clock = new TestClock('2026-11-21T12:00:00Z');
    const open = () => subject.open({ clock: clock.now });

    test('of any requests at two servers at once are what a model counts, by day, key and route', async () => {
      const servers = [await open(), await open()] as const;
      const [here] = servers;
      await fc.assert(
        fc.asyncProperty(fc.array(REQUEST, { maxLength: 60 }), async (requests) => {
          const { organizationId, keyIds, callers } = await addTwoKeys(here);
          const model = requests.map(({ key, ...request }) => ({
            ...request,
            caller: callers[key === 0 ? 0 : 1],
            keyId: keyIds[key === 0 ? 0 : 1],
          }));
          const flushes: Promise<unknown>[] = [];
          for (const request of model) {
            const server = servers[request.server === 0 ? 0 : 1];
            server.countRequest(request);
            if (request.isFlushed) flushes.push(server.readUsage(organizationId, RANGE));
          }
          await Promise.all(flushes);
          await servers[1].readUsage(organizationId, RANGE);
          const report = await here.readUsage(organizationId, RANGE);
          const all = [...Map.groupBy(model, ({ route = 'unknown' }) => route)];
          expect(Object.fromEntries(report.routes.map(({ route, ...counts }) => [route, counts]))).toEqual(
            Object.fromEntries(all.map(([route, group]) => [route, sumOf(group)])),
          );
          expect(Object.fromEntries(report.keys.map((key) => [key.key_id, pick(key)]))).toEqual(
            Object.fromEntries([...Map.groupBy(model, ({ keyId }) => keyId)].map(([id, group]) => [id, sumOf(group)])),
          );
          const byDay = Map.groupBy(model, ({ day }) => day);
          // Units of days are the quota's own, which took none here.
          expect(report.days).toEqual(
            DAYS.map((day) => ({ ...sumOf(byDay.get(day) ?? []), day, units: 0, limit: null })),
          );
          expect(report.total).toEqual({ ...sumOf(model), units: 0 });
        }),
        { numRuns: 15 },
      );
    });

    test('have as many units as the quota counts, whatever keys share and requests give back', async () => {
      const servers = [await open(), await open()] as const;
      const [here] = servers;
      await fc.assert(
        fc.asyncProperty(fc.array(TAKE, { maxLength: 30 }), fc.boolean(), async (takes, isTogether) => {
          const { callers } = await addTwoKeys(here);
          const [caller] = callers;
          const work = takes.map((taken) => () => takeUnits(servers[taken.server === 0 ? 0 : 1], caller, taken));
          const units = isTogether ? await Promise.all(work.map((take) => take())) : await oneByOne(work);
          expect(units.reduce((sum, changed) => sum + changed, 0)).toBe((await here.quota.usage(caller)).used);
        }),
        { numRuns: 15 },
      );
    });

    test('are removed with the usage of days gone by', async () => {
      const accounts = await subject.open({ clock: clock.now, cleanup: { usageDays: 2, rowsAtOnce: 3 } });
      const { organizationId, callers } = await addTwoKeys(accounts);
      const routes = Array.from({ length: 8 }, (_, index) => `/v1/route-${index}`);
      for (const day of DAYS) for (const route of routes) accounts.countRequest(finished(callers[0], { day, route }));
      await accounts.readUsage(organizationId, RANGE);
      await accounts.quota.reserve(callers[0]);
      await expect
        .poll(async () => (await accounts.readUsage(organizationId, RANGE)).days.map(({ requests }) => requests))
        .toEqual([0, 8, 8, 8]);
    });
  });
}

/** A request that takes a unit, or shares one; by how much it changed the day's count in the end. */
async function takeUnits(
  { quota }: Accounts,
  caller: Caller,
  { key: idempotencyKey, isReleased }: { readonly key: string | undefined; readonly isReleased: boolean },
): Promise<number> {
  const result = await quota.reserve(caller, { idempotencyKey, request: 'r' });
  if (!result.granted) throw new Error('refused');
  if (isReleased) await quota.release(result.reservation);
  return result.reservation.units;
}

async function oneByOne<T>(work: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = [];
  for (const step of work) results.push(await step());
  return results;
}

function pick(counts: RequestCounts): RequestCounts {
  return countsOf((name) => counts[name]);
}

/** The model: what requests come to together. */
function sumOf(requests: readonly Pick<FinishedRequest, 'units' | 'outcome'>[]): RequestCounts {
  return countsOf((name) => {
    if (name === 'requests') return requests.length;
    if (name === 'units') return requests.reduce((sum, { units }) => sum + units, 0);
    return requests.filter(({ outcome }) => outcome === name).length;
  });
}
