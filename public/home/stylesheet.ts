import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Asset } from '../../http/assets.ts';

/** Adds the stylesheet of the first page, read once; its path, which changes with it. */
export function addStylesheet(app: FastifyInstance): string {
  const bytes = readFileSync(join(import.meta.dirname, 'home.css'));
  const asset = new Asset('text/css; charset=utf-8', bytes);
  const path = `/home-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.css`;
  app.get(path, { compress: false }, (request, reply) =>
    asset.answer(request, reply.header('Cache-Control', 'public, max-age=31536000, immutable')),
  );
  return app.prefix + path;
}
