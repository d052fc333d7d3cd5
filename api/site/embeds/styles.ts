import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { addVersionedAssets } from '../../server/assets.ts';

/** What whoever embeds a page may choose in place of the reader's own wish. */
export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Where the style sheets of pages to embed lie, below the base path. */
export const EMBED_STYLES = 'embed/styles';

const FILES = ['../../charts/charts.css', 'embed.css'];

/** What both files say of readers who want it dark. */
const DARK = '@media (prefers-color-scheme: dark)';

/** What stands in its place: the reader's wish, or the theme that whoever embeds the page has chosen. */
const CONDITIONS: Readonly<Record<Theme | 'auto', string>> = {
  auto: DARK,
  light: '@media not all',
  dark: '@media all',
};

/** Adds the style sheets, read once; returns what changes with them, which pages name in their addresses. */
export function addEmbedStyles(scope: FastifyInstance): string {
  const text = FILES.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  const files = Object.fromEntries(
    Object.entries(CONDITIONS).map(([theme, condition]) => [
      `${theme}.css`,
      Buffer.from(text.replaceAll(DARK, condition)),
    ]),
  );
  // A frame in a sandbox has no origin, so that even its own page's style sheet comes from elsewhere.
  return addVersionedAssets(scope, EMBED_STYLES, {
    files,
    headers: { 'Cross-Origin-Resource-Policy': 'cross-origin' },
  });
}
