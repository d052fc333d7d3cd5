/** Nobody sees or changes what belongs to an organization that they are no member of (specification "Console"). */
import { beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationRoute } from '../../console/shell/routes.ts';
import { dumpTables } from '../support/console/dump-tables.ts';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';
import { MODEL, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

const console = useConsole();

/** What the paths of the organization that others try to reach are filled in with. */
let theirs: Readonly<Record<string, string>>;
/** Another one's id, whose member tries. */
let otherId: string;
let outsider: Visitor;
let removed: Visitor;
let member: Visitor;
let owner: Visitor;

beforeAll(async () => {
  const org = await console.organization({
    'ada@example.com': 'owner',
    'max@example.com': 'member',
    'rem@example.com': 'member',
  });
  otherId = await console.organization({ 'eve@example.com': 'owner' });
  const { administration } = console.accounts;
  const [key, other] = [await administration.createKey(org, 'theirs'), await administration.createKey(otherId, 'ours')];
  const { endpoint, pingId } = await console.endpoints.add({
    organizationId: org,
    url: 'https://example.com/hooks',
    description: '',
    topics: ['score.updated'],
    filters: {},
    mode: 'each',
  });
  const declared = await console.integrations.declare({
    organizationId: org,
    name: 'Ours',
    url: 'https://example.org/',
  });
  const members = console.people.members.as({ operator: 'cli:test' });
  const invitation = await members.invite({ organizationId: org, email: 'new@example.com', role: 'member' });
  owner = await console.signIn('ada@example.com');
  member = await console.signIn('max@example.com');
  outsider = await console.signIn('eve@example.com');
  removed = await console.signIn('rem@example.com');
  const people = await members.listMembers(org);
  const idOf = (email: string) => people.find(({ person }) => person.email === email)?.person.id ?? '';
  await members.removeMember({ organizationId: org, personId: idOf('rem@example.com') });
  theirs = {
    org,
    key: key.id,
    endpoint: endpoint.id,
    delivery: pingId,
    integration: declared.id,
    person: idOf('max@example.com'),
    invitation: invitation.id,
    model: MODEL,
    snapshot: SAMPLE_DAYS[2],
  };
  expect(other.id).not.toBe(key.id);
});

/** A route's path, with the ids of the organization that others try to reach. */
function pathOf({ path }: OrganizationRoute, org = theirs['org']): string {
  const own = path.replaceAll(/:(\w+)/g, (_, name: string) => theirs[name] ?? `no-${name}`);
  return `/console/orgs/${org}${own}`;
}

const routes = (of: (route: OrganizationRoute) => boolean = () => true) =>
  console.routes.filter((route) => route.kind === 'organization').filter(of);

/** What each route answers a visitor, by method and path. */
async function answersTo(visitor: Visitor, asked: readonly OrganizationRoute[], org?: string) {
  const token = await visitor.token(visitor.cookie.includes('session') ? '/console/welcome' : '/console/sign-in');
  return Promise.all(
    asked.map(async (route) => {
      const url = pathOf(route, org);
      const answer =
        route.method === 'GET'
          ? await visitor.get(url)
          : await visitor.postWith(token, url, {
              name: 'x',
              email: 'x@example.com',
              role: 'owner',
              url: 'https://example.com/',
              public_url: 'https://example.org/new',
            });
      return { route: `${route.method} ${route.path}`, status: answer.statusCode, location: answer.headers.location };
    }),
  );
}

describe('each page and each form of an organization', () => {
  test('are many, and answer its owner', async () => {
    expect(routes().length).toBeGreaterThan(25);
    const pages = routes(({ method, path }) => method === 'GET' && !path.endsWith('/download'));
    for (const { status } of await answersTo(owner, pages)) expect([200, 303]).toContain(status);
  });

  test.each([
    ['a member of another organization', () => outsider],
    ['a member that was removed', () => removed],
  ])('are not there for %s, and nothing changes', async (_, visitor) => {
    const before = await dumpTables(console.database.kysely);
    for (const { route, status } of await answersTo(visitor(), routes())) expect([route, status]).toEqual([route, 404]);
    expect(await dumpTables(console.database.kysely)).toEqual(before);
  });

  test('lead whoever is not signed in to the sign-in page, and nothing changes', async () => {
    const before = await dumpTables(console.database.kysely);
    for (const { route, status, location } of await answersTo(console.stranger(), routes())) {
      expect([route, status]).toEqual([route, 303]);
      expect(location).toMatch(/^\/console\/sign-in/);
    }
    expect(await dumpTables(console.database.kysely)).toEqual(before);
  });

  test('that are for owners are not there for a member, and nothing changes', async () => {
    const forOwners = routes(({ isForOwners }) => isForOwners === true);
    expect(forOwners.length).toBeGreaterThan(4);
    const before = await dumpTables(console.database.kysely);
    for (const { route, status } of await answersTo(member, forOwners)) expect([route, status]).toEqual([route, 404]);
    expect(await dumpTables(console.database.kysely)).toEqual(before);
  });

  test('that are not for owners answer a member', async () => {
    const pages = routes(
      ({ method, isForOwners, path }) => method === 'GET' && isForOwners !== true && !path.endsWith('/download'),
    );
    expect(pages.length).toBeGreaterThan(12);
    for (const { route, status } of await answersTo(member, pages)) {
      expect(route).toBeDefined();
      expect([200, 303]).toContain(status);
    }
    const made = await member.post(
      `/console/orgs/${theirs['org']}/keys`,
      { name: 'ours too' },
      { from: '/console/welcome' },
    );
    expect(made.statusCode).toBe(200);
  });

  test("do nothing with another organization's ids below one's own path", async () => {
    const withIds = routes(({ path }) => /:(key|endpoint|delivery|integration|person|invitation)/.test(path));
    expect(withIds.length).toBeGreaterThan(9);
    const before = await dumpTables(console.database.kysely);
    for (const { route, status } of await answersTo(outsider, withIds, otherId)) {
      expect(route).toBeDefined();
      expect([404, 422]).toContain(status);
    }
    expect(await dumpTables(console.database.kysely)).toEqual(before);
  });
});

test('an organization that there never was looks the same as one of others', async () => {
  const [none, others] = await Promise.all([
    outsider.get('/console/orgs/org_none/keys'),
    outsider.get(`/console/orgs/${theirs['org']}/keys`),
  ]);
  const withoutId = (body: string) => body.replace(/Request \w+/, '');
  expect(none.statusCode).toBe(404);
  expect(withoutId(none.body)).toBe(withoutId(others.body));
});
