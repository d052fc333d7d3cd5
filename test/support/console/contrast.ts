/** Reads the custom properties of a style sheet's block that begins with this text: name to `#rrggbb`. */
export function coloursOf(css: string, before: string): ReadonlyMap<string, string> {
  const [, block = ''] = css.slice(css.indexOf(before)).match(/:root\s*\{([^}]*)\}/) ?? [];
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map(([, name = '', colour = '']) => [name, colour]),
  );
}

/** The contrast of two colours `#rrggbb` as WCAG 2 defines it, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
