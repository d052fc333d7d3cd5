/** A form changes something only where it is one of ours, sent by whom it was made for (specification "Console"). */

import { beforeAll, describe, expect, test } from 'vitest';
import { SYSTEM } from '../../api/accounts/actor.ts';
import { createKey, listKeys } from '../../api/accounts/organizations/keys.ts';
import { listAudit } from '../../api/accounts/organizations/organizations.ts';
import type { ConsoleRoute } from '../../api/console/shell/routes.ts';
import { dumpTables } from '../support/console/dump-tables.ts';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';

const console = useConsole();
let org: string;
let keyId: string;
let ada: Visitor;
let max: Visitor;

beforeAll(async () => {
  org = await console.organization({ 'ada@example.com': 'owner', 'max@example.com': 'owner' });
  keyId = (await createKey({ organizationId: org, name: 'production' }, console.accounts.as(SYSTEM))).id;
  ada = await console.signIn('ada@example.com');
  max = await console.signIn('max@example.com');
});

const pathOf = ({ kind, path }: ConsoleRoute) =>
  `/console${kind === 'organization' ? `/orgs/${org}` : ''}${path.replaceAll(':key', keyId).replaceAll(/:\w+/g, 'x')}`;
const forms = () => console.routes.filter(({ method, isSigned }) => method === 'POST' && isSigned !== true);
const keys = () => `/console/orgs/${org}/keys`;

describe('every form is refused, and changes nothing,', () => {
  const each = async (send: (url: string) => Promise<{ readonly statusCode: number }>, status: number) => {
    const before = await dumpTables(console.database.kysely);
    expect(forms().length).toBeGreaterThan(20);
    for (const form of forms()) {
      const { statusCode } = await send(pathOf(form));
      expect([form.path, statusCode]).toEqual([form.path, status]);
    }
    expect(await dumpTables(console.database.kysely)).toEqual(before);
    expect((await ada.get(keys())).statusCode).toBe(200); // Still signed in.
  };

  test('without a token', () => each((url) => ada.postWith('', url, {}), 403));

  test("with the token of somebody else's session", async () => {
    const token = await max.token(keys());
    await each((url) => ada.postWith(token, url, {}), 403);
  });

  test('with a token that a stranger was given', async () => {
    const token = await console.stranger().token('/console/sign-in');
    await each((url) => ada.postWith(token, url, {}), 403);
  });

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling of this host', { 'sec-fetch-site': 'same-site' }],
    ['the same host by http', { origin: 'http://stats.example.com' }],
  ])('that comes from %s', async (_, headers) => {
    const token = await ada.token(keys());
    await each((url) => ada.postWith(token, url, {}, headers), 400);
  });
});

test('one form needs no token of a page, since its address is signed: the one that stops a digest', async () => {
  expect(console.routes.filter(({ isSigned }) => isSigned === true).map(pathOf)).toEqual(['/console/digest/stop']);
  const before = await dumpTables(console.database.kysely);
  expect((await ada.postWith('', '/console/digest/stop', {})).statusCode).toBe(404);
  expect(await dumpTables(console.database.kysely)).toEqual(before);
});

test('a form is refused that is no form, or too large', async () => {
  const inject = (payload: string, type: string) =>
    console.api.app.inject({
      method: 'POST',
      url: keys(),
      payload,
      headers: { 'content-type': type, cookie: ada.cookie, host: 'stats.example.com' },
    });
  expect((await inject('{"name":"x"}', 'application/json')).statusCode).toBe(415);
  expect((await inject(`name=${'x'.repeat(70_000)}`, 'application/x-www-form-urlencoded')).statusCode).toBe(413);
});

test('a key is shown once, in the answer to its form', async () => {
  const made = await ada.post(keys(), { name: 'nightly job' }, { from: keys() });
  expect(made.statusCode).toBe(200);
  const [key = ''] = /ms_\w+|[a-z]+_[A-Za-z0-9]{30,}/.exec(made.body.replace(/<input[^>]*>/g, '')) ?? [];
  const { accounts } = console;
  expect(await accounts.authenticate(key)).toMatchObject({ organizationId: org });
  for (const page of [keys(), `/console/orgs/${org}`, `/console/orgs/${org}/audit`])
    expect((await ada.get(page)).body).not.toContain(key);
});

test('a key that is replaced ends within a day and is not replaced again, by one that lasts as long', async () => {
  const made = await ada.post(keys(), { name: 'ninety days', days: '90' }, { from: keys() });
  expect(made.statusCode).toBe(200);
  const named = async () =>
    (await listKeys(org, console.accounts.as(SYSTEM))).filter(({ name }) => name === 'ninety days');
  const [old] = await named();
  const token = await ada.token(keys());
  const answers = await Promise.all([1, 2, 3].map(() => ada.postWith(token, `${keys()}/${old?.id}/replace`, {})));
  expect(answers.map(({ statusCode }) => statusCode).sort(), 'also at once').toEqual([200, 422, 422]);
  const [replaced, issued] = await named();
  const daysOf = (key: typeof old) => (Number(key?.expiresAt) - Number(key?.createdAt)) / 86_400_000;
  expect([daysOf(replaced), daysOf(issued), (await named()).length]).toEqual([1, 90, 2]);
});

test('a revoked key does not work at once, is not replaced, and the page says so', async () => {
  const { id, key } = await createKey({ organizationId: org, name: 'gone' }, console.accounts.as(SYSTEM));
  const token = await ada.token(keys());
  expect((await ada.postWith(token, `${keys()}/${id}/revoke`, {})).statusCode).toBe(303);
  expect(await console.accounts.authenticate(key)).toBeUndefined();
  const response = await ada.postWith(token, `${keys()}/${id}/replace`, {});
  expect([response.statusCode, response.body.includes('has already ended')]).toEqual([422, true]);
});

test('what is missing or wrong is said at its field, and what was typed stays', async () => {
  for (const name of ['two\nlines', 'NUL\u0000'])
    expect((await ada.post(keys(), { name }, { from: keys() })).statusCode).toBe(422);
  const response = await ada.post(keys(), { name: '   ', days: '30' }, { from: keys() });
  expect(response.statusCode).toBe(422);
  expect(response.body).toContain('Enter the purpose of the key.');
  expect(response.body).toMatch(/aria-invalid="true"/);
  const url = `/console/orgs/${org}/webhooks/new`;
  const endpoint = await ada.post(url, { url: 'http://plain.example/', topics: 'score.updated' }, { from: url });
  expect([endpoint.statusCode, endpoint.body.includes('must begin with https://')]).toEqual([422, true]);
  expect(endpoint.body).toContain('value="http://plain.example/"');
});

test('whoever acts in the console stands in the audit log, with where from', async () => {
  await ada.post(keys(), { name: 'audited' }, { from: keys() });
  const [entry] = await listAudit(org, { limit: 1 }, console.accounts.as(SYSTEM));
  expect(entry).toMatchObject({ action: 'key.create', actor: 'person:ada@example.com', origin: '127.0.0.1' });
});

test('whoever asks for the address of a form, as by reloading, finds the page above it', async () => {
  const pages = new Set(console.routes.filter(({ method }) => method === 'GET').map(pathOf));
  const alone = forms().filter((route) => !pages.has(pathOf(route)));
  expect(alone.length).toBeGreaterThan(15);
  for (const form of alone) {
    const { statusCode, headers } = await ada.get(pathOf(form));
    expect([form.path, statusCode]).toEqual([form.path, 303]);
    expect(pathOf(form).startsWith(`${headers.location}/`)).toBe(true);
  }
  expect((await ada.get(`${keys()}/${keyId}/revoke`)).headers.location).toBe(keys());
  expect((await console.stranger().get('/console/sign-in/password')).headers.location).toBe('/console/sign-in');
});

test('pings to an endpoint are limited', async () => {
  const { endpoint } = await console.addEndpoint(org);
  const page = `/console/orgs/${org}/webhooks/${endpoint.id}`;
  const token = await ada.token(page);
  const statuses: number[] = [];
  for (let count = 0; count < 8; count += 1) statuses.push((await ada.postWith(token, `${page}/test`, {})).statusCode);
  expect(statuses).toEqual([303, 303, 303, 303, 303, 303, 422, 422]);
});
