/** Nobody sees or changes what belongs to an organization that they are no member of (specification "Console"). */
import { beforeAll, describe, expect, test } from 'vitest';
import { SYSTEM } from '../../api/accounts/actor.ts';
import { createKey } from '../../api/accounts/organizations/keys.ts';
import { invite } from '../../api/accounts/people/invitations.ts';
import { listMembers, removeMember } from '../../api/accounts/people/memberships.ts';
import type { OrganizationRoute } from '../../api/console/shell/routes.ts';
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
  const changes = console.accounts.as(SYSTEM);
  const key = await createKey({ organizationId: org, name: 'theirs' }, changes);
  await createKey({ organizationId: otherId, name: 'ours' }, changes);
  const { endpoint, pingId } = await console.addEndpoint(org);
  const page = { organizationId: org, name: 'Ours', url: 'https://example.org/' };
  const declared = await console.integrations.declare(page);
  const { members, people } = console;
  const invited = { organizationId: org, email: 'new@example.com', role: 'member' } as const;
  const invitation = await invite(invited, members, people);
  owner = await console.signIn('ada@example.com');
  member = await console.signIn('max@example.com');
  outsider = await console.signIn('eve@example.com');
  removed = await console.signIn('rem@example.com');
  const all = await listMembers(org, members);
  const idOf = (email: string) => all.find(({ person }) => person.email === email)?.person.id ?? '';
  await removeMember({ organizationId: org, personId: idOf('rem@example.com') }, members);
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
});

/** A route's path, with the ids of the organization that others try to reach. */
function pathOf({ path }: OrganizationRoute, org = theirs['org']): string {
  const own = path.replaceAll(/:(\w+)/g, (_, name: string) => theirs[name] ?? `no-${name}`);
  return `/console/orgs/${org}${own}`;
}

const routes = (of: (route: OrganizationRoute) => boolean = () => true) =>
  console.routes.filter((route) => route.kind === 'organization').filter(of);

/** What forms ask for. */
const FIELDS = {
  name: 'x',
  email: 'x@example.com',
  role: 'owner',
  url: 'https://example.com/',
  public_url: 'https://example.org/new',
};

/**
 * Asks each route, of which there are more than so many, in this browser: all responses have one of the statuses, and nothing that is
 * stored changes. Resolves to where they lead.
 */
async function expectEach(
  visitor: Visitor,
  asked: readonly OrganizationRoute[],
  { statuses, more = 25, org }: { readonly statuses: readonly number[]; readonly more?: number; readonly org?: string },
) {
  expect(asked.length).toBeGreaterThan(more);
  const token = await visitor.token(visitor.cookie.includes('session') ? '/console/welcome' : '/console/sign-in');
  const before = await dumpTables(console.database.kysely);
  const answers = await Promise.all(
    asked.map((route) => {
      const url = pathOf(route, org);
      return route.method === 'GET' ? visitor.get(url) : visitor.postWith(token, url, FIELDS);
    }),
  );
  const wrong = answers.map(({ statusCode }, i) => `${statusCode} of ${asked[i]?.method} ${asked[i]?.path}`);
  expect(wrong.filter((_, i) => !statuses.includes(answers[i]?.statusCode ?? 0))).toEqual([]);
  expect(await dumpTables(console.database.kysely)).toEqual(before);
  return answers.map(({ headers }) => headers.location);
}

describe('each page and each form of an organization', () => {
  const isPage = ({ method, path }: OrganizationRoute) => method === 'GET' && !path.endsWith('/download');

  test('are many, and answer its owner', async () => {
    expect(routes().length).toBeGreaterThan(25);
    await expectEach(owner, routes(isPage), { statuses: [200, 303], more: 12 });
  });

  test.each([
    ['a member of another organization', () => outsider],
    ['a member that was removed', () => removed],
  ])('are not there for %s, and nothing changes', async (_, visitor) => {
    await expectEach(visitor(), routes(), { statuses: [404] });
  });

  test('lead whoever is not signed in to the sign-in page, and nothing changes', async () => {
    for (const location of await expectEach(console.stranger(), routes(), { statuses: [303] }))
      expect(location).toMatch(/^\/console\/sign-in/);
  });

  test('that are for owners are not there for a member, and nothing changes', async () => {
    const forOwners = routes(({ isForOwners }) => isForOwners === true);
    await expectEach(member, forOwners, { statuses: [404], more: 4 });
  });

  test('that are not for owners answer a member', async () => {
    const pages = routes((route) => isPage(route) && route.isForOwners !== true);
    await expectEach(member, pages, { statuses: [200, 303], more: 12 });
    const keys = `/console/orgs/${theirs['org']}/keys`;
    const made = await member.post(keys, { name: 'ours too' }, { from: '/console/welcome' });
    expect(made.statusCode).toBe(200);
  });

  test("do nothing with another organization's ids below one's own path", async () => {
    const withIds = routes(({ path }) => /:(key|endpoint|delivery|integration|person|invitation)/.test(path));
    await expectEach(outsider, withIds, { statuses: [404, 422], more: 9, org: otherId });
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
