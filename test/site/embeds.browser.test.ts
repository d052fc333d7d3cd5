/** Pages to embed, as a browser shows them in a frame of somebody else's page (specification "Embeds"). */
import type { FrameLocator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../support/api/listen.ts';
import { findFaultsOfAllLooks, PHONE, widthOf } from '../support/browser/accessibility.ts';
import { useChromium, useOtherSite } from '../support/browser/use-chromium.ts';
import { usePublic } from '../support/site/use-public.ts';
import { ARABIC, HOSTILE, JAPANESE, LONG, publishEmbeddedDays } from '../worlds/embedded-days.ts';

const api = usePublic({ days: publishEmbeddedDays });
const bare = usePublic({ days: publishEmbeddedDays, planned: ['history'] });
const chromium = useChromium();

let service: string;
beforeAll(async () => {
  service = await listen(api.app);
});
/** What somebody else's page holds. */
let html = '';
const elsewhere = useOtherSite(() => html);

const pathOf = (folder: string, id: string, query = '') => `/embed/${folder}/${encodeURIComponent(id)}${query}`;

/** Every page that there is; the first ones of each kind. */
const PATHS = [
  pathOf('models', 'lab/atlas-2'),
  pathOf('rankings', 'text'),
  pathOf('models', 'long', '?metric=price'),
  pathOf('rankings', HOSTILE),
  ...[HOSTILE, 'long', 'arabic', 'hebrew', 'japanese', 'bare-model', 'in-yen', 'new'].map((id) => pathOf('models', id)),
  ...['code/rust', 'ended'].map((id) => pathOf('rankings', id)),
  pathOf('models', 'lab/atlas-2', '?metric=price&provider=cirrus'),
  pathOf('models', HOSTILE, '?metric=score'),
];
const THEMED = [
  pathOf('models', 'gone'),
  pathOf('models', 'lab/atlas-2', '?theme=light'),
  pathOf('rankings', 'text', '?theme=dark'),
  pathOf('models', 'gone', '?theme=dark'),
];

/** What stands above pages of every kind. */
const HEADINGS: Readonly<Record<string, string>> = {
  [pathOf('models', 'lab/atlas-2')]: 'Atlas 2',
  [pathOf('models', 'long')]: LONG,
  [pathOf('models', 'arabic')]: ARABIC,
  [pathOf('models', 'japanese')]: JAPANESE,
  [pathOf('models', HOSTILE)]: HOSTILE,
  [pathOf('models', 'bare-model')]: 'Bare',
  [pathOf('models', 'gone')]: 'This model is no longer listed',
  [pathOf('rankings', 'text')]: 'Best models: text',
};

/** Opens somebody else's page with frames of these addresses. */
async function openFramed(page: Page, frames: readonly string[]): Promise<readonly FrameLocator[]> {
  html = frames.join('\n');
  await page.goto(elsewhere.url);
  return frames.map((_, i) => page.frameLocator('iframe').nth(i));
}

const frameOf = (path: string, attributes = 'width="600" height="600"') =>
  `<iframe src="${(service + path).replaceAll('"', '&quot;')}" title="A frame" ${attributes}></iframe>`;

describe('a page of another site', () => {
  test('shows each of ours in a frame, in its style, also in a sandbox', async () => {
    const page = await chromium.open();
    const shown = Object.entries(HEADINGS);
    const frames = await openFramed(
      page,
      shown.flatMap(([path]) => [frameOf(path), frameOf(path, 'width="600" height="600" sandbox="allow-popups"')]),
    );
    expect(frames).toHaveLength(2 * shown.length);
    for (const [i, frame] of frames.entries()) {
      const heading = shown[Math.floor(i / 2)]?.[1] ?? '';
      await frame.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      const footer = frame.locator('footer');
      const display = footer.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).display);
      expect(await display).toBe('flex');
    }
  });

  test('is left by the links of ours, which open beside it', async () => {
    const page = await chromium.open();
    const [frame] = await openFramed(page, [frameOf(pathOf('rankings', 'text'))]);
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      frame?.getByRole('link', { name: 'Atlas 2', exact: true }).click(),
    ]);
    await opened.getByRole('heading', { level: 1, name: 'Atlas 2' }).waitFor();
    expect(new URL(page.url()).origin).toBe(elsewhere.url);
  });
});

test('no page has a fault of accessibility, light or dark, or is wider than a phone', {
  timeout: 120_000,
}, async () => {
  const page = await chromium.open();
  const faults: string[] = [];
  for (const path of [...PATHS, ...THEMED]) {
    await page.goto(service + path);
    faults.push(...(await findFaultsOfAllLooks(page)));
  }
  expect(faults).toEqual([]);
});

describe('the size that oEmbed tells is enough', () => {
  test.each([600, 480, 479, PHONE, 320, 300])('for every page at a width of %i', async (width) => {
    expect(await findTooSmall(await chromium.open(), service, { width, paths: PATHS })).toEqual([]);
  });

  test('where charts are not shown', async () => {
    const without = await listen(bare.app);
    const paths = PATHS.slice(0, 4);
    for (const width of [600, 300]) {
      expect(await findTooSmall(await chromium.open(), without, { width, paths })).toEqual([]);
    }
  });
});

/** The pages that need more room than oEmbed tells for a width. */
async function findTooSmall(
  page: Page,
  base: string,
  of: { readonly width: number; readonly paths: readonly string[] },
) {
  const { width, paths } = of;
  const tooSmall: string[] = [];
  for (const path of paths) {
    const response = await fetch(`${base}/oembed?url=${encodeURIComponent(base + path)}&maxwidth=${width}`);
    const { height, ...size } = (await response.json()) as { width: number; height: number };
    expect(size.width).toBe(width);
    await page.setViewportSize({ width, height });
    await page.goto(base + path);
    const needed: number = await page.evaluate('document.scrollingElement.scrollHeight');
    if (needed > height) tooSmall.push(`${path} needs ${needed} of ${height}`);
    if ((await widthOf(page)) > width) tooSmall.push(`${path} is too wide`);
  }
  return tooSmall;
}
