import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { nameOrganization, signUp } from '../support/browser/console-user.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

/** More stops than any page has between its top and what is looked for. */
const STOPS_MAX = 60;

const service = useConsoleService();
const chromium = useChromium();

test('the whole way, from signing up to a revoked key, needs no more than a keyboard, and shows where one is', async () => {
  const page = await chromium.open();
  await page.goto(`${service.url}/console/sign-up`);
  await tabTo(page, 'Email address');
  await page.keyboard.type('ada@example.com');
  await tabTo(page, 'Send me a link');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.goto(await service.mailbox.readLink('ada@example.com'));
  // The only thing to do there has the focus from the first.
  expect(await focusedName(page)).toBe('Sign in');
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await tabTo(page, 'Name of the organization');
  await page.keyboard.type('Acme');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Acme' }).waitFor();
  await tabTo(page, 'Keys');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await tabTo(page, 'Purpose');
  await page.keyboard.type('dashboard');
  await tabTo(page, 'Expires');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, 'Create a key');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  await tabTo(page, 'All keys');
  await page.keyboard.press('Enter');

  await page.getByText(/works\s+until/).waitFor();
  await tabTo(page, 'Revoke');
  await page.keyboard.press('Enter');
  await page.getByText('Revoke dashboard for good?').waitFor();
  await tabTo(page, 'Revoke');
  await page.keyboard.press('Enter');
  await page.getByText('The key was revoked.').waitFor();
});

test('the first stop of each page leads to its content', async () => {
  const page = await chromium.open();
  await page.goto(`${service.url}/console/sign-in`);
  await page.keyboard.press('Tab');
  expect(await focusedName(page)).toBe('Skip to the content');
  expect(await page.getByRole('link', { name: 'Skip to the content' }).boundingBox()).toMatchObject({ x: 0 });
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.keyboard.press('Tab');
  expect(await focusedName(page)).toBe('Email address');
});

test('the menus open with Enter, close with Escape, and give the focus back', async () => {
  const page = await chromium.open();
  await signUp(page, service, 'bob@example.com');
  await nameOrganization(page, 'Acme');
  await tabTo(page, 'Organization: Acme');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'New organization …' }).waitFor();
  await tabTo(page, 'New organization …');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'New organization …' }).waitFor({ state: 'hidden' });
  expect(await focusedName(page)).toBe('Organization: Acme');
  await tabTo(page, 'Signed in as bob@example.com');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Sign out');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

/** Goes on with Tab to what has a name; every stop on the way is on the screen and has something around it that tells. */
async function tabTo(page: Page, name: string): Promise<void> {
  const stops: string[] = [];
  while (stops.length < STOPS_MAX) {
    await page.keyboard.press('Tab');
    const focused = await focusedName(page);
    expect(await isFocusSeen(page), `the focus is seen on ${focused}`).toBe(true);
    if (focused === name) return;
    stops.push(focused);
  }
  throw new Error(`${name} is not among the stops of ${page.url()}: ${stops.join(', ')}`);
}

/** What has the focus is called by its label, its own words, or nothing. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const { activeElement: focused } = document;
    const label = focused.labels?.[0] ?? focused;
    return (focused.getAttribute('aria-label') ?? label.textContent).trim().replace(/\\s+/g, ' ');
  })()`);
}

function isFocusSeen(page: Page): Promise<boolean> {
  return page.evaluate(`(() => {
    const { activeElement: focused } = document;
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    const { width, height, bottom, right } = focused.getBoundingClientRect();
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 4 && height > 4 && bottom > 0 && right > 0;
  })()`);
}
