import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { addVersionedAssets } from '../../server/assets.ts';
import { readLook } from '../../server/pages/look.ts';

const [FOLDER, FILE] = ['home', 'home.css'];

/** Adds the stylesheet of the first page, read once; its address, which changes with it. */
export function addStylesheet(app: FastifyInstance): string {
  const files = { [FILE]: readLook(join(import.meta.dirname, FILE)) };
  const version = addVersionedAssets(app, FOLDER, { files });
  return `${app.prefix}/${FOLDER}/${FILE}?v=${version}`;
}
