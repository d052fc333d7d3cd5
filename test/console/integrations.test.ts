/** Pages that an organization declares, as its members see and look after them (specification "Pages"; specification "Integrations"). */

import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../api/accounts/actor.ts';
import { getOrganization } from '../../api/accounts/organizations/organizations.ts';
import type { Evidence } from '../../api/integrations/integration.ts';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';
import { elementsIn } from '../support/site/elements.ts';

const console = useConsole();
const PAGE = 'https://finder.example.org/';
const FOUND: Evidence = {
  reason: 'FOUND',
  message: 'a link to the service',
  status: 200,
  finalUrl: `${PAGE}start`,
  found: { kind: 'badge', href: 'https://stats.example.com', text: 'Data: modelstats' },
  durationMs: 40,
};

let ada: Visitor;
let org: string;
let here: string;

beforeAll(async () => {
  ({ org, ada } = await console.own('builder'));
  here = `/console/orgs/${org}/integrations`;
});

const declare = (name: string, url: string, list = here) => ada.post(list, { name, public_url: url }, { from: list });

/** Declares a page; its own page. */
const declared = async (name: string, url: string, list = here) =>
  String((await declare(name, url, list)).headers.location).replace(/\?.*/, '');
const check = (own: string) => ada.post(`${own}/check`, {}, { from: own });

const limit = async () => (await getOrganization(org, console.accounts.as(SYSTEM))).terms.quotaLimit;

test('a page is declared, checked when asked to, verified with what was seen, earns its bonus, and is removed', async () => {
  console.looks.set(PAGE, FOUND);
  const own = await declared('Model finder', PAGE);
  expect((await ada.get(own)).body).toMatch(/<h1>Model finder<\/h1>[\s\S]*pending[\s\S]*None yet\./);
  expect(await limit()).toBe(5_000);

  expect((await check(own)).headers.location).toBe(`${own}?done=checked`);
  const { body } = await ada.get(`${own}?done=checked`);
  const seen = ['verified', 'FOUND', 'badge to https://stats.example.com', 'Data: modelstats', `200 of ${PAGE}start`];
  for (const shown of seen) expect(body).toContain(shown);
  expect(await limit()).toBe(5_250);
  expect((await ada.get(here)).body).toMatch(/\+250<\/strong>[\s\S]*of \+500 units a day/);

  const removed = await ada.post(`${own}/remove`, {}, { from: own });
  expect(removed.headers.location).toBe(`${here}?done=removed`);
  expect((await ada.get(here)).body).not.toContain('Model finder');
  expect((await ada.get(own)).body).toContain('removed');
  // Until the day is over.
  expect(await limit()).toBe(5_250);
});

test('what a check did not find is said, with what to paste', async () => {
  const own = await declared('Blog', 'https://blog.example.net/about');
  await check(own);
  const { body } = await ada.get(own);
  const said = ['NOT_FOUND', 'the page shows no link to the service', 'Code for your page', '[![Data: modelstats]('];
  for (const shown of said) expect(body).toContain(shown);
  expect(body).not.toContain('Unless the link is found again');
  const again = await check(own);
  expect([again.statusCode, again.body]).toEqual([422, expect.stringContaining('less than a minute ago')]);
});

test('one at risk says from when on it lapses, and no other does', async () => {
  const risky = 'https://risky.example/';
  console.looks.set(risky, FOUND);
  const own = await declared('Risky', risky);
  await check(own);
  expect((await ada.get(own)).body).not.toContain('Unless the link is found again');
  const since = { state: 'at_risk', state_changed_at: Date.parse('2026-06-01T12:00:00Z') };
  const { kysely } = console.database;
  await kysely.updateTable('integrations').set(since).where('url', '=', risky).execute();
  const text = (await ada.get(own)).body.replaceAll(/<[^>]+>/g, '');
  expect(text).toMatch(
    /Unless the link is found again, the integration lapses, and its bonus ends, at\s+2026-06-08 12:00/,
  );
});

test.each([
  ['', PAGE, 'Enter a name.'],
  ['Mine', '', 'Enter the address.'],
  ['Mine', 'https://127.0.0.1/', 'is not a public address'],
])('a form that can not be accepted, %j at %j, says so and keeps what was written', async (name, url, message) => {
  const { statusCode, body } = await declare(name, url);
  expect([statusCode, body.includes(message)]).toEqual([422, true]);
  const field = elementsIn(body).find(({ attributes }) => attributes['id'] === 'field-name');
  expect(field?.attributes['value']).toBe(name);
});

test('a plan that earns nothing by them says so', async () => {
  const commercial = await console.organization({ 'ada@example.com': 'owner' }, 'commercial');
  const { body } = await ada.get(`/console/orgs/${commercial}/integrations`);
  expect(body).toContain('On the Commercial plan integrations earn no units.');
});

test('of three verified pages two count for the bonus, and the third says why it does not', async () => {
  const many = await console.organization({ 'ada@example.com': 'owner' }, 'builder');
  const list = `/console/orgs/${many}/integrations`;
  const bodies: string[] = [];
  for (const url of ['https://one.example/', 'https://two.example/', 'https://github.com/three/four']) {
    console.looks.set(url, FOUND);
    const own = await declared('Page', url, list);
    await check(own);
    bodies.push((await ada.get(own)).body);
  }
  const counts = bodies.map((body) => /Counts for the bonus<\/dt>\s*<dd><span>([^<]*)/.exec(body)?.[1]);
  expect(counts).toEqual(['yes', 'yes', 'no: 2 others already do, which is the limit']);
  expect((await ada.get(list)).body).toMatch(/\+500<\/strong>[\s\S]*of \+500 units a day/);
});
