import { expect, test } from 'vitest';
import { openApiDocument } from '../../api/data/openapi/openapi-document.ts';
import { tryableDocument } from '../../api/data/openapi/reference.ts';
import { DATA_ROUTES } from '../../api/data/routes/data-routes.ts';
import { publicRoutes } from '../../api/site/public.ts';
import { Documented } from '../support/api/documented.ts';

const OPTIONS = { serverUrl: 'https://stats.example.com/stats', hasLimits: true, openRoutes: publicRoutes(() => true) };
const document = openApiDocument(DATA_ROUTES, OPTIONS);
const SERVED = { model: 'lab/atlas-2', benchmark: 'aider', category: 'code/rust', snapshot: '2026-06-03' };
const ROUTES = [...DATA_ROUTES, ...publicRoutes(() => true)];

/** Every parameter of every operation, as `path name`, with what the reference fills in, and whether it is sent so. */
function filledIn(served: typeof SERVED | object) {
  const tryable = JSON.parse(JSON.stringify(tryableDocument(document, { root: '/stats', routes: ROUTES, served })));
  return new Documented(tryable, { isClosed: true }).operations.flatMap(({ path, parameters }) =>
    parameters.map((parameter) => {
      const { value, 'x-disabled': isLeftOut } = Object(parameter)['examples'].default;
      return { name: `${path} ${parameter.name}`, isRequired: parameter.required === true, value, isLeftOut };
    }),
  );
}

test('what must be given is filled in with what is served, what may be given is left out', () => {
  const parameters = filledIn(SERVED);
  expect(parameters.filter(({ isRequired, isLeftOut }) => isRequired === isLeftOut)).toEqual([]);
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name, value }) => [name, value]);
  // That those of other routes are answered is held by api/data/openapi/openapi.test.ts.
  expect(Object.fromEntries(required)).toMatchObject({
    '/v1/models/{id} id': 'lab/atlas-2',
    '/v1/rankings category': 'code/rust',
    '/v1/models/{model_id}/history kind': 'pricing',
    '/v1/snapshots/{snapshot_id}/download snapshot_id': '2026-06-03',
    '/badges/models/{id}.svg id': 'lab/atlas-2',
    '/feeds/rankings/{category}.json category': 'code/rust',
    '/docs/errors/{code} code': 'not_found',
  });
  // By what an id names, not by what the parameter is called.
  const values = new Map(parameters.map(({ name, value }) => [name, value]));
  expect(values.get('/v1/scores benchmark')).toBe('aider');
  expect(values.get('/v1/benchmarks category')).toBe('code'); // Of another kind than the categories of rankings.
});

test('where nothing is served every parameter has the example of the document', () => {
  const given = new Documented(JSON.parse(JSON.stringify(document)), { isClosed: true }).operations.flatMap(
    ({ parameters }) => parameters.map(({ example }) => example),
  );
  expect(filledIn({}).map(({ value }) => value)).toEqual(given);
});

test('requests go to where the page came from, the guide and the document are a click away, and all else is as in the document', () => {
  const before = JSON.stringify(document);
  const { info, servers, externalDocs, paths, components, ...others } = tryableDocument(document, {
    root: '/stats',
    routes: ROUTES,
    served: SERVED,
  });
  expect([servers, externalDocs?.url]).toEqual([[{ url: '/stats' }], '/stats/openapi.json']);
  expect(tryableDocument(document, { root: '', routes: ROUTES, served: SERVED }).servers).toEqual([{ url: '/' }]);
  expect(document).toMatchObject(others);
  expect(info).toEqual({
    ...document.info,
    description: `[Documentation](/stats/docs)\n\n${document.info.description}`,
  });
  const bare = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (key, inner) => (key === 'parameters' ? undefined : inner));
  const { '/openapi.json': itself, ...shown } = document.paths ?? {};
  expect(itself).toBeDefined();
  expect(bare([paths, components])).toEqual(bare([shown, document.components]));
  expect(JSON.stringify(document)).toBe(before);
});
