import { basename } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { isKey } from '../../storage/object-store.ts';
import { ApiError } from '../errors/api-error.ts';
import type { FileLinks } from './file-links.ts';

/** `/files/<key>`: objects of a file store under signed addresses, ranges included (specification "Signed addresses"). */
export async function addFiles(
  app: FastifyInstance,
  { folder, links }: { readonly folder: string; readonly links: FileLinks },
): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    cacheControl: false,
    // Of a file only: an error has headers of its own.
    setHeaders: (reply, path) => {
      reply.header('Cache-Control', 'private, no-store');
      reply.header('Content-Disposition', `attachment; filename="${basename(path)}"`);
    },
  });
  app.get<{ Params: { '*': string }; Querystring: { expires?: unknown; signature?: unknown } }>(
    '/files/*',
    { compress: false },
    async (request, reply) => {
      const key = request.params['*'];
      const { expires, signature } = request.query;
      if (!isKey(key) || !links.isValid(key, String(expires), String(signature))) {
        throw new ApiError('signature_invalid', 'This address has expired or was altered; ask for a new one');
      }
      return reply.sendFile(key);
    },
  );
}
