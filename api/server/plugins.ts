import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import fastify, { type FastifyInstance } from 'fastify';
import { etagWithEncoding } from './conditional.ts';

const refuseSchemas = (): never => {
  throw new Error('routes have no schemas of Fastify: requests are checked by parseRequest');
};

/** Otherwise every server loads the compilers of Fastify's schemas, 113 modules. */
export const WITHOUT_SCHEMAS = {
  schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
};

/** Compresses responses as requested, off the event loop, and adjusts strong tags. */
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

/** Helmet's headers, computed once; per request they would take a tenth of the time of a cached response. */
export async function securityHeaders(): Promise<Readonly<Record<string, string>>> {
  const plain = await headersOf(fastify(WITHOUT_SCHEMAS));
  const app = fastify(WITHOUT_SCHEMAS);
  await app.register(helmet, { contentSecurityPolicy: false, crossOriginResourcePolicy: { policy: 'same-site' } });
  const all = await headersOf(app);
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in plain)));
}

async function headersOf(app: FastifyInstance): Promise<Readonly<Record<string, string>>> {
  app.get('/', (_, reply) => reply.send());
  const { headers } = await app.inject('/');
  await app.close();
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
