import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { Asset } from '../../server/assets.ts';
import { JSON_TYPE } from '../answers/answers.ts';
import { addReference, type ReferenceDeps } from './reference/reference.ts';

/** `/openapi.json`, the same at `/docs/json` and as YAML at `/docs/yaml`, and `/docs/reference` that shows it. */
export function addOpenApi(app: FastifyInstance, { document, views }: ReferenceDeps): void {
  const json = new Asset(JSON_TYPE, Buffer.from(JSON.stringify(document)));
  let yaml: Asset | undefined;
  addDocument(app, ['/openapi.json', '/docs/json'], () => json);
  addDocument(app, ['/docs/yaml'], () => {
    yaml ??= new Asset('application/x-yaml', Buffer.from(stringify(document)));
    return yaml;
  });
  addReference(app, { document, views });
}

function addDocument(app: FastifyInstance, paths: readonly string[], asset: () => Asset): void {
  for (const path of paths) {
    app.get(path, { compress: false }, (request, reply) =>
      asset().answer(request, reply.header('Cache-Control', 'no-cache')),
    );
  }
}
