import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { Asset, bindAsset } from '../../server/assets.ts';
import { ValidationBodySchema } from '../../server/errors/http-error.ts';
import { ErrorBodySchema } from '../api-errors.ts';
import { JSON_TYPE } from '../responses/data-responses.ts';
import type { DataCapability, DataRoute } from '../responses/data-route.ts';
import { FORMAT_DESCRIPTION, FORMATS } from '../responses/format.ts';
import { accountOperation, dataOperation } from './data-operation.ts';
import { type Paths, ResponseCollector, SchemaCollector } from './operation.ts';
import { metaOperations, OPEN_TAG, type OpenRoute, openOperation, templateOf } from './other-operations.ts';
import { addReference, type ReferenceDeps } from './reference.ts';
import { HEADER_COMPONENTS } from './responses.ts';

export interface DocumentOptions {
  /** Without a final slash; empty for the root of the host. */
  readonly serverUrl: string;
  /** Whether responses carry limit headers and requests may carry `Idempotency-Key`. */
  readonly hasLimits: boolean;
  /** Whether `GET /v1/account` exists; default: as `hasLimits`. */
  readonly hasAccount?: boolean;
  /** Routes without a key; default: none. */
  readonly openRoutes?: readonly OpenRoute[];
}

/** The OpenAPI document, a pure function of its input: routes, their schemas and the error codes. */
export function openApiDocument(
  routes: readonly DataRoute[],
  { serverUrl, hasLimits, hasAccount = hasLimits, openRoutes = [] }: DocumentOptions,
): OpenApi.Document {
  const schemas = new SchemaCollector();
  const responses = new ResponseCollector();
  for (const body of [ErrorBodySchema, ValidationBodySchema]) schemas.schemaFrom(body, 'output');
  const operations = routes.map((route) => [
    route.access.name,
    { get: dataOperation(route, { schemas, responses, hasLimits }) },
  ]);
  const open = openRoutes.flatMap((route) => {
    const { path, operation } = route;
    if (operation === undefined) return [];
    return [[templateOf(path), { get: openOperation(route, operation, { schemas, responses }) }] as const];
  });
  const paths: Paths = {
    ...Object.fromEntries(operations),
    ...(hasAccount ? accountOperation({ schemas, responses }) : {}),
    ...Object.fromEntries(open),
    ...metaOperations({ schemas, responses }),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Model Statistics API',
      version: '1.0.0',
      summary: 'AI models, benchmarks, scores, rankings and prices, day by day',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl === '' ? '/' : serverUrl }],
    security: [{ bearer: [] }],
    tags: Object.entries({ ...TAGS, ...(hasAccount ? ACCOUNT_TAG : {}), ...(open.length > 0 ? OPEN_TAGS : {}) })
      .filter(([name]) => !(name in TAGS) || name === 'meta' || routes.some(({ capability }) => capability === name))
      .map(([name, description]) => ({ name, description })),
    paths: paths as OpenApi.Document['paths'] & object, // The same, without the types of 3.0.
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key of your organization' } },
      parameters: PARAMETERS,
      headers: HEADER_COMPONENTS,
      responses: responses.components,
      schemas: schemas.components,
    },
  };
}

const DESCRIPTION = `A read-only record of AI models, updated every night: current data, daily history and changes.

- **Requests** are \`GET\` with \`Authorization: Bearer <API_KEY>\`. Ids are case-sensitive and percent-encoded in paths.
- **Responses** are JSON. Ignore keys that you don't know: minor versions add some. \`X-Data-As-Of\` is the point in time that the data reflect.
- **Lists** come in pages: pass \`next_cursor\` as \`cursor\`, with the same filters, until it is null. \`format=csv\` gives them as CSV.
- **Conditional requests** with \`If-None-Match\` or \`If-Modified-Since\` get \`304\` while nothing changed, which costs no quota.
- **Errors** carry a stable \`code\` and a \`help_url\`; a \`422\` lists all invalid parameters at once.
- **JSON Schemas** of records, events and manifests are at \`/schemas/<schema_version>/<name>.json\` and need no key.
- **A copy of your own** starts with a snapshot and follows the change feed from its \`change_cursor\`.`;

const TAGS: Readonly<Record<DataCapability | 'meta', string>> = {
  current: 'The newest release: models, benchmarks, scores, rankings, prices',
  pricing: 'Prices, and what requests cost',
  lifecycle: 'Deprecations and retirements of models',
  resolve: 'Models by any name',
  history: 'Daily series. Days without data are absent, never interpolated',
  snapshots: 'All records of a day as compressed JSON Lines',
  exports: 'Models and prices of a day in forms that other programs load',
  changes: 'Every change in order, to keep a copy up to date',
  meta: 'About the service itself; these need no key and cost no quota',
};

const ACCOUNT_TAG = { account: 'Your plan and its usage' };

const OPEN_TAGS = { [OPEN_TAG]: 'Badges, embeds, feeds and exports for other websites and programs' };

const PARAMETERS: Record<string, OpenApi.ParameterObject> = {
  Format: {
    name: 'format',
    in: 'query',
    description: FORMAT_DESCRIPTION,
    schema: { type: 'string', enum: [...FORMATS], default: 'json' },
    example: 'csv',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of a stored response; 304 while it is current',
    schema: { type: 'string' },
    example: '"5aac5a2389c93885ffe2d8646e07e326"',
  },
  IfModifiedSince: {
    name: 'If-Modified-Since',
    in: 'header',
    description: 'The Last-Modified of a stored response; 304 if nothing changed since. If-None-Match takes precedence',
    schema: { type: 'string' },
    example: 'Tue, 30 Jun 2026 00:20:00 GMT',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Repeating a request with the same key on the same UTC day costs no further unit of the quota',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: 'nightly-import-2026-06-30',
  },
};

/**
 * `/openapi.json`, also at `/docs/json` and as YAML at `/docs/yaml`, and `/docs/reference`. The document is made with the first request
 * for it, not at start.
 */
export function addOpenApi(app: FastifyInstance, { document: makeDocument, ...reference }: ReferenceDeps): void {
  const headers = { 'Cache-Control': 'no-cache' };
  let made: OpenApi.Document | undefined;
  const document = () => {
    made ??= makeDocument();
    return made;
  };
  let json: Asset | undefined;
  let yaml: Asset | undefined;
  bindAsset(app, ['/openapi.json', '/docs/json'], () => {
    json ??= new Asset(JSON_TYPE, Buffer.from(JSON.stringify(document())), headers);
    return json;
  });
  bindAsset(app, ['/docs/yaml'], async () => {
    const { stringify } = await import('yaml');
    yaml ??= new Asset('application/x-yaml', Buffer.from(stringify(document())), headers);
    return yaml;
  });
  addReference(app, { document, ...reference });
}
