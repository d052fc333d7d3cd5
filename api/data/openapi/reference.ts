import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference';
import fastify, { type FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { isAppError } from '../../../runtime/errors.ts';
import { nullable, text } from '../../../storage/duckdb/row-shape.ts';
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

/** The page comes whole from here, writes its own styles, shows answers that are pictures or pages, and asks nobody but this service. */
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
  // Asked for again each time, so that a new version of the service shows at once; what didn't change is a 304.
  'Cache-Control': 'no-cache',
};

export interface ReferenceDeps {
  readonly document: OpenApi.Document;
  /** The routes of the document whose parameters may be ids. */
  readonly routes: readonly TryableRoute[];
  readonly views: { current(): View };
}

/** What says which parameters of a path are ids, and of what. */
type TryableRoute = Pick<OpenRoute, 'path' | 'params' | 'query'>;

/** `/docs/reference`: every operation of the document, to be read and tried (specification "The reference"). */
export function addReference(app: FastifyInstance, { document, routes, views }: ReferenceDeps): void {
  const root = app.prefix;
  const url = `${root}${FOLDER}/openapi.json`;
  const page = new Asset(HTML_TYPE, Buffer.from(pageFor(root, document.info.title)), HEADERS);
  const start = new Asset(SCRIPT_TYPE, Buffer.from(startOfScalar({ element: '#reference', url })), HEADERS);
  let scalar: Promise<Asset> | undefined;
  const findDocument = documentsByView((served) => tryableDocument(document, { root, routes, served }));
  bindAsset(app, [FOLDER, `${FOLDER}/`], () => page);
  bindAsset(app, [`${FOLDER}/openapi.json`], () => findDocument(views));
  bindAsset(app, [`${FOLDER}/static/start.js`], () => start);
  bindAsset(app, [`${FOLDER}/static/scalar.js`], () => {
    scalar ??= readScalar().then((script) => new Asset(SCRIPT_TYPE, script, HEADERS));
    return scalar;
  });
}

/** Finds the document with the ids of the view in use, made once for each view; with those of the document where there is no view. */
function documentsByView(
  make: (served: Awaited<ReturnType<typeof findServedIds>>) => OpenApi.Document,
): (views: ReferenceDeps['views']) => Promise<Asset> {
  const assetOf = (document: OpenApi.Document) => new Asset(JSON_TYPE, Buffer.from(JSON.stringify(document)), HEADERS);
  let plain: Asset | undefined;
  let kept: { readonly version: string; readonly asset: Promise<Asset> } | undefined;
  const findOf = async (view: View) => {
    const release = view.lease();
    try {
      return assetOf(make(await findServedIds(view)));
    } finally {
      release();
    }
  };
  return async (views) => {
    try {
      const view = views.current();
      if (kept?.version !== view.version) kept = { version: view.version, asset: findOf(view) };
      return await kept.asset;
    } catch (error) {
      kept = undefined;
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
<noscript>The reference needs scripts. <a href="${root}/openapi.json">The OpenAPI document</a> says the same.</noscript>
<div id="reference"></div>
${scripts.join('\n')}
</html>
`;
}

/**
 * What the page draws itself with, some 5 MB. Scalar's plugin has it within its code and gives it away over a route alone; its own page has a
 * script inside, which our policy forbids.
 */
async function readScalar(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } });
  const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no script: ${statusCode}`);
  return rawPayload;
}

/** Nothing of anybody else's service: no fonts, no proxy, no assistant, no report of use. The key is gone with the page. */
const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  documentDownloadType: 'none',
  // Its grey of small words is too pale to be read.
  customCss: `
    .light-mode { --scalar-color-3: #666; --scalar-color-blue: #0067b8; --scalar-color-green: #007350; --scalar-color-orange: #a84300; }
    .dark-mode { --scalar-color-3: #a8a8a8; }
  `,
} as const satisfies Partial<ApiReferenceConfiguration>;

/** The script that begins it. */
function startOfScalar({ element, url }: { readonly element: string; readonly url: string }): string {
  return `Scalar.createApiReference(${JSON.stringify(element)}, ${JSON.stringify({ ...CONFIGURATION, url })});\n`;
}

type Parameter = OpenApi.ParameterObject | OpenApi.ReferenceObject;

/** Linked from the page, and nothing to try on it: a browser hangs for many seconds over so much JSON, drawn with all its colours. */
const DOCUMENT = '/openapi.json';

/**
 * The document as the reference shows it (specification "The reference"): a request of it works as it stands. What must be given is
 * filled in, with ids that are served; what may be given shows an example and is left out of the request until it is ticked. The first line
 * leads to the guide, to which the page has no other way.
 *
 * @param root what stands before every path: requests go to where the page came from, whatever the document calls the service
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

/** What the parameters of a route are ids of, by name. */
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
  // Scalar's own word for "not in the request"; without it, every example would be.
  const shown: OpenApi.ExampleObject & { readonly 'x-disabled': boolean } = {
    value,
    'x-disabled': parameter.required !== true,
  };
  return value === undefined ? rest : { ...rest, examples: { default: shown } };
}

/** An id of each kind; undefined where nothing of it is served. */
type ServedIds = { readonly [Kind in IdKind]?: string | undefined };

/**
 * One row: the best model of the first category; where nothing is ranked, the first model. Its first benchmark and provider; where it has
 * none, the first of all.
 */
const SQL = `
  WITH chosen AS (
    SELECT models.id AS model, rankings.category
    FROM models LEFT JOIN rankings ON rankings.model_id = models.id
    ORDER BY rankings.category NULLS LAST, rankings.rank, models.pos
    LIMIT 1)
  SELECT model, category,
    coalesce(
      (SELECT min(benchmark_id) FROM scores JOIN chosen ON model_id = model),
      (SELECT min(id) FROM benchmarks)) AS benchmark,
    coalesce(
      (SELECT min(provider) FROM pricing JOIN chosen ON model_id = model),
      (SELECT min(provider) FROM pricing)) AS provider
  FROM (SELECT 1) LEFT JOIN chosen ON true`;

const COLUMNS = {
  model: nullable(text),
  category: nullable(text),
  benchmark: nullable(text),
  provider: nullable(text),
};

/** Ids that a view answers for: those of a model that most is known of, and the newest snapshot. */
async function findServedIds(view: View): Promise<ServedIds> {
  const [row] = await view.rows(COLUMNS, SQL);
  const found = Object.entries({ ...row }).filter(([, id]) => id !== null);
  const newest = [...groupByDay(view.meta.manifests).values()].at(-1)?.[0];
  return { ...Object.fromEntries(found), snapshot: newest?.id };
}
