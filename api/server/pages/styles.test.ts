import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coloursOf, contrastOf } from '../../../test/support/console/contrast.ts';
import { readStyleSheet } from './styles.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SURFACES = ['api/guide/guide.css', 'api/console/assets/console.css', 'api/site/home.css'];
const shared = readFileSync(join(import.meta.dirname, 'styles.css'), 'utf8');

describe.each(SURFACES)('%s', (surface) => {
  const own = readFileSync(join(ROOT, surface), 'utf8');

  test('stands behind the look that all pages share', () => {
    expect(readStyleSheet(join(ROOT, surface)).toString()).toBe(`${shared}\n${own}`);
  });

  test('takes no colour that is not there, and has none of its own', () => {
    const names = new Set([...shared.matchAll(/^ +(--[\w-]+):/gm)].map(([, name]) => name));
    const taken = [...own.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    expect(taken.filter((name) => !names.has(name))).toEqual([]);
    expect(own).not.toMatch(/:root|#[0-9a-f]{3,8}\b/);
  });
});

describe.each([':root', '@media (prefers-color-scheme: dark)'])('the colours behind %s', (begin) => {
  const colours = coloursOf(shared, begin);
  const contrast = (name: string, behind: string) => contrastOf(colours.get(name) ?? '', colours.get(behind) ?? '');

  test('are read as text on what they stand on: 4.5:1', () => {
    for (const behind of ['page', 'card', 'accent-soft'])
      for (const name of ['text', 'soft'])
        expect([name, behind, contrast(name, behind) >= 4.5]).toEqual([name, behind, true]);
    for (const behind of ['page', 'card']) expect(contrast('accent', behind)).toBeGreaterThanOrEqual(4.5);
    expect(contrast('on-accent', 'accent')).toBeGreaterThanOrEqual(4.5);
    for (const name of ['good', 'bad']) expect(contrast(name, 'card')).toBeGreaterThanOrEqual(4.5);
  });
});
