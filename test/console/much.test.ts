/** No page grows with what an organization has (specification "Console"). */
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../api/accounts/actor.ts';
import { createKey } from '../../api/accounts/organizations/keys.ts';
import { addMember } from '../../api/accounts/people/memberships.ts';
import { addDays, isDay } from '../../runtime/day.ts';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';

const PAGE_BYTES_MAX = 100_000;
/** Keys and members. */
const MANY = 300;
const TODAY = '2026-06-03';

const console = useConsole({ now: `${TODAY}T12:00:00Z` });
let owner: Visitor;
let pages: string;

beforeAll(async () => {
  const organizationId = await console.organization({ 'owner@example.com': 'owner' });
  const changes = console.accounts.as(SYSTEM);
  const keys: string[] = [];
  for (let i = 0; i < MANY; i += 1) {
    const name = `the key of program number ${i}, ${'x'.repeat(60)}`;
    keys.push((await createKey({ organizationId, name }, changes)).id);
    const email = `somebody.with.a.name.${i}@example.com`;
    await addMember({ organizationId, email, role: 'member' }, console.members);
  }
  const { kysely } = console.database;
  if (!isDay(TODAY)) throw new Error(`${TODAY} is no day`);
  const counts = { requests: 123_456, units: 12_345, not_modified: 1_234, shared_units: 0, rate_limited: 1_234 };
  const others = { quota_exceeded: 54_321, client_errors: 1, server_errors: 1, aborted: 0 };
  const of = { organization_id: organizationId, route: '/v1/models', client_source: 'api_key' } as const;
  for (let i = 0; i < 400; i += 1) {
    const day = addDays(TODAY, -i);
    const usage = { organization_id: organizationId, day, used: 123_456, cap: 200_000, granted: 0 };
    await kysely.insertInto('daily_usage').values(usage).execute();
    const row = { ...of, day, api_key_id: keys[i % MANY] ?? '', ...counts, ...others };
    await kysely.insertInto('request_counts').values(row).execute();
  }
  owner = await console.signIn('owner@example.com');
  pages = `/console/orgs/${organizationId}`;
});

test.each(['', '/keys', '/members', '/usage', '/usage?days=365', '/audit'])(
  'the page %s of an organization that has much is below 100 KB',
  async (path) => {
    const { statusCode, rawPayload } = await owner.get(pages + path);
    expect([statusCode, rawPayload.length < PAGE_BYTES_MAX]).toEqual([200, true]);
  },
);

test.each([
  ['keys', /\/keys\/(key_\w+)\/revoke/g, MANY],
  ['members', /\/members\/(person_\w+)\/remove/g, MANY + 1],
] as const)('all %s are found by turning pages', async (path, ids, count) => {
  const found = new Set<string>();
  let [before, next]: (string | undefined)[] = [undefined, `${pages}/${path}`];
  while (next !== undefined) {
    const { body } = await owner.get(next);
    for (const [, id = ''] of body.matchAll(ids)) found.add(id);
    expect(/<a href="([^"]*)" rel="prev"/.exec(body)?.[1]).toBe(before);
    [before, next] = [next, /<a href="([^"]+)" rel="next"/.exec(body)?.[1]];
  }
  expect(found.size).toBe(count);
});

test('usage is downloaded as CSV, a year where it is asked for', async () => {
  const { headers, body } = await owner.get(`${pages}/usage.csv?days=365`);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(headers['content-disposition']).toMatch(/^attachment; filename="usage-[\d-]+-to-[\d-]+\.csv"$/);
  const lines = body.trim().split('\r\n');
  expect(lines).toHaveLength(1 + 365);
  expect(lines[0]).toMatch(/^day,key_id,key_name,last_four,route,client_source,requests,units/);
});
