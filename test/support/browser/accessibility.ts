import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with a page as it stands, a line per element; `rules` are all unless named. */
export async function findFaults(page: Page, { rules = [] }: { readonly rules?: readonly string[] } = {}) {
  // Evaluated by the debugger: a script in the page would be kept out by its policy.
  await page.evaluate(`window.axe === undefined && (() => { ${AXE} })()`);
  const options = { resultTypes: ['violations'], ...(rules.length === 0 ? {} : { runOnly: rules }) };
  const found: readonly string[] = await page.evaluate(`
    axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ': ' + target + ': ' + failureSummary)))`);
  const { pathname, search } = new URL(page.url());
  return found.map((fault) => `${pathname}${search}: ${fault}`);
}

/** The same in light and in dark, as the page is and with everything opened that can be; the menus at the top one by one. */
export async function findFaultsOfAllLooks(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const closed = await findFaults(page);
  await setOpened(page, 'details:not(.menu)', true);
  const opened = await findFaults(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await findFaults(page, { rules: ['color-contrast', 'link-in-text-block'] });
  return [...new Set([...closed, ...opened, ...dark])];
}

/** Opens or closes what can be opened. */
export async function setOpened(page: Page, selector: string, isOpen: boolean): Promise<void> {
  await page.evaluate(
    `document.querySelectorAll(${JSON.stringify(selector)}).forEach((details) => { details.open = ${isOpen}; })`,
  );
}
