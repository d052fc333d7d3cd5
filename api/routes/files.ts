import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { isKey } from '../../storage/object-store.ts';
import { ApiError } from '../api-error.ts';
import type { FileLinks } from '../file-links.ts';

/** `/files/<key>`: objects of a file store under signed addresses, ranges included (DECISIONS "signed URL"). */
export async function addFiles(
  app: FastifyInstance,
  { folder, links }: { readonly folder: string; readonly links: FileLinks },
): Promise<void> {
  await app.register(fastifyStatic, { root: folder, serve: false, cacheControl: false });
  app.get<{ Params: { '*': string }; Querystring: { expires?: unknown; signature?: unknown } }>(
    '/files/*',
    { compress: false },
    async (request, reply) => {
      const key = request.params['*'];
      const { expires, signature } = request.query;
      if (!isKey(key) || !links.isValid(key, String(expires), String(signature))) {
        throw new ApiError('signature_invalid', 'This address has expired or was altered; ask for a new one');
      }
      const name = key.split('/').at(-1) ?? 'file';
      return reply
        .headers({ 'Cache-Control': 'private, no-store', 'Content-Disposition': `attachment; filename="${name}"` })
        .type('application/gzip')
        .sendFile(key);
    },
  );
}
