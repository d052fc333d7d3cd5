/** What holds on every page of the console that links lead to. */
import { expect, test } from 'vitest';
import { findFaultsOfAllLooks } from '../support/browser/accessibility.ts';
import { furnishOrganization, visitPages } from '../support/browser/furnished.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

const service = useConsoleService();
const chromium = useChromium();

test('no page of an organization has a fault of accessibility, is too wide for a phone, or makes the browser complain', async () => {
  const page = await chromium.open();
  await furnishOrganization(page, service, 'ada@example.com');
  const [visited, faults]: [string[], string[]] = [[], []];
  for await (const url of visitPages(page)) {
    visited.push(url);
    faults.push(...(await findFaultsOfAllLooks(page)));
  }
  expect(faults).toEqual([]);
  expect(visited.length).toBeGreaterThan(20);
}, 120_000);
