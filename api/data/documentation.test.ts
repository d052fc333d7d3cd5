/** The tables of the documents that list routes and error codes are made of their declarations: `make golden` writes them anew. */
import { expect, test } from 'vitest';
import { Documented, type DocumentedOperation } from '../../test/support/api/documented.ts';
import { goldenTable } from '../../test/support/documents/golden-table.ts';
import { API_ERRORS } from './api-errors.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { ACCOUNT_ROUTE, DATA_ROUTES, V1_ROUTES } from './routes/data-routes.ts';

const document = JSON.parse(JSON.stringify(openApiDocument(DATA_ROUTES, { serverUrl: '', hasLimits: true })));
const { operations } = new Documented(document, { isClosed: false });

/** The lines of a table. */
function linesOf(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}

function code(text: string | null): string {
  return text === null ? '' : `\`${text}\``;
}

function operationRow({ path, summary, parameters }: DocumentedOperation): readonly string[] {
  const names = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required, schema }) => {
      const bounds = [schema['minimum'], schema['maximum']].filter((bound) => bound !== undefined).join('–');
      const range =
        schema['type'] === 'integer' && bounds.includes('–') ? ` ${bounds} (${String(schema['default'])})` : '';
      return `${required === true ? `**${code(name)}**` : code(name)}${range}`;
    });
  return [code(path), summary, names.join(', ')];
}

const isMeta = ({ tags }: DocumentedOperation) => tags.includes('meta');
const HEADS = ['route', 'what it answers', 'query parameters'];

test.each([
  ['docs/api.md', 'routes', linesOf(HEADS, operations.filter((one) => !isMeta(one)).map(operationRow))],
  ['docs/api.md', 'routes without a key', linesOf(HEADS, operations.filter(isMeta).map(operationRow))],
  [
    'docs/api.md',
    'error codes',
    linesOf(
      ['status', 'code', 'when'],
      Object.entries(API_ERRORS).map(([name, { status, title }]) => [String(status), code(name), title]),
    ),
  ],
  [
    'docs/specification.md',
    'routes',
    linesOf(
      ['route', 'capability', 'feature of the plan', 'backstop per minute', '`Cache-Control`'],
      [
        ...DATA_ROUTES.map(({ access, cacheControl, redirects }) => ({
          ...access,
          cacheControl: code(cacheControl) + (redirects === true ? '; a redirect `no-store`' : ''),
        })),
        { ...ACCOUNT_ROUTE, cacheControl: code('no-store') },
      ].map(({ name, capability, feature, limitPerMinute, cacheControl }) => [
        code(name),
        code(capability),
        code(feature),
        String(limitPerMinute),
        cacheControl,
      ]),
    ),
  ],
  [
    'docs/configuration.md',
    'backstops',
    linesOf(
      ['route', 'requests per minute'],
      V1_ROUTES.map(({ name, limitPerMinute }) => [code(name), String(limitPerMinute)]),
    ),
  ],
] as const)('%s has the table of %s that the declarations give', (path, what, table) => {
  expect(goldenTable(path, `${what}: made by api/data/documentation.test.ts`, table)).toEqual(table);
});
