import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Asset, bindAsset } from '../assets.ts';

const SHARED = join(import.meta.dirname, 'styles.css');

/** The shared style sheet followed by a surface's own. @param own path of its file */
export function readStyleSheet(own: string): Buffer {
  return Buffer.concat([readFileSync(SHARED), Buffer.from('\n'), readFileSync(own)]);
}

/**
 * Path of the icon below the base path: what browsers request by default where no page names one. Its `Content-Type` is
 * SVG.
 */
export const ICON = '/favicon.ico';

export const ICON_TYPE = 'image/svg+xml';

/** Changes reach everyone within a day. */
const HEADERS = { 'Cache-Control': 'public, max-age=86400' };

/** Adds the icon. @param apps each gets it below its prefix */
export function addIcon(apps: readonly FastifyInstance[]): void {
  const icon = new Asset(ICON_TYPE, readFileSync(join(import.meta.dirname, 'icon.svg')), HEADERS);
  for (const app of apps) bindAsset(app, [ICON], () => icon);
}
