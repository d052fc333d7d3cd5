import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Asset, bindAsset } from '../assets.ts';

const SHARED = join(import.meta.dirname, 'look.css');

/** The style sheet of a face, in one file: the look that all pages share, and behind it what the face says itself. @param own path of its file */
export function readLook(own: string): Buffer {
  return Buffer.concat([readFileSync(SHARED), Buffer.from('\n'), readFileSync(own)]);
}

/**
 * Where the icon of all pages lies, below the base path. Browsers ask the root of a host for it by this very name where an answer names none,
 * such as JSON, so it has no other; what it is, its `Content-Type` tells.
 */
export const ICON = '/favicon.ico';

/** Of the link by which pages name it. */
export const ICON_TYPE = 'image/svg+xml';

/** It stays as it is for years, and a day later everybody has another one. */
const HEADERS = { 'Cache-Control': 'public, max-age=86400' };

/** Adds the icon: bars on a ground of their own, so that they are seen on tabs of any colour. @param apps each gets it below its prefix */
export function addIcon(apps: readonly FastifyInstance[]): void {
  const icon = new Asset(ICON_TYPE, readFileSync(join(import.meta.dirname, 'icon.svg')), HEADERS);
  for (const app of apps) bindAsset(app, [ICON], () => icon);
}
