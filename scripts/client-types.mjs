/**
 * Makes client/answers.ts, the types of answers and of parameters, of the service's own OpenAPI document:
 * `node --import tsx scripts/client-types.mjs FOLDER [--write]`, with the folder of openapi-typescript (`scripts/clients.sh types` installs
 * it). Without `--write` it prints them.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openApiDocument } from '../api/data/openapi/openapi-document.ts';
import { DATA_ROUTES } from '../api/data/routes/data-routes.ts';

const HEADER = `/**
 * The bodies of the service's answers, and what requests may ask. Keys may be added to any of them (specification "Versioning of the
 * API"). Made of /openapi.json by \`make golden\`; changes belong into the schemas of the routes.
 */
`;
const [folder, option] = process.argv.slice(2);
const library = pathToFileURL(resolve(folder, 'node_modules/openapi-typescript/dist/index.mjs')).href;
const { astToString, default: openapiTS } = await import(library);

/** A schema without what types don't say: examples, and formats of text. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, inner]) => !isForPeople(name, inner));
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]));
}

/** A property may have such a name as well; then it is a schema. */
const isForPeople = (name, inner) =>
  ['example', 'examples'].includes(name) || (name === 'format' && typeof inner === 'string');

/** The words of a plan may become more without a new version, so programs know them as text. */
const withoutWords = ({ enum: words, ...schema }) =>
  schema.items === undefined ? schema : { ...schema, items: withoutWords(schema.items) };

/** What the client uses: the parameters of a query and the body of a 200, and the components that those name. */
function documentOfClient() {
  const { openapi, info, paths, components } = JSON.parse(
    JSON.stringify(openApiDocument(DATA_ROUTES, { serverUrl: '', hasLimits: true })),
  );
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .map(([path, { get }]) => [path, { get: operationOfClient(get) }]);
  const { AccountPlan, ...schemas } = components.schemas;
  const words = Object.entries(AccountPlan.properties).map(([name, schema]) => [name, withoutWords(schema)]);
  const POINTS = ['ModelScorePoint', 'ModelRankingPoint', 'ModelPricingPoint', 'ModelMetadataPoint'];
  const all = {
    ...schemas,
    AccountPlan: { ...AccountPlan, properties: Object.fromEntries(words) },
    HistoryPoint: {
      description: 'A point of any kind',
      oneOf: POINTS.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    },
  };
  const used = new Set(['HistoryPoint']);
  const collect = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      collect(all[name]);
    }
  };
  collect(operations);
  const kept = Object.entries(all).filter(([name]) => used.has(name));
  return plain({
    openapi,
    info,
    paths: Object.fromEntries(operations),
    components: { schemas: Object.fromEntries(kept) },
  });
}

function operationOfClient({ operationId, parameters = [], responses }) {
  const { schema } = responses['200'].content['application/json'];
  return {
    operationId,
    parameters: parameters.filter((one) => one.in === 'query'),
    responses: { 200: { description: '', content: { 'application/json': { schema } } } },
  };
}

const options = { immutable: true, rootTypes: true, rootTypesNoSchemaPrefix: true, rootTypesKeepCasing: true };
const types = await openapiTS(documentOfClient(), options);
// Paths say nothing more than operations do.
const wanted = types.filter(({ name }) => !['paths', 'webhooks', '$defs'].includes(name?.text));
/** Without what no operation has, and what a type says by itself. */
const text = `${HEADER}${astToString(wanted)}`
  .replaceAll(/^ *readonly (?:header|path|cookie|requestBody)\?: never;\n/gm, '')
  .replaceAll(/^ *headers: \{\n *readonly \[name: string\]: unknown;\n *\};\n/gm, '')
  .replaceAll(/\/\*\*\n *\* (@description .*)\n *\* @(?:constant|enum \{string\})\n *\*\//g, '/** $1 */');
if (option === '--write') writeFileSync('client/answers.ts', text);
else process.stdout.write(text);
