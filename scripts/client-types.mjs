/**
 * Generates client/answers.ts, the types of responses and parameters, from the service's OpenAPI document:
 * `node --import tsx scripts/client-types.mjs FOLDER [--write]`. FOLDER has openapi-typescript (`scripts/clients.sh types` installs it).
 * Without `--write` it prints them.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openApiDocument } from '../api/data/openapi/openapi-document.ts';
import { DATA_ROUTES } from '../api/data/routes/data-routes.ts';

const HEADER = `/**
 * Bodies of responses, and parameters of requests. Any of them may get more fields (specification "Versioning of the API").
 * Generated from /openapi.json by \`make golden\`; change the schemas of the routes instead.
 */
`;
const [folder, option] = process.argv.slice(2);
const library = pathToFileURL(resolve(folder, 'node_modules/openapi-typescript/dist/index.mjs')).href;
const { astToString, default: openapiTS } = await import(library);

/** A schema without examples and formats of text, which types can't express. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, inner]) => !isForPeople(name, inner));
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]));
}

/** A property of such a name is a schema. */
const isForPeople = (name, inner) =>
  ['example', 'examples'].includes(name) || (name === 'format' && typeof inner === 'string');

/** Enumerations of a plan may grow without a new version, so they are typed as text. */
const withoutEnum = ({ enum: _, ...schema }) =>
  schema.items === undefined ? schema : { ...schema, items: withoutEnum(schema.items) };

/** The parts that the client uses: query parameters, bodies of a 200, and their components. */
function documentOfClient() {
  const { openapi, info, paths, components } = JSON.parse(
    JSON.stringify(openApiDocument(DATA_ROUTES, { serverUrl: '', hasLimits: true })),
  );
  const operations = Object.entries(paths)
    // Exports are files for other programs.
    .filter(([path]) => path.startsWith('/v1/') && !path.startsWith('/v1/exports/'))
    .map(([path, { get }]) => [path, { get: operationOfClient(get) }]);
  const { AccountPlan, ...schemas } = components.schemas;
  const planProperties = Object.entries(AccountPlan.properties).map(([name, schema]) => [name, withoutEnum(schema)]);
  const POINTS = ['ModelScorePoint', 'ModelRankingPoint', 'ModelPricingPoint', 'ModelMetadataPoint'];
  const all = {
    ...schemas,
    AccountPlan: { ...AccountPlan, properties: Object.fromEntries(planProperties) },
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
  const usedSchemas = Object.entries(all).filter(([name]) => used.has(name));
  return plain({
    openapi,
    info,
    paths: Object.fromEntries(operations),
    components: { schemas: Object.fromEntries(usedSchemas) },
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
// Operations cover the paths.
const exported = types.filter(({ name }) => !['paths', 'webhooks', '$defs'].includes(name?.text));
/** Without empty members, and tags that repeat the type. */
const text = `${HEADER}${astToString(exported)}`
  .replaceAll(/^ *readonly (?:header|path|cookie|requestBody)\?: never;\n/gm, '')
  .replaceAll(/^ *headers: \{\n *readonly \[name: string\]: unknown;\n *\};\n/gm, '')
  .replaceAll(/\/\*\*\n *\* (@description .*)\n *\* @(?:constant|enum \{string\})\n *\*\//g, '/** $1 */');
if (option === '--write') writeFileSync('client/answers.ts', text);
else process.stdout.write(text);
