import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference';
import fastify, { type FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { isAppError } from '../../../runtime/errors.ts';
import { Asset, bindAsset } from '../../server/assets.ts';
import { ICON, ICON_TYPE } from '../../server/pages/styles.ts';
import { HTML_TYPE } from '../../server/response-headers.ts';
import type { View } from '../../view/view.ts';
import { groupByDay } from '../../view/view-meta.ts';
import { JSON_TYPE } from '../responses/data-responses.ts';
import { type IdKind, idKindOf } from '../responses/parameters.ts';
import { type OpenRoute, templateOf } from './other-operations.ts';

const FOLDER = '/docs/reference';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** The page loads everything from this service, writes its own styles, and shows pictures and pages. */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    'frame-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // So that a new version of the service shows at once.
  'Cache-Control': 'no-cache',
};

export interface ReferenceDeps {
  readonly document: () => OpenApi.Document;
  /** Routes with parameters that may be ids. */
  readonly routes: readonly TryableRoute[];
  readonly views: { current(): View };
}

type TryableRoute = Pick<OpenRoute, 'path' | 'params' | 'query'>;

/** `/docs/reference`: every operation, to read and try (specification "The reference"). */
export function addReference(app: FastifyInstance, { document, routes, views }: ReferenceDeps): void {
  const root = app.prefix;
  const url = `${root}${FOLDER}/openapi.json`;
  const start = new Asset(SCRIPT_TYPE, Buffer.from(startOfScalar({ element: '#reference', url })), HEADERS);
  let page: Asset | undefined;
  let scalar: Promise<Asset> | undefined;
  const findDocument = documentsByView((served) => tryableDocument(document(), { root, routes, served }));
  bindAsset(app, [FOLDER, `${FOLDER}/`], () => {
    page ??= new Asset(HTML_TYPE, Buffer.from(pageFor(root, document().info.title)), HEADERS);
    return page;
  });
  bindAsset(app, [`${FOLDER}/openapi.json`], () => findDocument(views));
  bindAsset(app, [`${FOLDER}/static/start.js`], () => start);
  bindAsset(app, [`${FOLDER}/static/scalar.js`], () => {
    scalar ??= readScalar().then((script) => new Asset(SCRIPT_TYPE, script, HEADERS));
    return scalar;
  });
}

/** Adds ids of the current view, once per view; without a view the document's own examples stay. */
function documentsByView(
  make: (served: ServedIds) => OpenApi.Document,
): (views: ReferenceDeps['views']) => Promise<Asset> {
  const assetOf = (document: OpenApi.Document) => new Asset(JSON_TYPE, Buffer.from(JSON.stringify(document)), HEADERS);
  let plain: Asset | undefined;
  let cached: { readonly version: string; readonly asset: Promise<Asset> } | undefined;
  const findOf = async (view: View) => {
    const release = view.lease();
    try {
      return assetOf(make(findServedIds(view)));
    } finally {
      release();
    }
  };
  return async (views) => {
    try {
      const view = views.current();
      if (cached?.version !== view.version) cached = { version: view.version, asset: findOf(view) };
      return await cached.asset;
    } catch (error) {
      cached = undefined;
      if (!isAppError(error) || error.code !== 'unavailable') throw error;
      plain ??= assetOf(make({}));
      return plain;
    }
  };
}

function pageFor(root: string, title: string): string {
  const scripts = ['scalar.js', 'start.js'].map((name) => `<script src="${root}${FOLDER}/static/${name}"></script>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="${ICON_TYPE}" href="${root}${ICON}">
<noscript>The reference needs JavaScript. <a href="${root}/openapi.json">The OpenAPI document</a> has the same content.</noscript>
<div id="reference"></div>
${scripts.join('\n')}
</html>
`;
}

/** Scalar's script, some 5 MB. The plugin exposes it only over a route; its own page has an inline script, which our policy forbids. */
async function readScalar(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } });
  const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no script: ${statusCode}`);
  return rawPayload;
}

/** No third-party service; the key is not stored. */
const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  documentDownloadType: 'none',
  // The originals have too little contrast.
  customCss: `
    .light-mode { --scalar-color-3: #666; --scalar-color-blue: #0067b8; --scalar-color-green: #007350; --scalar-color-orange: #a84300; }
    .dark-mode { --scalar-color-3: #a8a8a8; }
  `,
} as const satisfies Partial<ApiReferenceConfiguration>;

function startOfScalar({ element, url }: { readonly element: string; readonly url: string }): string {
  return `Scalar.createApiReference(${JSON.stringify(element)}, ${JSON.stringify({ ...CONFIGURATION, url })});\n`;
}

type Parameter = OpenApi.ParameterObject | OpenApi.ReferenceObject;

/** Linked only: browsers hang for many seconds while they highlight so much JSON. */
const DOCUMENT = '/openapi.json';

/**
 * The document with requests that work unchanged (specification "The reference"). Required parameters are filled with
 * served ids; optional ones show an example but are disabled. The page links to the guide only here.
 *
 * @param root prefix of every path: requests go to the page's own origin, whatever the document's server is
 */
export function tryableDocument(
  document: OpenApi.Document,
  { root, routes, served }: Pick<ReferenceDeps, 'routes'> & { readonly root: string; readonly served: ServedIds },
): OpenApi.Document {
  const { info, paths = {}, components = {} } = document;
  const kinds = new Map(routes.map((route) => [templateOf(route.path), idKindsOf(route)]));
  const operations = Object.entries(paths).filter(([path]) => path !== DOCUMENT);
  const tried = operations.map(([path, { get, ...item } = {}]) => {
    if (get === undefined) return [path, item] as const; // Every operation is a GET.
    const parameters = (get.parameters ?? []).map((parameter) => tryableParameter(parameter, served, kinds.get(path)));
    return [path, { ...item, get: { ...get, parameters } }] as const;
  });
  const shared = Object.entries(components.parameters ?? {}).map(([name, parameter]) => [
    name,
    tryableParameter(parameter, served),
  ]);
  return {
    ...document,
    info: { ...info, description: `[Documentation](${root}/docs)\n\n${info.description ?? ''}` },
    servers: [{ url: root === '' ? '/' : root }],
    externalDocs: { description: 'The OpenAPI document, for programs', url: root + DOCUMENT },
    paths: Object.fromEntries(tried),
    components: { ...components, parameters: Object.fromEntries(shared) },
  };
}

function idKindsOf({ params, query }: TryableRoute): ReadonlyMap<string, IdKind | undefined> {
  const parameters = Object.entries({ ...params.shape, ...query.shape });
  return new Map(parameters.map(([name, parameter]) => [name, idKindOf(parameter)]));
}

function tryableParameter(
  parameter: Parameter,
  served: ServedIds,
  kinds?: ReadonlyMap<string, IdKind | undefined>,
): Parameter {
  if ('$ref' in parameter) return parameter;
  const { example, ...rest } = parameter;
  const kind = kinds?.get(parameter.name);
  const value: unknown = (kind && served[kind]) ?? example;
  // Scalar's flag for "not in the request"; without it, every example would be sent.
  const shown: OpenApi.ExampleObject & { readonly 'x-disabled': boolean } = {
    value,
    'x-disabled': parameter.required !== true,
  };
  return value === undefined ? rest : { ...rest, examples: { default: shown } };
}

/** Undefined if none is served. */
type ServedIds = { readonly [Kind in IdKind]?: string | undefined };

/**
 * One row per parameter's kind: the best model of the first category, or the first model; its first benchmark and provider, or the first of
 * all; and that model, or the first one, that has a price of input.
 */
const SQL = `
  WITH chosen AS (
    SELECT models.model, rankings.category
    FROM models LEFT JOIN rankings ON rankings.model = models.model
    ORDER BY rankings.category NULLS LAST, rankings.rank, models.model
    LIMIT 1),
  found(name, kind, number) AS (
    SELECT 'model', 'model', (SELECT model FROM chosen)
    UNION ALL SELECT 'category', 'category', (SELECT category FROM chosen)
    UNION ALL SELECT 'benchmark', 'benchmark', coalesce(
      (SELECT min(benchmark) FROM scores WHERE model = (SELECT model FROM chosen)),
      (SELECT min(benchmark) FROM benchmarks))
    UNION ALL SELECT 'provider', 'provider', coalesce(
      (SELECT min(provider) FROM pricing WHERE model = (SELECT model FROM chosen)),
      (SELECT min(provider) FROM pricing))
    UNION ALL SELECT 'priced model', 'model', coalesce(
      (SELECT model FROM pricing WHERE model = (SELECT model FROM chosen) AND input IS NOT NULL),
      (SELECT min(model) FROM pricing WHERE input IS NOT NULL)))
  SELECT name, id FROM found JOIN ids USING (kind, number)`;

function findServedIds(view: View): ServedIds {
  const found = view.rows<{ readonly name: string; readonly id: string }>(SQL);
  const newest = [...groupByDay(view.meta.manifests).values()].at(-1)?.[0];
  return { ...Object.fromEntries(found.map(({ name, id }) => [name, id])), snapshot: newest?.id };
}
