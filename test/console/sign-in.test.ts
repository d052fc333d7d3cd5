/** The way in and out, as browsers go it (specification "Console"; specification "Sign-in"). */
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../api/accounts/actor.ts';
import { createOrganization } from '../../api/accounts/organizations/organizations.ts';
import { invite } from '../../api/accounts/people/invitations.ts';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';
import { newestMail } from '../support/people/use-people.ts';

const console = useConsole();
const SIGN_IN = '/console/sign-in';
const YOU = '/console/you';
const WELCOME = '/console/welcome';
const PASSWORD = 'a long enough password';

/** Sets a password in a browser, which another may replace. */
const setPassword = (browser: Visitor, password: string, current = '') =>
  browser.post(`${YOU}/password`, { password, current }, { from: YOU });
const statusOf = async (browser: Visitor, page = YOU) => (await browser.get(page)).statusCode;

/** What a link that somebody asked for leads to, by its page. */
async function linkFor(email: string, next = '') {
  const response = await console.stranger().post(SIGN_IN, next === '' ? { email } : { email, next });
  expect(response.headers.location).toBe('/console/sign-in/sent');
  const token = await console.tokenFor(email);
  return { token, page: `${SIGN_IN}/link?token=${encodeURIComponent(token)}` };
}

describe('a link', () => {
  test('signs in with its form, not by being looked at, and once', async () => {
    const { token, page } = await linkFor('link@example.com');
    const [scanner, browser] = [console.stranger(), console.stranger()];
    expect([await statusOf(scanner, page), await statusOf(scanner, page)]).toEqual([200, 200]);
    const response = await browser.post('/console/sign-in/link', { token }, { from: page });
    expect([response.statusCode, response.headers.location]).toEqual([303, '/console']);
    expect(await statusOf(browser)).toBe(200);
    const again = await console.stranger().post('/console/sign-in/link', { token });
    expect([again.statusCode, await statusOf(scanner, page)]).toEqual([410, 410]);
  });

  test('is shown with the account that it signs in, and says when another browser asked for it', async () => {
    const browser = console.stranger();
    await browser.post(SIGN_IN, { email: 'asks@example.com' });
    const page = `${SIGN_IN}/link?token=${await console.tokenFor('asks@example.com')}`;
    const [own, other] = [(await browser.get(page)).body, (await console.stranger().get(page)).body];
    expect([own, other].map((body) => body.includes('Sign in as asks@example.com?'))).toEqual([true, true]);
    expect([own, other].map((body) => body.includes('requested in another browser'))).toEqual([false, true]);
  });

  test('names the session that it replaces in this browser, and ends it', async () => {
    const victim = await console.signIn('bob.in@example.com');
    const kept = console.stranger().with(victim.cookie.split('; '));
    const { token, page } = await linkFor('mallory.out@example.com');
    const { body } = await victim.get(page);
    expect(body).toContain('Sign in as mallory.out@example.com?');
    expect(body).toContain('You are signed in as bob.in@example.com. That session ends in this browser.');
    expect((await victim.get(YOU)).body).toContain('bob.in@example.com');
    await victim.post('/console/sign-in/link', { token }, { from: page });
    expect((await victim.get(YOU)).body).toContain('mallory.out@example.com');
    expect(await statusOf(kept)).toBe(303);
  });

  test.each([
    ['/console/you', '/console/you'],
    ['//evil.example/', '/console'],
  ])('that is to lead to %s leads to %s, as only the console is ours', async (next, place) => {
    const { token, page } = await linkFor('next@example.com', next);
    const response = await console.stranger().post(`${SIGN_IN}/link`, { token }, { from: page });
    expect(response.headers.location).toBe(place);
  });
});

test('known and unknown addresses get the same answers, by link and by password', async () => {
  await console.signIn('known@example.com');
  const same = (body: string) => body.replaceAll(/value="[^"]*"/g, '').replaceAll(/Request \w+/g, '');
  const link = (email: string) => console.stranger().post(SIGN_IN, { email });
  const password = (email: string) =>
    console.stranger().post(`${SIGN_IN}/password`, { email, password: 'not the password' });
  for (const ask of [link, password]) {
    const [known, unknown] = [await ask('known@example.com'), await ask('unknown@example.com')];
    expect([known.statusCode, known.headers.location]).toEqual([unknown.statusCode, unknown.headers.location]);
    expect(same(known.body)).toBe(same(unknown.body));
  }
});

test('many attempts at a password are refused, and the page says so', async () => {
  const browser = console.stranger();
  const token = await browser.token(SIGN_IN);
  const fields = { email: 'forced@example.com', password: 'not the password' };
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1)
    statuses.push((await browser.postWith(token, `${SIGN_IN}/password`, fields)).statusCode);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(422));
  expect(statuses[10]).toBe(429);
});

test('a password that was set signs in, and setting it ends the other sessions', async () => {
  const [here, there] = [await console.signIn('pass@example.com'), await console.signIn('pass@example.com')];
  expect((await setPassword(here, PASSWORD)).statusCode).toBe(303);
  expect([await statusOf(here), await statusOf(there)]).toEqual([200, 303]);
  const browser = console.stranger();
  const fields = { email: 'pass@example.com', password: PASSWORD, next: YOU };
  expect((await browser.post(`${SIGN_IN}/password`, fields)).headers.location).toBe(YOU);
  expect(await statusOf(browser)).toBe(200);
});

describe('a session that began more than 15 minutes ago', () => {
  const older = async (email: string) => {
    const browser = await console.signIn(email);
    const people = console.database.kysely.selectFrom('people').select('id').where('email', '=', email);
    const created_at = new Date(Date.now() - 15 * 60_000).toISOString();
    const sessions = console.database.kysely.updateTable('sessions').set({ created_at });
    await sessions.where('person_id', 'in', people).execute();
    return browser;
  };

  test('sets no password, and is offered the link with which one can be set', async () => {
    const browser = await older('stale@example.com');
    const { body } = await browser.get(YOU);
    expect(body).not.toContain('name="password"');
    expect(body).toContain('action="/console/you/link"');
    const refused = await setPassword(browser, PASSWORD);
    expect([refused.statusCode, refused.body.includes('sign in with a new link first')]).toEqual([422, true]);
    const asked = await browser.post(`${YOU}/link`, {}, { from: YOU });
    expect(asked.headers.location).toBe('/console/sign-in/sent');
    const token = await console.tokenFor('stale@example.com');
    const response = await browser.post('/console/sign-in/link', { token }, { from: YOU });
    expect(response.headers.location).toBe(YOU);
    expect((await setPassword(browser, PASSWORD)).headers.location).toBe(`${YOU}?done=password`);
  });

  test('changes a password with the current one, and the mail leads to a page that undoes it', async () => {
    const email = 'undo@example.com';
    await setPassword(await console.signIn(email), PASSWORD);
    const browser = await older(email);
    expect((await browser.get(YOU)).body).toContain('name="current"');
    const password = 'another long password';
    expect((await setPassword(browser, password, PASSWORD)).statusCode).toBe(303);
    const link = new URL((await newestMail(console, email)).link ?? '');
    const [page, stranger] = [link.pathname + link.search, console.stranger()];
    expect((await stranger.get(page)).body).toContain(`This removes the password of ${email}`);
    const token = link.searchParams.get('token') ?? '';
    const undone = await stranger.post(link.pathname, { token }, { from: page });
    expect([undone.statusCode, undone.body.includes('no longer has a password')]).toEqual([200, true]);
    expect([await statusOf(browser), await statusOf(stranger, page)]).toEqual([303, 410]);
    expect((await stranger.post(`${SIGN_IN}/password`, { email, password })).statusCode).toBe(422);
  });
});

test('signing out ends the session, not only its cookie, and everywhere every session', async () => {
  const leaving = await console.signIn('out@example.com');
  const [here, there] = [await console.signIn('out@example.com'), await console.signIn('out@example.com')];
  const kept = console.stranger().with(leaving.cookie.split('; '));
  await leaving.post('/console/sign-out', {}, { from: '/console/you' });
  expect(await statusOf(kept)).toBe(303);
  const response = await here.post('/console/sign-out-everywhere', {}, { from: '/console/you' });
  expect(response.headers.location).toBe(SIGN_IN);
  for (const browser of [here, there]) expect((await browser.get('/console/you')).statusCode).toBe(303);
});

test('whoever signs up makes an organization of their own, on Community', async () => {
  const browser = await console.signIn('founder@example.com');
  expect((await browser.get('/console')).headers.location).toBe(WELCOME);
  const response = await browser.post(WELCOME, { name: 'Founded' }, { from: WELCOME });
  const overview = await browser.get(String(response.headers.location));
  expect(overview.body).toMatch(/Founded[\s\S]*Community/);
});

test('a name with an address is refused where it enters, in the console and by an operator', async () => {
  const browser = await console.signIn('spammer@example.com');
  const name = 'Win a prize at evil.example';
  const refused = await browser.post(WELCOME, { name }, { from: WELCOME });
  expect([refused.statusCode, refused.body.includes('must not contain a web address or domain')]).toEqual([422, true]);
  const made = createOrganization({ name }, console.accounts.as(SYSTEM));
  await expect(made).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('a web address or domain'),
  });
});

test('an invitation is accepted by whom it was sent to, and looks over to others', async () => {
  const org = await console.organization({ 'host@example.com': 'owner' });
  const host = await console.signIn('host@example.com');
  const members = `/console/orgs/${org}/members`;
  await host.post(`${members}/invite`, { email: 'guest@example.com', role: 'member' }, { from: members });
  const token = await console.tokenFor('guest@example.com');
  const page = `/console/invitations/accept?token=${encodeURIComponent(token)}`;
  const stranger = await console.signIn('somebody@example.com');
  expect(await statusOf(stranger, page)).toBe(410);
  const guest = await console.signIn('guest@example.com');
  const shown = await guest.get(page);
  expect([shown.statusCode, shown.body.includes('Join Acme?')]).toEqual([200, true]);
  const joined = await guest.post('/console/invitations/accept', { token }, { from: page });
  expect(joined.headers.location).toBe(`/console/orgs/${org}`);
  expect(await statusOf(guest, members)).toBe(200);
});

test.each(['/console/welcome', '/console/you'])(
  'who is invited finds that on %s, and joins without the mail',
  async (page) => {
    const email = `${page.length}.found@example.com`;
    const org = await console.organization({ 'host@example.com': 'owner' });
    const { id } = await invite({ organizationId: org, email, role: 'member' }, console.members, console.people);
    const guest = await console.signIn(email);
    expect((await guest.get(page)).body).toContain(`name="token" value="${id}"`);
    const stranger = await console.signIn('somebody@example.com');
    expect((await stranger.post('/console/invitations/accept', { token: id }, { from: page })).statusCode).toBe(410);
    const joined = await guest.post('/console/invitations/accept', { token: id }, { from: page });
    expect(joined.headers.location).toBe(`/console/orgs/${org}`);
  },
);

test('a page that needs signing in is come back to', async () => {
  const response = await console.stranger().get('/console/orgs/org_x/usage?days=30');
  expect(response.headers.location).toBe('/console/sign-in?next=%2Fconsole%2Forgs%2Forg_x%2Fusage%3Fdays%3D30');
});
