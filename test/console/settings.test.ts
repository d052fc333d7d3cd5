/** What the service offers less than everything, or not so often (specification "Sign-in"; specification "Console"). */
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { listMembers, removeMember } from '../../api/accounts/people/memberships.ts';
import { useConsole } from '../support/console/use-console.ts';
import { MODEL } from '../support/pipeline/sample-store.ts';

const SIGN_IN = '/console/sign-in';

describe('where passwords alone are offered', () => {
  const console = useConsole({ methods: ['password'] });

  test.each([SIGN_IN, '/console/sign-up'])('who has none asks at %s for the link that sets it', async (page) => {
    const email = `${page.length}@example.com`;
    const browser = console.stranger();
    const { body } = await browser.get(page);
    const [, form = ''] = /<form method="post" action="\/console\/sign-in"(.*?)<\/form>/s.exec(body) ?? [];
    expect(form).toContain('name="email"');
    const [, next = ''] = /name="next" value="([^"]*)"/.exec(form) ?? [];
    await browser.post(SIGN_IN, { email, next }, { from: page });
    const token = await console.tokenFor(email);
    const response = await browser.post(`${SIGN_IN}/link`, { token }, { from: page });
    expect([response.statusCode, response.headers.location]).toEqual([303, '/console/you']);
    expect((await browser.get('/console/you')).body).toContain('Set a password');
  });
});

describe('where people are invited', () => {
  const console = useConsole({ signUp: 'invited' });

  test('nobody is offered an account, and what was wanted is come back to', async () => {
    const { statusCode, headers } = await console.stranger().get('/console/sign-up?next=%2Fconsole%2Fyou');
    expect([statusCode, headers.location]).toEqual([303, '/console/sign-in?next=%2Fconsole%2Fyou']);
  });

  test('who belongs to no organization is told how to join one, not to make one', async () => {
    const org = await console.organization({ 'ada@example.com': 'owner', 'max@example.com': 'member' });
    const max = await console.signIn('max@example.com');
    const [, gone] = await listMembers(org, console.members);
    await removeMember({ organizationId: org, personId: gone?.person.id ?? '' }, console.members);
    expect((await max.get('/console')).headers.location).toBe('/console/welcome');
    const { body } = await max.get('/console/welcome');
    expect([body.includes('name="name"'), body.includes('ask one of its owners to invite')]).toEqual([false, true]);
  });
});

describe('an invited stranger', () => {
  const console = useConsole();

  test('comes back to the invitation by way of either page', async () => {
    const wanted = '/console/sign-up?next=%2Fconsole%2Finvitations%2Faccept%3Ftoken%3Dabc';
    const { body } = await console.stranger().get(wanted.replace('sign-up', 'sign-in'));
    expect(body).toContain(`href="${wanted}"`);
    expect((await console.stranger().get(wanted)).body).toContain('value="/console/invitations/accept?token=abc"');
  });
});

describe('where much is switched off', () => {
  const console = useConsole({
    capabilities: {
      history: 'planned',
      changes: 'planned',
      attribution: 'planned',
      webhooks: 'planned',
      embeds: 'planned',
    },
  });

  test.each([
    [`models/${encodeURIComponent(MODEL)}`, 'Prices now'],
    ['rankings', 'Ranking'],
    ['changes', 'This service does not offer this data'],
  ])('data/%s is there without history and changes', async (path, shown) => {
    const { org, ada } = await console.own();
    const { statusCode, body } = await ada.get(`/console/orgs/${org}/data/${path}`);
    expect([statusCode, body.includes(shown)]).toEqual([200, true]);
  });

  test('what is not offered stands in no navigation, and its pages are not there', async () => {
    const { org, ada } = await console.own();
    const { body } = await ada.get(`/console/orgs/${org}`);
    const [navigation = ''] = /<nav class="pages"[\s\S]*?<\/nav>/.exec(body) ?? [];
    expect(navigation).toContain('Connections');
    expect(navigation).not.toMatch(/Integrations|Webhooks/);
    for (const path of ['integrations', 'integrations/int_1'])
      expect((await ada.get(`/console/orgs/${org}/${path}`)).statusCode).toBe(404);
  });
});

describe('where five pages a minute are answered', () => {
  const console = useConsole({ pagesPerMinute: 5 });

  test('one person gets so many pages in a minute, and others go on', async () => {
    const org = await console.organization({ 'ada@example.com': 'owner', 'max@example.com': 'member' });
    for (const name of ['ada', 'max', 'new']) {
      const person = await console.signIn(`${name}@example.com`);
      const page = name === 'new' ? '/console/welcome' : `/console/orgs/${org}`; // Who is new belongs to none.
      const answers: LightMyRequestResponse[] = [];
      for (let count = 0; count < 6; count += 1) answers.push(await person.get(page));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200, 429]);
      expect(Number(answers[5]?.headers['retry-after'])).toBeGreaterThan(0);
    }
  });
});
