import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Width of a small phone, in CSS pixels. */
export const PHONE = 390;

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

/**
 * The same with everything opened that can be, which hides nothing, in light and in dark; the menus at the top stay closed. Besides,
 * whether it can be scrolled sideways on a phone.
 */
export async function findFaultsOfAllLooks(page: Page): Promise<readonly string[]> {
  await setOpened(page, 'details:not(.menu)', true);
  // Colours that are on their way from one to the other are nobody's choice.
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const light = await findFaults(page);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  const dark = await findFaults(page, { rules: ['color-contrast', 'link-in-text-block'] });
  const before = page.viewportSize();
  await page.setViewportSize({ width: PHONE, height: 844 });
  const width = await widthOf(page);
  if (before !== null) await page.setViewportSize(before);
  return [...light, ...dark, ...(width <= PHONE ? [] : [`${page.url()} is ${width} pixels wide on a phone`])];
}

/** How wide a page is, in CSS pixels: more than its window where it can be scrolled sideways. */
export function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.scrollingElement.scrollWidth');
}

export async function setOpened(page: Page, selector: string, isOpen: boolean): Promise<void> {
  await page.evaluate(
    `document.querySelectorAll(${JSON.stringify(selector)}).forEach((details) => { details.open = ${isOpen}; })`,
  );
}
