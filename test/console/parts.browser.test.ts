/** Parts of pages that scripts replace in place (specification "Pages"). */
import { expect, test } from 'vitest';
import { goTo, nameOrganization, signUp } from '../support/browser/console-user.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

const service = useConsoleService();
const chromium = useChromium();

test('a list is narrowed in place', async () => {
  const page = await chromium.open({});
  await signUp(page, service, 'narrow@example.com');
  await nameOrganization(page, 'Narrow');
  await goTo(page, 'Data');
  const before = await page.getByRole('heading', { name: 'Models' }).elementHandle();
  await page.getByLabel('Id or name').fill('no such model');
  await page.getByText('No model meets these filters.').waitFor();
  expect(await before?.isVisible()).toBe(true); // The page is the same one.
  expect(page.url()).toContain('q=no%20such%20model');
});

test('whoever was signed out meanwhile is led to the sign-in page', async () => {
  const page = await chromium.open({});
  await signUp(page, service, 'out@example.com');
  await nameOrganization(page, 'Out');
  await goTo(page, 'Data');
  await page.context().clearCookies({ name: 'modelstats_session' });
  await page.getByLabel('Id or name').fill('mini');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toContain('/data/models?q=mini');
});

test('what fails is told, not kept back', async () => {
  const page = await chromium.open({});
  await signUp(page, service, 'fails@example.com');
  await nameOrganization(page, 'Fails');
  await goTo(page, 'Data');
  const answer = { status: 429, contentType: 'text/html', body: '<h1>That did not work</h1>' };
  await page.route('**/data/models?*', (route) => route.fulfill(answer));
  await page.getByLabel('Id or name').fill('mini');
  await page.getByRole('heading', { name: 'That did not work' }).waitFor();
});
