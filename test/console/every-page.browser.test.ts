/** What holds on every page of the console: on those that links lead to, and on those of strangers, of mistakes, of what is new. */
import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { findFaults, findFaultsOfAllLooks, PHONE, setOpened, widthOf } from '../support/browser/accessibility.ts';
import {
  confirm,
  createKey,
  goTo,
  nameOrganization,
  rowOf,
  sectionOf,
  signUp,
} from '../support/browser/console-user.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

const service = useConsoleService();
const chromium = useChromium();
/** For tests that look at dozens of pages, in milliseconds: far more than they need where nothing else runs. */
const MANY_PAGES_MS_MAX = 300_000;

test(
  'no page of an organization has a fault of accessibility, is too wide for a phone, or makes the browser complain',
  async () => {
    const page = await chromium.open();
    await furnishOrganization(page, 'ada@example.com');
    const [visited, faults]: [string[], string[]] = [[], []];
    for await (const url of visitPages(page)) {
      visited.push(url);
      faults.push(...(await findFaultsOfAllLooks(page)));
    }
    expect(faults).toEqual([]);
    expect(visited.length).toBeGreaterThan(20);
  },
  MANY_PAGES_MS_MAX,
);

test('the menus at the top have no fault of accessibility when they are open, and fit on a phone', async () => {
  const page = await chromium.open();
  await signUp(page, service, 'bob@example.com');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [1200, PHONE]) {
      await page.setViewportSize({ width, height: 900 });
      for (const menu of ['.menu:not(.end)', '.menu.end']) {
        await setOpened(page, menu, true);
        expect(await findFaults(page)).toEqual([]);
        expect(await widthOf(page)).toBeLessThanOrEqual(width);
        await setOpened(page, menu, false);
      }
    }
  }
});

test('neither have the pages of those who are not signed in, and those that say what went wrong', async () => {
  const page = await chromium.open();
  await page.goto(`${service.url}/console/sign-up`);
  await page.getByLabel('Email address').fill('mallory@example.com');
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const link = await service.mailbox.readLink('mallory@example.com');
  await page.context().clearCookies(); // So that the link's page warns.
  const faults: string[] = [];
  for (const url of [link, ...STRANGERS.map((path) => `${service.url}/console/${path}`)]) {
    await page.goto(url);
    expect(await page.getByRole('alert').count(), url).toBe(url === link ? 1 : 0);
    faults.push(...(await findFaultsOfAllLooks(page)));
  }
  expect(faults).toEqual([]);
});

test(
  'neither have forms that were not accepted, and an organization that has nothing yet',
  async () => {
    const page = await chromium.open();
    await signUp(page, service, 'eve@example.com');
    const faults: string[] = [];
    const send = async (path: string, button: string) => {
      await page.goto(`${service.url}/console/${path}`);
      faults.push(...(await findFaultsOfAllLooks(page)));
      await page.evaluate('for (const form of document.forms) { form.noValidate = true; }');
      for (const field of await page.locator('input[type=email]').all()) await field.fill('nonsense');
      const [answer] = await Promise.all([
        page.waitForResponse(isOfForm),
        page.getByRole('button', { name: button }).click(),
      ]);
      await page.waitForLoadState();
      expect([path, answer.status()]).toEqual([path, 422]);
      expect(await page.getByRole('alert').count()).toBe(1);
      faults.push(...(await findFaultsOfAllLooks(page)));
    };
    await send('welcome', 'Create the organization');
    const id = await nameOrganization(page, 'Acme');
    const forms = {
      keys: 'Create a key',
      members: 'Send an invitation',
      settings: 'Save',
      'webhooks/new': 'Register it',
    };
    for (const [path, button] of Object.entries(forms)) await send(`orgs/${id}/${path}`, button);
    await send('you', 'Set it');
    const cost = '/data/cost?model=aurora-2&input=';
    for (const path of [
      '',
      '/usage',
      '/webhooks',
      '/data/snapshots',
      '/data/changes',
      '/data/rankings',
      cost,
      `${cost}1`,
    ]) {
      await page.goto(`${service.url}/console/orgs/${id}${path}`);
      faults.push(...(await findFaultsOfAllLooks(page)));
    }
    await page.context().clearCookies();
    await send('sign-up', 'Send me a link');
    await send('sign-in', 'Sign in');
    expect(faults).toEqual([]);
  },
  MANY_PAGES_MS_MAX,
);

const isOfForm = (response: Response) => response.request().method() === 'POST';

const STRANGERS = [
  'sign-in',
  'sign-up',
  'sign-in/sent',
  'sign-in/link?token=nonsense',
  'sign-in/undo?token=nonsense',
  'digest/stop?token=nonsense',
  'connect/failed?error=invalid_scope',
  'no-such-page',
  'orgs/org_nobody/keys',
];

/** As long as names may be, in one word that no line can hold. */
const LONG = 'LongestNameThatAnybodyCouldThinkOf'.repeat(3).slice(0, 100);

/** Signs up and makes an organization of the Commercial plan that has something of everything. */
async function furnishOrganization(page: Page, email: string): Promise<void> {
  await signUp(page, service, email);
  const id = await nameOrganization(page, LONG);
  await service.setPlan(id, 'commercial');
  const key = await createKey(page, 'dashboard');
  await createKey(page, LONG);
  await goTo(page, 'Keys');
  await confirm(rowOf(page, LONG), 'Revoke');
  for (const route of ['models', 'rankings?category=overall', 'no-such-route']) {
    await fetch(`${service.url}/v1/${route}`, { headers: { authorization: `Bearer ${key}` } });
  }
  await goTo(page, 'Members');
  await page.getByLabel('Email address').fill(`${LONG.slice(0, 60)}@example.com`);
  await page.getByRole('button', { name: 'Send an invitation' }).click();
  await goTo(page, 'Webhooks');
  await page.getByRole('link', { name: 'Register an endpoint' }).click();
  await page.getByLabel('Address', { exact: true }).fill(`https://example.com/${LONG}`);
  await page.getByLabel('Description').fill(LONG);
  await page.getByLabel('pricing.updated').check();
  await page.getByRole('button', { name: 'Register it' }).click();
  await sectionOf(page, 'Secret').waitFor();
  await goTo(page, 'Integrations');
  await page.getByLabel('Name', { exact: true }).fill(LONG);
  await page.getByLabel('Address of the page').fill(`https://example.com/${LONG}`);
  await page.getByRole('button', { name: 'Declare' }).click();
  await sectionOf(page, 'Checks').waitFor();
}

/** Visits every page that links lead to, from where a page stands; of those that differ in an id or a parameter alone one. */
async function* visitPages(page: Page): AsyncGenerator<string> {
  const found = new Set<string>([page.url()]);
  const kinds = new Set<string>();
  for (const url of found) {
    await page.goto(url);
    for (const link of await linksOf(page)) {
      const kind = kindOf(new URL(link));
      if (found.has(link) || kinds.has(kind) || kind.includes('&')) continue;
      kinds.add(kind);
      found.add(link);
    }
    yield url;
  }
}

/** Where the links of a page lead within the console, files excepted. */
async function linksOf(page: Page): Promise<readonly string[]> {
  const links = await page.locator('a[href]').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  const { origin } = new URL(page.url());
  return links
    .filter((link) => link !== null)
    .map((link) => new URL(link.split('#', 1)[0] ?? '', page.url()).href)
    .filter((link) => link.startsWith(`${origin}/console`) && !/\/usage\.csv|\/download/.test(link));
}

function kindOf({ pathname, searchParams }: URL): string {
  const path = pathname.replace(
    /(?<=\/data\/models\/|\/deliveries\/|\/orgs\/|\/webhooks\/(?!new)|\/integrations\/)[^/]+/g,
    '*',
  );
  return `${path}?${[...searchParams.keys()].sort().join('&')}`;
}
