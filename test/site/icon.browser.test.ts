/** The icon of pages, as a browser takes it (specification "Routes"). */
import { expect, test } from 'vitest';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

const service = useConsoleService();
const chromium = useChromium();

/** Draws what the page names as its icon, as its policy lets it; the colours of the ground and of the middle bar. */
const DRAW = `new Promise((resolve, reject) => {
  const image = new Image();
  image.onerror = () => reject(new Error('the icon is not shown'));
  image.onload = () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 32, height: 32 });
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, 32, 32);
    resolve([[4, 12], [16, 18]].map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].join()));
  };
  image.src = document.querySelector('link[rel=icon]').href;
})`;

const DOCS = ['/docs', '/docs/errors/not_found', '/docs/nope', '/docs/search?q=a', '/docs/reference'];

test.each(['/', ...DOCS, '/console/sign-in', '/console/nope'])('%s names an icon that it may show', async (path) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await chromium.open({ colorScheme });
    await page.goto(service.url + path);
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/favicon.ico');
    expect(await page.evaluate(DRAW)).toEqual(['36,80,196,255', '255,255,255,255']);
  }
});
