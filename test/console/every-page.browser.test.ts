/** What holds on every page of the console that links lead to, and on those that only a link in a mail or a mistake does. */
import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { findFaults, findFaultsOfAllLooks, setOpened } from '../support/browser/accessibility.ts';
import { nameOrganization, signUp } from '../support/browser/console-user.ts';
import { findPages, furnishOrganization } from '../support/browser/furnished.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

/** Colours that are on their way from one to the other are nobody's choice. */
const STILL = { reducedMotion: 'reduce' } as const;
/** Width of a small phone, in CSS pixels. */
const PHONE = 390;

const service = useConsoleService();
const chromium = useChromium();

test('no page of an organization has a fault of accessibility, is too wide for a phone, or makes the browser complain', async () => {
  const page = await chromium.open(STILL);
  await furnishOrganization(page, service, 'ada@example.com');
  const pages = await findPages(page);
  expect(pages.length).toBeGreaterThan(20);
  const faults: string[] = [];
  for (const url of pages) {
    await page.goto(url);
    faults.push(...(await findFaultsOfAllLooks(page)), ...(await findOverflow(page)));
  }
  expect(faults).toEqual([]);
}, 120_000);

test('neither do the menus at the top, when they are open', async () => {
  const page = await chromium.open(STILL);
  await signUp(page, service, 'bob@example.com');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
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

test('nor the pages of those who are not signed in, nor those that say what went wrong', async () => {
  const page = await chromium.open(STILL);
  const faults: string[] = [];
  for (const path of STRANGERS) {
    await page.goto(`${service.url}/console/${path}`);
    faults.push(...(await findFaultsOfAllLooks(page)), ...(await findOverflow(page)));
  }
  expect(faults).toEqual([]);
});

test('nor forms that were not accepted, nor an organization that has nothing yet', async () => {
  const page = await chromium.open(STILL);
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
    faults.push(...(await findFaultsOfAllLooks(page)), ...(await findOverflow(page)));
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
  for (const path of ['', '/usage', '/webhooks', '/data/snapshots', '/data/changes', '/data/rankings']) {
    await page.goto(`${service.url}/console/orgs/${id}${path}`);
    faults.push(...(await findFaultsOfAllLooks(page)), ...(await findOverflow(page)));
  }
  await page.context().clearCookies();
  await send('sign-up', 'Send me a link');
  await send('sign-in', 'Sign in');
  expect(faults).toEqual([]);
});

const isOfForm = (response: Response) => response.request().method() === 'POST';

const STRANGERS = [
  'sign-in',
  'sign-up',
  'sign-in/sent',
  'sign-in/link?token=nonsense',
  'no-such-page',
  'orgs/org_nobody/keys',
];

/** How far a page can be scrolled sideways on a phone, with everything opened; nothing where it can't. */
async function findOverflow(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: PHONE, height: 844 });
  const width = await widthOf(page);
  if (before !== null) await page.setViewportSize(before);
  return width <= PHONE ? [] : [`${page.url()} is ${width} wide`];
}

async function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.scrollingElement.scrollWidth');
}
