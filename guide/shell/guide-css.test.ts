import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { coloursOf } from '../../test/support/console/contrast.ts';

const [own, console] = ['guide.css', '../../console/assets/console.css'].map((path) =>
  readFileSync(join(import.meta.dirname, path), 'utf8'),
);

test.each([':root', '@media (prefers-color-scheme: dark)'])("the colours are the console's: %s", (begin) => {
  const [colours, consoles] = [coloursOf(own ?? '', begin), coloursOf(console ?? '', begin)];
  expect(colours.size).toBeGreaterThan(8);
  for (const [name, colour] of colours) expect([name, consoles.get(name)]).toEqual([name, colour]);
});
