/** What pages do where scripts run; the same pages without one are tried beside it. */

import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { createKey, nameOrganization, sectionOf, signUp } from '../support/browser/console-user.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

const service = useConsoleService();
const chromium = useChromium();
let people = 0;
let page: Page;
let data: string;

beforeEach(async () => {
  page = await chromium.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  people += 1;
  await signUp(page, service, `ada-${people}@example.com`);
  data = `${service.url}/console/orgs/${await nameOrganization(page, 'Acme')}/data`;
});

/** Marks the page, so that a new one in its place shows. */
const mark = () => page.evaluate('window.isMarked = true');
const isMarked = () => page.evaluate('window.isMarked === true');

test('the list of models follows what is typed, in the same page, with an address of its own, and back undoes it', async () => {
  await page.goto(`${data}/models`);
  const models = page.getByRole('table', { name: 'Models' }).getByRole('rowheader');
  const all = await models.count();
  await mark();
  await page.getByLabel('Id or name').pressSequentially('aurora');
  await page.waitForURL(/[?&]q=aurora(&|$)/);
  await expect.poll(() => models.count()).toBeLessThan(all);
  for (const name of await models.allInnerTexts()) expect(name.toLowerCase()).toContain('aurora');
  expect(await page.getByLabel('Id or name').inputValue()).toBe('aurora');
  expect(await isMarked()).toBe(true);

  const found = await models.allInnerTexts();
  await page.getByLabel('Order').selectOption('by name');
  await page.waitForURL(/[?&]sort=name(&|$)/);
  await page.reload();
  expect((await models.allInnerTexts()).toSorted()).toEqual(found.toSorted());
  await page.goBack();
  await expect.poll(() => page.getByLabel('Order').inputValue()).toBe('');
  await page.goto(`${data}/models`);
  await models.first().getByRole('link').click();
  await page.getByRole('heading', { level: 2, name: 'Prices' }).waitFor();
  await page.goBack();
  await expect.poll(() => models.count()).toBe(all);
});

test('another series comes into its chart in the same page, and back brings the first one', async () => {
  await page.goto(`${data}/models/aurora-2`);
  const links = sectionOf(page, 'Scores').getByRole('rowheader').getByRole('link');
  expect(await links.count()).toBeGreaterThan(1);
  const [first, second] = await links.allInnerTexts();
  const shown = () => sectionOf(page, 'Scores').locator('[aria-current=true]').innerText();
  expect(await shown()).toBe(first);
  await mark();
  await links.nth(1).click();
  await expect.poll(shown).toBe(second);
  expect(new URL(page.url()).searchParams.get('benchmark')).toBe(second);
  expect(await isMarked()).toBe(true);
  await page.goBack();
  await expect.poll(shown).toBe(first);
});

test('what is to be copied is copied with a button', async () => {
  const key = await createKey(page, 'dashboard');
  await sectionOf(page, 'The key').getByRole('button', { name: 'Copy' }).click();
  await sectionOf(page, 'The key').getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
});

test('whoever was signed out meanwhile is led to the sign-in page', async () => {
  await page.goto(`${data}/models`);
  await page.context().clearCookies({ name: 'modelstats_session' });
  await page.getByLabel('Id or name').fill('mini');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toContain('/data/models?q=mini');
});

test('what fails is told, not kept back', async () => {
  await page.goto(`${data}/models`);
  const response = { status: 429, contentType: 'text/html', body: '<h1>That did not work</h1>' };
  await page.route('**/data/models?*', (route) => route.fulfill(response));
  await page.getByLabel('Id or name').fill('mini');
  await page.getByRole('heading', { name: 'That did not work' }).waitFor();
});
