/** What people do in the console, step by step, as they find their way: by names of links, fields and buttons. */
import type { Locator, Page } from 'playwright-core';
import type { ConsoleService } from './use-console-service.ts';

/** Signs up with an address that nobody has used, by the link that comes by mail. */
export async function signUp(page: Page, { url, mailbox }: ConsoleService, email: string): Promise<void> {
  await page.goto(`${url}/console/sign-up`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.goto(await mailbox.readLink(email));
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Names a first organization on the page that follows signing up; resolves to its id. */
export async function nameOrganization(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name of the organization').fill(name);
  await page.getByRole('button', { name: 'Create the organization' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  return organizationOf(page);
}

export function organizationOf(page: Page): string {
  const [, id] = /\/orgs\/([^/?#]+)/.exec(page.url()) ?? [];
  if (id === undefined) throw new Error(`${page.url()} is no page of an organization`);
  return id;
}

/** Goes to one of the organization's pages by its link at the top. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Pages of the organization' })
    .getByRole('link', { name, exact: true })
    .click();
  await page
    .getByRole('navigation', { name: 'Pages of the organization' })
    .locator('[aria-current=page]', { hasText: name })
    .waitFor();
}

export async function createKey(page: Page, name: string): Promise<string> {
  await goTo(page, 'Keys');
  await page.getByLabel('Purpose').fill(name);
  await page.getByRole('button', { name: 'Create a key' }).click();
  return (await sectionOf(page, 'The key').locator('pre').innerText()).trim();
}

/** Reloads a page until something is so, which takes some seconds at most; the test's own time limit ends it. */
export async function reloadUntil(page: Page, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    await page.waitForTimeout(100);
    await page.reload();
  }
}

export function sectionOf(page: Page, heading: string): Locator {
  return page.locator('section', { has: page.getByRole('heading', { level: 2, name: heading, exact: true }) });
}

export function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row', { name });
}

export async function confirm(row: Locator, name: string): Promise<void> {
  await row.locator('summary', { hasText: name }).click();
  await row.getByRole('button', { name, exact: true }).click();
}
