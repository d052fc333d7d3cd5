import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { Caller } from '../../../api/accounts/caller.ts';
import type { Accounts } from '../../../api/accounts/open-accounts.ts';
import { createKey, revokeKey } from '../../../api/accounts/organizations/keys.ts';
import {
  COUNT_NAMES,
  countsOf,
  NO_REQUESTS,
  type RequestCounts,
} from '../../../api/accounts/request-counts/request-counts.ts';
import type { FinishedRequest } from '../../../api/accounts/request-counts/request-recorder.ts';
import { CSV_COLUMNS } from '../../../api/accounts/request-counts/usage-csv.ts';
import { collect } from '../client/collect.ts';
import { addCustomer, callerOf, type Subject, TestClock } from './subject.ts';

const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'];
const RANGE = { from: '2026-11-18', to: '2026-11-21' };

const OUTCOMES = COUNT_NAMES.filter((name) => name !== 'requests' && name !== 'units');

/** What a request of the property comes to. */
const REQUEST = fc.record({
  server: fc.constantFrom(0, 1),
  key: fc.constantFrom(0, 1),
  day: fc.constantFrom(...DAYS),
  route: fc.constantFrom('/v1/models', '/v1/scores', undefined),
  units: fc.constantFrom(0, 1),
  outcome: fc.constantFrom(undefined, ...OUTCOMES),
  isFlushed: fc.boolean(),
});

/** What a client does with a reservation: each holds a unit of its own, or shares that of its Idempotency-Key. */
const TAKE = fc.record({
  key: fc.constantFrom(undefined, 'a', 'b'),
  server: fc.constantFrom(0, 1),
  isReleased: fc.boolean(),
});

export function describeUsage(subject: Subject): void {
  const clock = new TestClock('2026-11-21T12:00:00Z');
  const open = () => subject.open({ clock: clock.now });

  describe('usage details', () => {
    test('of any requests at two servers at once are what a model counts, by day, key and route', async () => {
      const servers = [await open(), await open()] as const;
      const [here] = servers;
      await fc.assert(
        fc.asyncProperty(fc.array(REQUEST, { maxLength: 60 }), async (requests) => {
          const { organizationId, keyIds, callers } = await addTwoKeys(here);
          const model = requests.map((request) => ({
            ...request,
            caller: callers[request.key],
            keyId: keyIds[request.key],
          }));
          const flushes: Promise<unknown>[] = [];
          for (const { server, isFlushed, ...request } of model) {
            servers[server].countRequest(request);
            if (isFlushed) flushes.push(servers[server].readUsage(organizationId, RANGE));
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
          const [caller] = (await addTwoKeys(here)).callers;
          const take = (taken: (typeof takes)[number]) => takeUnits(servers[taken.server], caller, taken);
          const units = isTogether ? await Promise.all(takes.map(take)) : [];
          if (!isTogether) for (const taken of takes) units.push(await take(taken));
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

  describe('a report of usage', () => {
    test('has units of the quota itself, which may know of more, and every day of the range', async () => {
      const accounts = await open();
      const { organizationId, callers, keyIds, second } = await addTwoKeys(accounts);
      clock.set('2026-11-20T12:00:00Z');
      for (let request = 0; request < 3; request += 1) await accounts.quota.reserve(callers[0]);
      accounts.countRequest(finished(callers[0]));
      accounts.countRequest(finished(callers[1], { units: 0, outcome: 'not_modified', route: '/v1/scores' }));
      accounts.countRequest(finished(callers[1], { units: 0, outcome: 'rate_limited', route: '/v1/scores' }));
      await revokeKey(second.id, accounts.as(SYSTEM));
      const report = await accounts.readUsage(organizationId, RANGE);
      clock.set('2026-11-21T12:00:00Z');
      const ofFirst = { ...NO_REQUESTS, requests: 1, units: 1 };
      const ofSecond = { ...NO_REQUESTS, requests: 2, not_modified: 1, rate_limited: 1 };
      const used = { ...ofSecond, requests: 3, units: 3 };
      expect(report).toEqual({
        organization_id: organizationId,
        ...RANGE,
        total: used,
        days: DAYS.map((day) =>
          day === '2026-11-20' ? { day, limit: 1000, ...used } : { day, limit: null, ...NO_REQUESTS },
        ),
        keys: [
          {
            key_id: keyIds[1],
            key_name: '=1+1,"two"',
            last_four: second.lastFour,
            revoked_at: '2026-11-20T12:00:00Z',
            ...ofSecond,
          },
          {
            key_id: keyIds[0],
            key_name: 'test',
            last_four: expect.stringMatching(/^.{4}$/),
            revoked_at: null,
            ...ofFirst,
          },
        ],
        routes: [
          { route: '/v1/scores', ...ofSecond },
          { route: '/v1/models', ...ofFirst },
        ],
        client_sources: [{ client_source: 'api_key', ...used, units: 1 }],
      });
    });

    test.each([
      ['is turned round', { from: '2026-11-21', to: '2026-11-20' }],
      ['names no day', { from: '2026-11-31', to: '2026-12-01' }],
      ['is too long', { from: '1900-01-01', to: '2026-11-20' }],
    ])('of a range that %s is refused', async (_, range) => {
      const accounts = await open();
      await expect(accounts.readUsage('org_none', range)).rejects.toMatchObject({ code: 'usage' });
      await expect(collect(accounts.usageCsv('org_none', range))).rejects.toMatchObject({ code: 'usage' });
    });

    test('is CSV with a line per day, key and route, in that order, and no name is a formula', async () => {
      const accounts = await open();
      const { organizationId, callers, keyIds, second } = await addTwoKeys(accounts);
      for (const day of DAYS.toReversed()) accounts.countRequest(finished(callers[1], { day }));
      accounts.countRequest(finished(callers[0], { route: undefined, units: 0, outcome: 'client_errors' }));
      const text = (await collect(accounts.usageCsv(organizationId, { ...RANGE, from: '2026-11-19' }))).join('');
      const name = `"'=1+1,""two"""`;
      const line = (day: string) =>
        `${day},${keyIds[1]},${name},${second.lastFour},/v1/models,api_key,1,1,0,0,0,0,0,0,0`;
      const [header, ...lines] = text.split('\r\n');
      expect(header).toBe(CSV_COLUMNS.join(','));
      expect(header).toMatch(/^day,key_id,key_name,last_four,route,client_source,requests,units,/);
      expect(lines).toEqual([
        line('2026-11-19'),
        expect.stringMatching(new RegExp(`^2026-11-20,${keyIds[0]},test,.{4},unknown,api_key,1,0,0,0,0,0,1,0,0$`)),
        line('2026-11-20'),
        line('2026-11-21'),
        '',
      ]);
    });

    test.each(['=1', '+1', '-1', '@a', '\t1', '\r1'])(
      'has %j in its CSV as a text and not as a formula',
      async (name) => {
        const accounts = await open();
        const { organizationId } = await addTwoKeys(accounts);
        const { id, key } = await createKey({ organizationId, name }, accounts.as(SYSTEM));
        accounts.countRequest(finished(await callerOf(accounts, key)));
        const lines = (await collect(accounts.usageCsv(organizationId, RANGE))).join('');
        const field = name.includes('\r') ? `"'${name}"` : `'${name}`;
        expect(lines).toContain(`,${id},${field},`);
      },
    );

    test('is CSV in pieces, each line once, however many there are', async () => {
      const accounts = await open();
      const { organizationId, callers } = await addTwoKeys(accounts);
      const routes = Array.from({ length: 300 }, (_, index) => `/v1/route-${index}`);
      for (const day of DAYS) for (const route of routes) accounts.countRequest(finished(callers[0], { day, route }));
      const pieces = await collect(accounts.usageCsv(organizationId, RANGE));
      expect(pieces).toHaveLength(1 + Math.ceil((DAYS.length * routes.length) / 500));
      const lines = pieces.slice(1).join('').trimEnd().split('\r\n');
      const named = lines.map((line) => line.split(',')).map((cells) => `${cells[0]} ${cells[4]}`);
      expect(named.toSorted()).toEqual(DAYS.flatMap((day) => routes.map((route) => `${day} ${route}`)).toSorted());
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

/** An organization with two keys, of which the second is named like a formula. */
async function addTwoKeys(accounts: Accounts) {
  const { organizationId, keyId, key } = await addCustomer(accounts, { contract: { daily_quota: 1_000 } });
  const second = await createKey({ organizationId, name: '=1+1,"two"' }, accounts.as(SYSTEM));
  const callers = [await callerOf(accounts, key), await callerOf(accounts, second.key)] as const;
  return { organizationId, keyIds: [keyId, second.id] as const, callers, second };
}

/** A request that was answered on a unit of its own, unless told otherwise. */
function finished(caller: Caller, request: Partial<FinishedRequest> = {}): FinishedRequest {
  return { caller, day: '2026-11-20', route: '/v1/models', units: 1, outcome: undefined, ...request };
}
