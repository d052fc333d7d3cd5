import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import { etagWithEncoding } from './conditional.ts';

/** Compresses what callers ask to have compressed, off the event loop; a strong tag then says so. */
export async function addCompression(
  app: FastifyInstance,
  { compressFromBytes }: { readonly compressFromBytes: number },
): Promise<void> {
  await app.register(compress, { threshold: compressFromBytes, encodings: ['gzip', 'br'], globalDecompression: false });
  app.addHook('onRoute', (route) => {
    const before = route.onSend === undefined ? [] : [route.onSend].flat();
    route.onSend = [
      ...before,
      (_request, reply, payload, done) => {
        const encoding = reply.getHeader('content-encoding');
        const etag = reply.getHeader('etag');
        if (typeof encoding === 'string' && typeof etag === 'string')
          reply.header('ETag', etagWithEncoding(etag, encoding));
        done(null, payload);
      },
    ];
  });
}
