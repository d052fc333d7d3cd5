import type { Page } from 'playwright-core';
import { confirm, createKey, goTo, nameOrganization, rowOf, sectionOf, signUp } from './console-user.ts';
import type { ConsoleService } from './use-console-service.ts';

/** As long as names may be, in one word that no line can hold. */
const LONG = 'LongestNameThatAnybodyCouldThinkOf'.repeat(3).slice(0, 100);

/** Pages that differ in an id or a parameter alone: so many of each kind are looked at. */
const ALIKE_MAX = 1;

/** Signs up and makes an organization of the Commercial plan that has something of everything; resolves to its id. */
export async function furnishOrganization(page: Page, service: ConsoleService, email: string): Promise<string> {
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
  await page.getByLabel('E-mail address').fill(`${LONG.slice(0, 60)}@example.com`);
  await page.getByRole('button', { name: 'Send an invitation' }).click();
  await goTo(page, 'Webhooks');
  await page.getByRole('link', { name: 'Register an endpoint' }).click();
  await page.getByLabel('Address', { exact: true }).fill(`https://example.com/${LONG}`);
  await page.getByLabel('Description').fill(LONG);
  await page.getByLabel('pricing.updated').check();
  await page.getByRole('button', { name: 'Register it' }).click();
  await sectionOf(page, 'Secret').waitFor();
  await goTo(page, 'Integrations');
  await page.getByLabel('What it is').fill(LONG);
  await page.getByLabel('Its address').fill(`https://example.com/${LONG}`);
  await page.getByRole('button', { name: 'Declare it' }).click();
  await sectionOf(page, 'Checks').waitFor();
  return id;
}

/** Visits every page that links lead to, from where a page stands; of those that differ in an id or a parameter some. */
export async function* visitPages(page: Page): AsyncGenerator<string> {
  const found = new Set<string>([page.url()]);
  const kinds = new Map<string, number>();
  for (const url of found) {
    await page.goto(url);
    for (const link of await linksOf(page)) {
      const kind = kindOf(new URL(link));
      const seen = kinds.get(kind) ?? 0;
      if (found.has(link) || seen >= ALIKE_MAX || kind.includes('&')) continue;
      kinds.set(kind, seen + 1);
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
