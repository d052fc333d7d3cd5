/** What holds on every page holds on those too that no link leads to: of strangers, of mistakes, of an organization that is new. */
import type { Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { findFaults, findFaultsOfAllLooks, PHONE, setOpened, widthOf } from '../support/browser/accessibility.ts';
import { nameOrganization, signUp } from '../support/browser/console-user.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

const service = useConsoleService();
const chromium = useChromium();

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
  const faults: string[] = [];
  for (const path of STRANGERS) {
    await page.goto(`${service.url}/console/${path}`);
    faults.push(...(await findFaultsOfAllLooks(page)));
  }
  expect(faults).toEqual([]);
});

test('neither has a link that another browser asked for, whose page names the account and warns', async () => {
  const page = await chromium.open();
  await page.goto(`${service.url}/console/sign-up`);
  await page.getByLabel('E-mail address').fill('mallory@example.com');
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const link = await service.mailbox.readLink('mallory@example.com');
  await page.goto(link);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.context().clearCookies();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Sign in as mallory@example.com?' }).waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('asked for in another browser');
  expect(await findFaultsOfAllLooks(page)).toEqual([]);
});

test('neither have forms that were not accepted, and an organization that has nothing yet', async () => {
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
  for (const path of ['', '/usage', '/webhooks', '/data/snapshots', '/data/changes', '/data/rankings']) {
    await page.goto(`${service.url}/console/orgs/${id}${path}`);
    faults.push(...(await findFaultsOfAllLooks(page)));
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
  'sign-in/undo?token=nonsense',
  'connect/failed?error=invalid_scope',
  'no-such-page',
  'orgs/org_nobody/keys',
];
