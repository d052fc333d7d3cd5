import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coloursOf, contrastOf } from '../../test/support/console/contrast.ts';

const css = readFileSync(join(import.meta.dirname, 'charts.css'), 'utf8');
const schemes = { light: coloursOf(css, ':root'), dark: coloursOf(css, '@media (prefers-color-scheme: dark)') };

/** Lines that only guide the eye to labels which stand there as text, and fills whose edge is what is seen. */
const GUIDES = ['chart-grid', 'chart-before', 'chart-unfinished', 'chart-refused'];
/** Values that are pointed at are written in the colours of their lines. */
const TEXTS = ['chart-text', 'chart-text-soft', ...[0, 1, 2, 3, 4, 5].map((i) => `chart-${i}`)];

test('both schemes give every colour', () => {
  expect(schemes.light.size).toBeGreaterThan(15);
  expect([...schemes.dark.keys()]).toEqual([...schemes.light.keys()]);
});

test('every colour that is used is one of them', () => {
  const used = new Set([...css.matchAll(/var\(--(chart-[\w-]+)/g)].map(([, name = '']) => name));
  expect([...used].filter((name) => !schemes.light.has(name)).sort()).toEqual(['chart-colour', 'chart-dash']);
});

describe.each(Object.entries(schemes))('%s', (_, colours) => {
  const contrast = (name: string, behind: string) => contrastOf(colours.get(name) ?? '', colours.get(behind) ?? '');

  test.each(TEXTS)('%s is read as text on the background, and seen on what lies before the window', (name) => {
    expect(contrast(name, 'chart-background')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(name, 'chart-before')).toBeGreaterThanOrEqual(/text/.test(name) ? 4.5 : 3);
  });

  const drawn = [...schemes.light.keys()].filter((name) => ![...GUIDES, ...TEXTS, 'chart-background'].includes(name));
  test.each(drawn)('%s is seen on the background: 3:1', (name) => {
    expect(contrast(name, 'chart-background')).toBeGreaterThanOrEqual(3);
  });

  test('what was used is told from what was refused: 3:1', () => {
    expect(contrast('chart-used', 'chart-refused')).toBeGreaterThanOrEqual(3);
  });
});
