import { describe, expect, test } from 'vitest';
import { NO_REQUESTS } from '../../../accounts/request-counts/request-counts.ts';
import { CSV_COLUMNS } from '../../../accounts/request-counts/usage-csv.ts';
import { collect } from '../client/collect.ts';
import { addTwoKeys, DAYS, finished, RANGE } from './finished-requests.ts';
import { callerOf, type Subject, TestClock } from './subject.ts';

export function describeUsageReport(subject: Subject): void {
  describe('a report of usage', () => {
    const clock = new TestClock('2026-11-21T12:00:00Z');
    const open = () => subject.open({ clock: clock.now });

    test('has units of the quota itself, which may know of more, and every day of the range', async () => {
      const accounts = await open();
      const { organizationId, callers, keyIds, second } = await addTwoKeys(accounts);
      clock.set('2026-11-20T12:00:00Z');
      for (let request = 0; request < 3; request += 1) await accounts.quota.reserve(callers[0]);
      accounts.countRequest(finished(callers[0]));
      accounts.countRequest(finished(callers[1], { units: 0, outcome: 'not_modified', route: '/v1/scores' }));
      accounts.countRequest(finished(callers[1], { units: 0, outcome: 'rate_limited', route: '/v1/scores' }));
      await accounts.administration.revokeKey(second.id);
      const report = await accounts.readUsage(organizationId, RANGE);
      clock.set('2026-11-21T12:00:00Z');
      const used = { ...NO_REQUESTS, requests: 3, units: 3, not_modified: 1, rate_limited: 1 };
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
            ...NO_REQUESTS,
            requests: 2,
            not_modified: 1,
            rate_limited: 1,
          },
          {
            key_id: keyIds[0],
            key_name: 'test',
            last_four: expect.stringMatching(/^.{4}$/),
            revoked_at: null,
            ...NO_REQUESTS,
            requests: 1,
            units: 1,
          },
        ],
        routes: [
          { route: '/v1/scores', ...NO_REQUESTS, requests: 2, not_modified: 1, rate_limited: 1 },
          { route: '/v1/models', ...NO_REQUESTS, requests: 1, units: 1 },
        ],
        client_sources: [
          { client_source: 'api_key', ...NO_REQUESTS, requests: 3, units: 1, not_modified: 1, rate_limited: 1 },
        ],
      });
    });

    test('adds up days that lie more than a year apart', async () => {
      const accounts = await open();
      const { organizationId, callers } = await addTwoKeys(accounts);
      const far = ['2025-01-01', '2025-06-30', '2026-11-21'];
      for (const day of far) accounts.countRequest(finished(callers[0], { day }));
      const { days, routes } = await accounts.readUsage(organizationId, { from: '2025-01-01', to: '2026-11-21' });
      expect(days.filter(({ requests }) => requests > 0).map(({ day }) => day)).toEqual(far);
      expect(routes).toEqual([{ route: '/v1/models', ...NO_REQUESTS, requests: 3, units: 3 }]);
    });

    test("is an organization's own, and nothing for an unknown one", async () => {
      const accounts = await open();
      const [one, other] = [await addTwoKeys(accounts), await addTwoKeys(accounts)];
      accounts.countRequest(finished(one.callers[0]));
      for (const organizationId of [other.organizationId, 'org_none'])
        expect(await accounts.readUsage(organizationId, RANGE)).toMatchObject({
          total: NO_REQUESTS,
          keys: [],
          routes: [],
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
        const { id, key } = await accounts.administration.createKey(organizationId, name);
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
      const named = pieces
        .slice(1)
        .join('')
        .split('\r\n')
        .map((line) =>
          line
            .split(',')
            .filter((_, at) => at === 0 || at === 4)
            .join(' '),
        );
      expect(new Set(named.filter((line) => line !== ''))).toEqual(
        new Set(DAYS.flatMap((day) => routes.map((route) => `${day} ${route}`))),
      );
      expect(named).toHaveLength(DAYS.length * routes.length + 1);
    });
  });
}
