/** The documentation as people see it: in light and dark, on a phone, by keyboard, and on paper (specification "Documentation"). */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { listen } from '../support/api/listen.ts';
import { useApi } from '../support/api/use-api.ts';
import { findFaultsOfAllLooks, PHONE } from '../support/browser/accessibility.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { openGuide } from '../support/guide/use-guide.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS, guide: () => openGuide() });
const chromium = useChromium();
let service = '';
beforeAll(async () => {
  service = await listen(api.app);
});

const NAMES = readdirSync(join(ROOT, 'api/guide/pages'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replace(/(index)?\.md$/, ''));
const PATHS = [...NAMES, 'errors', 'errors/cursor_expired', 'search', 'search?q=cursor', 'search?q=zxqvwy', 'webhoks'];

test.each(PATHS)('/docs/%s has no fault of accessibility, in light and in dark, and fits on a phone', async (path) => {
  const page = await chromium.open();
  await page.goto(`${service}/docs/${path}`);
  expect(await findFaultsOfAllLooks(page)).toEqual([]);
});

test('somebody searches, reads what is found, and goes on by the contents, without a script', async () => {
  const page = await chromium.open({ javaScriptEnabled: false, viewport: { width: PHONE, height: 844 } });
  await page.goto(`${service}/docs`);
  await page.getByRole('searchbox', { name: 'Search the documentation' }).fill('cursor expired');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
  await page.getByRole('link', { name: 'cursor_expired', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'cursor_expired' }).waitFor();
  await page.getByText('Contents', { exact: true }).click();
  await page.getByRole('link', { name: 'A mirror of all data' }).click();
  await page.getByRole('heading', { level: 1, name: 'A mirror of all data' }).waitFor();
});

test('wide code and tables scroll by themselves, also by keyboard', async () => {
  const page = await chromium.open({ viewport: { width: PHONE, height: 844 } });
  await page.goto(`${service}/docs/mirror`);
  const code = page.locator('pre').last();
  await code.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.evaluate('document.activeElement.scrollLeft')).toBeGreaterThan(0);
  expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(PHONE);
});

test('code is copied by a button, and tabs are changed by keyboard', async () => {
  const page = await chromium.open();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${service}/docs`);
  const tabs = page.getByRole('group', { name: 'Example for' }).first();
  const code = tabs.locator('pre');
  const shown = () => code.evaluateAll((all) => all.map((one) => one.checkVisibility()));
  expect(await shown()).toEqual([true, false, false]);
  await tabs.getByRole('radio', { name: 'curl' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await shown()).toEqual([false, true, false]);
  expect(await tabs.getByRole('radio', { name: 'Python' }).isChecked()).toBe(true);
  await tabs.getByText('TypeScript', { exact: true }).first().click();
  expect(await shown()).toEqual([false, false, true]);
  await tabs.getByRole('button', { name: 'Copy' }).click();
  await tabs.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await code.nth(2).textContent());
});

test('without a script tabs are changed, and there is no button that does nothing', async () => {
  const page = await chromium.open({ javaScriptEnabled: false });
  await page.goto(`${service}/docs`);
  await page.getByRole('radio', { name: 'Python' }).first().check();
  expect(await page.locator('.panel').nth(1).isVisible()).toBe(true);
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
});

test('on paper all tabs are shown, each below its label', async () => {
  const page = await chromium.open();
  await page.goto(`${service}/docs`);
  await page.emulateMedia({ media: 'print' });
  for (const label of ['curl', 'Python', 'TypeScript'])
    expect(await page.locator('.language').getByText(label, { exact: true }).first().isVisible()).toBe(true);
  for (const panel of await page.locator('.panel').all()) expect(await panel.isVisible()).toBe(true);
  for (const part of ['.tabs > label', '.code button'])
    expect(await page.locator(part).first().isVisible()).toBe(false);
});

test('on paper there is the text alone', async () => {
  const page = await chromium.open();
  await page.goto(`${service}/docs/limits`);
  await page.emulateMedia({ media: 'print' });
  for (const part of ['header', 'aside', '.sections']) expect(await page.locator(part).isVisible()).toBe(false);
  expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
});
