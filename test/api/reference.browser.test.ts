/** The reference as people use it: a key once, then a click for each request (specification "The reference"). */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { Documented } from '../support/api/documented.ts';
import { listen } from '../support/api/listen.ts';
import { findFaults, PHONE, widthOf } from '../support/browser/accessibility.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { usePublic } from '../support/site/use-public.ts';
import { publishEmbeddedDays } from '../worlds/embedded-days.ts';

const ROOT = '/stats';
/** The document's own address of the service is another than the page's, as behind a proxy that somebody goes around. */
const api = usePublic({
  days: publishEmbeddedDays,
  settings: { basePath: ROOT, publicUrl: 'https://stats.example.com' },
});
const chromium = useChromium();
/** Drawing a large answer takes the page a while, in milliseconds. */
const RESPONSE_MS_MAX = 30_000;
/** Parts of the page are drawn one after the other. */
const SETTLED = { timeout: 10_000, interval: 500 };

let origin: string;
let key: string;
let operations: Documented['operations'];
let page: Page;

beforeAll(async () => {
  origin = await listen(api.app);
  ({ key } = api.accounts.customers.commercial);
  ({ operations } = new Documented((await api.get(`${ROOT}/docs/reference/openapi.json`)).json(), { isClosed: false }));
});

beforeEach(async () => {
  page = await chromium.open({ reducedMotion: 'reduce' });
  await draw();
});

/** Opens the page anew. Its transitions are left out: whenever a request opens or closes, each would style the whole page again. */
async function draw(): Promise<void> {
  await page.goto(`${origin}${ROOT}/docs/reference`);
  await keyField().waitFor();
  await page.addStyleTag({
    content: '*, ::before, ::after { animation: none !important; transition: none !important }',
  });
}

/** Where a request is sent from. Names are looked for in it alone: the page has thousands of buttons besides. */
const client = () => page.locator('[role=dialog][aria-label="API Client"]');
const sendButton = () => client().getByRole('button', { name: 'Send' }).first();
const keyField = () => page.getByPlaceholder('Token').first();
const storedText = () => page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');

/** Opens the request of an operation, as its button does. */
async function openRequest({ path, tags: [tag = ''] }: Documented['operations'][number]): Promise<void> {
  const section = `tag/${tag.replaceAll(' ', '-')}/GET${path}`;
  await page.evaluate(`location.hash = ${JSON.stringify(section)}`);
  await page
    .locator(`[id$=${JSON.stringify(section)}]`)
    .getByRole('button', { name: 'Test Request' })
    .click();
}

/** Sends the request that is open; its URL below the service, and what is answered. */
async function send(): Promise<{ readonly asked: string; readonly status: number }> {
  const isResponse = (url: string) => url.startsWith(origin) && !url.includes('/docs/reference');
  const answered = page.waitForResponse((answer) => isResponse(answer.url()), { timeout: RESPONSE_MS_MAX });
  await sendButton().click();
  const response = await answered;
  const shown = client().getByText(`${response.status()} ${response.statusText()}`).first();
  await shown.waitFor({ timeout: RESPONSE_MS_MAX });
  return { asked: response.url().slice(`${origin}${ROOT}`.length), status: response.status() };
}

test('with a key that was entered once, every request works at the first click, and none goes elsewhere', {
  timeout: 300_000,
}, async () => {
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(origin)) elsewhere.push(request.url());
  });
  await keyField().fill(key);
  const statuses: Record<string, number> = {};
  const sent: string[] = [];
  for (const operation of operations) {
    await openRequest(operation);
    const { asked, status } = await send();
    statuses[operation.path] = status;
    sent.push(asked);
    await page.keyboard.press('Escape');
    await sendButton().waitFor({ state: 'hidden' });
  }
  expect(operations.length).toBeGreaterThan(25);
  expect(statuses).toEqual(Object.fromEntries(operations.map(({ path }) => [path, 200])));
  expect(sent).toContain('/v1/models'); // Of what may be given, nothing is.
  expect(elsewhere).toEqual([]);
});

test('a key goes into no storage of the browser and is forgotten with the page', async () => {
  await keyField().fill(key);
  await openRequest({ ...operations[0], path: '/v1/account', tags: ['account'] } as (typeof operations)[number]);
  expect((await send()).status).toBe(200);
  expect(await storedText()).not.toContain(key);
  await page.reload();
  await keyField().waitFor();
  expect(await keyField().inputValue()).toBe('');
});

test('has no fault of accessibility that can be measured, light or dark, and fits a phone', async () => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await draw();
  await expect.poll(() => findFaults(page), SETTLED).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await draw();
  const rules = ['color-contrast', 'link-in-text-block'];
  await expect.poll(() => findFaults(page, { rules }), SETTLED).toEqual([]);
  await page.setViewportSize({ width: PHONE, height: 844 });
  await page.reload();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  expect(await widthOf(page)).toBe(PHONE);
});
