import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { addVersionedAssets } from '../../http/assets.ts';
import { ASSETS } from './layout.tsx';

const CONSOLE = join(import.meta.dirname, '..');

/** The files that pages ask for besides themselves, by their name. */
const FILES: Readonly<Record<string, () => string>> = {
  'console.css': () => join(CONSOLE, 'assets/console.css'),
  'charts.css': () => join(CONSOLE, '../charts/charts.css'),
  'console.js': () => join(CONSOLE, 'assets/console.js'),
  'icon.svg': () => join(CONSOLE, 'assets/icon.svg'),
  'htmx.min.js': () => createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'),
};

/** Adds the files that pages ask for, read once; returns what changes with them, which pages name in their addresses. */
export function addAssets(scope: FastifyInstance): string {
  const files = Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, readFileSync(file())]));
  return addVersionedAssets(scope, ASSETS, { files });
}
