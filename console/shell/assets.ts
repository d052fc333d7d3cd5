import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Asset } from '../../http/assets.ts';
import { notFound } from '../../http/errors/http-error.ts';
import { ASSETS } from './layout.tsx';

const CONSOLE = join(import.meta.dirname, '..');

/** The files that pages ask for besides themselves, by their name. */
const FILES: Readonly<Record<string, { readonly type: string; readonly file: () => string }>> = {
  'console.css': { type: 'text/css; charset=utf-8', file: () => join(CONSOLE, 'assets/console.css') },
  'charts.css': { type: 'text/css; charset=utf-8', file: () => join(CONSOLE, '../charts/charts.css') },
  'console.js': { type: 'text/javascript; charset=utf-8', file: () => join(CONSOLE, 'assets/console.js') },
  'icon.svg': { type: 'image/svg+xml; charset=utf-8', file: () => join(CONSOLE, 'assets/icon.svg') },
  'htmx.min.js': {
    type: 'text/javascript; charset=utf-8',
    file: () => createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'),
  },
};

/** Adds the files that pages ask for, read once; resolves to what changes with them, which pages name in their addresses. */
export function addAssets(scope: FastifyInstance): string {
  const all = Object.entries(FILES).map(([name, { type, file }]) => [name, type, readFileSync(file())] as const);
  const hash = createHash('sha256');
  for (const [, , bytes] of all) hash.update(bytes);
  const assets = new Map(all.map(([name, type, bytes]) => [name, new Asset(type, bytes)]));
  scope.get<{ Params: { name: string } }>(`/${ASSETS}/:name`, { compress: false }, (request, reply) => {
    const asset = assets.get(request.params.name);
    if (asset === undefined) throw notFound(null, 'There is no such file');
    return asset.answer(request, reply.header('Cache-Control', 'public, max-age=31536000, immutable'));
  });
  return hash.digest('hex').slice(0, 12);
}
