import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { addVersionedAssets } from '../../server/assets.ts';
import { readLook } from '../../server/pages/look.ts';
import { ASSETS } from './layout.tsx';

const CONSOLE = join(import.meta.dirname, '..');

/** The files that pages ask for besides themselves, by their name. */
const FILES: Readonly<Record<string, () => Buffer>> = {
  'console.css': () => readLook(join(CONSOLE, 'assets/console.css')),
  'charts.css': () => readFileSync(join(CONSOLE, '../charts/charts.css')),
  'console.js': () => readFileSync(join(CONSOLE, 'assets/console.js')),
  'htmx.min.js': () => readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js')),
};

/** Adds the files that pages ask for, read once; returns what changes with them, which pages name in their addresses. */
export function addAssets(scope: FastifyInstance): string {
  const files = Object.fromEntries(Object.entries(FILES).map(([name, read]) => [name, read()]));
  return addVersionedAssets(scope, ASSETS, { files });
}
