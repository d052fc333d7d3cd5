import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { goldenFile } from '../../../test/night/golden-files.ts';
import { Documented } from '../../../test/support/api/documented.ts';
import { clientCalls, isCalled } from '../../../test/support/client/client-calls.ts';
import { API_ERRORS } from '../api-errors.ts';
import { DATA_ROUTES } from '../routes/data-routes.ts';
import { openApiDocument } from './openapi-document.ts';

const documentWith = (hasLimits: boolean) =>
  JSON.parse(JSON.stringify(openApiDocument(DATA_ROUTES, { serverUrl: '/stats', hasLimits })));
const document = documentWith(false);
/** With quota and burst limit, as a service with accounts shows it. */
const whole = documentWith(true);
const documented = new Documented(document, { isClosed: true });
const operations = documented.operations.map((operation) => [operation.path, operation] as const);
const dataOperations = operations.filter(([path]) => path.startsWith('/v1/'));
type Component = Omit<Property, 'properties'> & { readonly properties?: Record<string, Property> };

interface Property {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: object;
  readonly items?: Property;
  readonly anyOf?: readonly Property[];
  readonly oneOf?: readonly Property[];
}
const schemas: Record<string, Component> = document.components.schemas;

test('has each component once and leads nowhere else', () => {
  expect(Object.keys(schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => String(to));
  expect([...new Set(references)].filter((to) => documented.resolve({ $ref: to }) === undefined)).toEqual([]);
  const unused = Object.keys(schemas).filter((name) => !references.includes(`#/components/schemas/${name}`));
  expect(unused).toEqual([]);
});

test('calls every operation by a name that stays', async () => {
  const paths: Readonly<Record<string, { readonly get: { readonly operationId: string } }>> = whole.paths;
  const ids = Object.entries(paths).map(([path, { get }]) => [path, get.operationId] as const);
  const textOf = (entries: typeof ids) => `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
  const file = join(import.meta.dirname, 'operation-ids.json');
  const known: Readonly<Record<string, string>> = JSON.parse(await readFile(file, 'utf8'));
  // `make golden` adds those of new routes. One that changes breaks programs that were made of the document.
  const golden = ids.map(([path, id]) => [path, known[path] ?? id] as const);
  expect(await goldenFile(file, textOf(golden))).toBe(textOf(ids));
});

test('has a call of the typed client for every operation; make golden writes it', async () => {
  const called = new Documented(whole, { isClosed: false }).operations.filter(({ path }) => isCalled(path));
  const source = clientCalls(called);
  expect(await goldenFile(join(import.meta.dirname, '../../../client/calls.ts'), source)).toBe(source);
});

test('has a name for every object that an answer is made of', () => {
  const nameless = (schema: Property, at: string): readonly string[] => [
    ...(schema.properties === undefined ? [] : [at]),
    ...partsOf(schema).flatMap((part) => nameless(part, at)),
  ];
  const found = Object.entries(whole.components.schemas as typeof schemas).flatMap(([component, schema]) => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => nameless(field, `${component}.${name}`)),
    ...partsOf(schema).flatMap((part) => nameless(part, component)),
  ]);
  expect(found).toEqual([]);
  const answers = Object.values(whole.paths as Record<string, { get: { responses: object } }>).map(
    ({ get }) => JSON.stringify(get.responses).match(/"schema":\{(?!"\$ref"|"type":"string")[^}]*/g) ?? [],
  );
  expect(answers.flat()).toEqual(['"schema":{"type":"object","additionalProperties":true']); // This document itself.
});

function partsOf({ items, anyOf = [], oneOf = [] }: Property): readonly Property[] {
  return [...(items === undefined ? [] : [items]), ...anyOf, ...oneOf];
}

test('says of each kind of history what its points hold, and of each change what its key and data are', () => {
  const shapesOf = (name: string) =>
    (schemas[name]?.oneOf ?? []).map((shape) => documented.resolve<Property>(shape as Property & { $ref: string }));
  const histories = new Map(DATA_ROUTES.map(({ path, example }) => [path, example]));
  const kinds = shapesOf('ModelHistory').map(({ properties }) => Object(properties)['kind'].const);
  expect(kinds).toEqual(['score', 'ranking', 'pricing', 'metadata']);
  const eventShapes = shapesOf('ChangeEvent').map(({ properties = {} }) => {
    const { entity_type: type, op, key, data } = Object(properties);
    const shapes = (data.anyOf ?? [data]).map((part: Property & { type?: string }) => part.$ref ?? part.type);
    return [type.const, op.const, key.$ref, ...shapes].join(' ').replaceAll(COMPONENT, '');
  });
  expect(eventShapes).toEqual([
    'model upsert ModelKey Model',
    'model delete ModelKey Model null',
    'score upsert ScoreKey Score',
    'score delete ScoreKey Score null',
    'ranking upsert RankingKey Ranking',
    'ranking delete RankingKey Ranking null',
    'pricing upsert PriceKey Price',
    'pricing delete PriceKey Price null',
  ]);
  const history = Object(histories.get('/v1/models/:model_id/history'));
  const ofScore = { ...history, kind: 'score' };
  expect(documented.problems({ $ref: `${COMPONENT}ModelHistory` }, history)).toEqual([]);
  expect(documented.problems({ $ref: `${COMPONENT}ModelHistory` }, ofScore)).not.toEqual([]);
});

const COMPONENT = '#/components/schemas/';

test('has no field that is null and nothing else: openapi-fetch leaves those out of its types', () => {
  const bare = Object.entries(schemas).flatMap(([component, { properties = {} }]) =>
    Object.entries(properties).flatMap(([name, field]) =>
      Object(field).type === 'null' ? [`${component}.${name}`] : [],
    ),
  );
  expect(bare).toEqual([]);
});

test('names every code of an error, and leaves open what more there may be of the rest', () => {
  expect(schemas['ErrorCode']).toMatchObject({ enum: Object.keys(API_ERRORS) });
  expect(schemas['LimitType']).toMatchObject({ enum: ['burst', 'daily_quota'] });
  expect(whole.components.schemas.Account.properties.client_source).toEqual({
    type: 'string',
    description: expect.stringContaining('api_key, mcp_api_key, mcp_oauth'),
  });
  expect(Object(schemas['Score']?.properties)['source'].type).toEqual(['string', 'null']);
});

test('says of every field what it is', () => {
  const silent = Object.entries(schemas).flatMap(([component, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, { description, $ref }]) => description === undefined && $ref === undefined)
      .map(([name]) => `${component}.${name}`),
  );
  expect(silent).toEqual([]);
});

test.each(operations)('%s describes its parameters, with examples that they take', (_, { parameters, path }) => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath);
  for (const { name, description, schema, example, required, in: place } of parameters) {
    expect(description, name).toMatch(/\w{3}/);
    expect(documented.problems(schema, example), name).toEqual([]);
    expect(place !== 'path' || required, name).toBe(true);
    if ('default' in schema) expect(documented.problems(schema, schema['default']), name).toEqual([]);
  }
});

test.each(operations)('%s has an example of each JSON answer that its schema takes', (_, { responses }) => {
  for (const [status, response] of Object.entries(responses)) {
    const { schema, example, examples = {} } = response.content?.['application/json'] ?? {};
    const named = Object.values(examples).map((each) => Object(each).value);
    for (const value of example === undefined ? named : [example, ...named])
      expect(documented.problems(schema ?? {}, value), status).toEqual([]);
  }
});

test('shows both answers of /health/ready that are not ready', () => {
  const ready = documented.operations.find(({ path }) => path === '/health/ready');
  const { examples = {} } = ready?.responses['503']?.content?.['application/json'] ?? {};
  const statuses = Object.values(examples).map((example) => Object(example).value.status);
  expect(statuses).toEqual(['starting', 'stopping']);
});

test.each(dataOperations)('%s shows an answer, 304 and every error with an example for each code', (_, operation) => {
  const { responses, security } = operation;
  expect(security).toEqual([{ bearer: [] }]);
  const [answer] = Object.values(responses['200']?.content ?? {});
  expect(answer?.example).toBeDefined();
  expect(Object.keys(responses)).toEqual(
    expect.arrayContaining(['304', '400', '401', '404', '422', '429', '500', '503']),
  );
  expect(Object.keys(responses['304']?.headers ?? {})).toEqual(expect.arrayContaining(['ETag', 'Last-Modified']));
  expect(Object.keys(responses['429']?.headers ?? {})).toContain('Retry-After');
  for (const [status, { headers, content }] of Object.entries(responses)) {
    expect(Object.keys(headers ?? {}), status).toContain('X-Request-ID');
    if (Number(status) < 400 || status === '422') continue;
    const codes = Object.keys(content?.['application/json']?.examples ?? {});
    expect(codes, status).not.toEqual([]);
    for (const code of codes) expect(new Map(Object.entries(API_ERRORS)).get(code)?.status).toBe(Number(status));
  }
});

test('asks for a key wherever data are, and nowhere else', () => {
  expect(document.security).toEqual([{ bearer: [] }]);
  const open = operations.filter(([, { security }]) => security?.length === 0).map(([path]) => path);
  expect(open).toEqual(['/health/live', '/health/ready', '/openapi.json', '/docs/errors', '/docs/errors/{code}']);
});

test('the headers of quota and burst limit can be switched on', () => {
  const limited = new Documented(whole, { isClosed: true }).operations.filter(({ tags }) => !tags.includes('meta'));
  for (const { path, responses, parameters } of limited) {
    const statuses = Object.keys(responses).filter(
      (status) => !('X-Quota-Remaining' in (responses[status]?.headers ?? {})),
    );
    expect(statuses, path).toEqual(['401', '408', '413', '431']); // Refused before it is known who asks.
    if (!['/v1/account', '/v1/sources'].includes(path))
      expect(parameters.map(({ name }) => name)).toContain('Idempotency-Key');
  }
});
