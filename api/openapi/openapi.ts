import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { Asset, Assets } from '../../http/assets.ts';
import { JSON_TYPE } from '../answers/answers.ts';

/** Swagger UI comes whole from here, writes its own style attributes, and asks nobody but this service. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/openapi.json`, and `/docs/reference` that shows it. */
export async function addOpenApi(
  app: FastifyInstance,
  { document, basePath }: { readonly document: OpenApi.Document; readonly basePath: string },
): Promise<void> {
  const json = new Asset(JSON_TYPE, Buffer.from(JSON.stringify(document)));
  app.get('/openapi.json', { compress: false }, (request, reply) =>
    json.answer(request, reply.header('Cache-Control', 'no-cache')),
  );
  // Its types know OpenAPI 3.0; it passes the document on as it is.
  const specification = { document: document as unknown as StaticDocumentSpec['document'] };
  await app.register(swagger, { mode: 'static', specification });
  // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
  await app.register(async (scope) => {
    // Asked for again each time, so that a new version of the service shows at once; what didn't change is a 304.
    scope.addHook('onSend', async (_, reply) => {
      if (reply.statusCode < 400) reply.header('Cache-Control', 'no-cache');
    });
    const assets = new Assets(swaggerUiFolder());
    let yaml: Asset | undefined;
    const yamlAsset = () => {
      yaml ??= new Asset('application/x-yaml', Buffer.from(app.swagger({ yaml: true })));
      return yaml;
    };
    const kept: Readonly<Record<string, () => Pick<Asset, 'answer'>>> = {
      '/docs/reference/static/*': () => assets,
      '/docs/reference/json': () => json,
      '/docs/reference/yaml': yamlAsset,
    };
    scope.get('/docs/json', { compress: false }, (request, reply) => json.answer(request, reply));
    scope.get('/docs/yaml', { compress: false }, (request, reply) => yamlAsset().answer(request, reply));
    // The plugin's own routes open a file, or write the document anew, for each request.
    scope.addHook('onRoute', (route) => {
      const asset = kept[route.url.slice(app.prefix.length)];
      if (asset === undefined) return;
      route.handler = (request, reply) => asset().answer(request, reply);
      route.compress = false;
    });
    await scope.register(swaggerUi, {
      routePrefix: '/docs/reference',
      indexPrefix: basePath,
      staticCSP: CONTENT_SECURITY_POLICY,
      theme: { title: document.info.title },
    });
  });
}

/** The folder of Swagger UI's own files, some 2.5 MB. */
function swaggerUiFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');
}
