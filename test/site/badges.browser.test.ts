/** Badges as a page of another site shows them (specification "Badges"), and the service's first page (specification "First page"). */
import { beforeAll, expect, test } from 'vitest';
import { listen } from '../support/api/listen.ts';
import { findFaultsOfAllLooks } from '../support/browser/accessibility.ts';
import { useChromium, useOtherSite } from '../support/browser/use-chromium.ts';
import { usePublic } from '../support/site/use-public.ts';
import { BADGES_DAY, ODD_NAMES } from '../worlds/badges-day.ts';

const api = usePublic({ days: (store) => store.publish('2026-06-01', BADGES_DAY) });
const chromium = useChromium();
let service = '';

const STYLES = ['flat', 'flat-square', 'plastic', 'for-the-badge'];
const PATHS = [
  ...Object.keys(ODD_NAMES).map((id) => `models/${encodeURIComponent(id)}.svg`),
  ...['rank', 'score', 'price'].flatMap((metric) => [
    `models/tern.svg?metric=${metric}`,
    `models/bare.svg?metric=${metric}`,
  ]),
  ...STYLES.map((style) => `models/aurora-2.svg?style=${style}`),
  ...STYLES.map((style) => `models/arabic.svg?style=${style}`),
  'models/aurora-2.svg?color=ff0&label=yellow',
  `models/tern.svg?category=${encodeURIComponent('عربي')}`,
  'models/nobody.svg',
  'models/aurora-2.svg?metric=gold',
  'source.svg',
];

beforeAll(async () => {
  service = await listen(api.app);
});
const site = useOtherSite(() =>
  PATHS.map((path) => `<p><img src="${service}/badges/${path.replaceAll('&', '&amp;')}" alt=""></p>`).join(''),
);

test.each(['light', 'dark'] as const)(
  'every badge is shown on a %s page of another site, in a sensible size',
  async (colorScheme) => {
    const page = await chromium.open({ colorScheme });
    await page.goto(site.url, { waitUntil: 'load' });
    const images: readonly Record<'src' | 'naturalWidth' | 'naturalHeight', unknown>[] = await page.evaluate(
      'Array.from(document.images, ({ src, naturalWidth, naturalHeight }) => ({ src, naturalWidth, naturalHeight }))',
    );
    expect(images).toHaveLength(PATHS.length);
    for (const { src, naturalWidth: width, naturalHeight: height } of images) {
      expect([src, [18, 20, 28].includes(Number(height)), Number(width) > 60 && Number(width) < 800]).toEqual([
        src,
        true,
        true,
      ]);
    }
  },
);

/** How far each text of a picture reaches over the part of the badge that is its own, in pixels. */
const OVERHANGS = `
  Array.from(document.querySelectorAll('text'), (text) => {
    const box = text.getBoundingClientRect();
    const rects = Array.from(document.querySelectorAll('g > rect'), (rect) => rect.getBoundingClientRect());
    const middle = (box.left + box.right) / 2;
    const own = rects.find(({ left, right }) => left <= middle && middle <= right);
    return own === undefined ? 99 : Math.max(own.left - box.left, box.right - own.right, 0);
  })`;

test('opened as a page it is proper XML, runs nothing, and every text stays within its part', async () => {
  const page = await chromium.open();
  for (const path of PATHS) {
    await page.goto(`${service}/badges/${path}`);
    expect([path, await page.evaluate('document.documentElement.nodeName')]).toEqual([path, 'svg']);
    const running = await page.evaluate("document.querySelectorAll('script, parsererror, [onload], [href]').length");
    expect([path, running]).toEqual([path, 0]);
    const overhangs: readonly number[] = await page.evaluate(OVERHANGS);
    expect([path, overhangs.length > 0, Math.max(...overhangs) <= 2]).toEqual([path, true, true]);
  }
});

test('the first page has no fault of accessibility in light and in dark, and fits on a phone', async () => {
  const page = await chromium.open();
  await page.goto(service);
  expect(await page.title()).toBe('modelstats');
  expect(await findFaultsOfAllLooks(page)).toEqual([]);
});
