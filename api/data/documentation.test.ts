import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Documented } from '../../test/support/api/documented.ts';
import { API_ERRORS } from './errors/api-errors.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { DATA_ROUTES, V1_ROUTES } from './routes/data-routes.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

const document = JSON.parse(JSON.stringify(openApiDocument(DATA_ROUTES, { serverUrl: '', hasLimits: true })));
const { operations } = new Documented(document, { isClosed: false });

test.each(operations.map((operation) => [operation.path, operation] as const))(
  'docs/api.md has %s with its parameters',
  (path, { parameters, summary }) => {
    const names = parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, required, schema }) => {
        const bounds = [schema['minimum'], schema['maximum']].filter((bound) => bound !== undefined).join('–');
        const range =
          schema['type'] === 'integer' && bounds.includes('–') ? ` ${bounds} (${String(schema['default'])})` : '';
        return `${required === true ? `**\`${name}\`**` : `\`${name}\``}${range}`;
      });
    const row = rows.find(([, first]) => first === `\`${path}\``);
    expect(row?.slice(2, 4)).toEqual([summary, names.join(', ')]);
  },
);

test('docs/configuration.md lists the backstop of every route, and no other', () => {
  const configuration = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const listed = [...configuration.matchAll(/^\| `(\/v1\/\S*)` \| (\d+) \|$/gm)];
  expect(listed.map(([, route, limit]) => [route, Number(limit)])).toEqual(
    V1_ROUTES.map(({ name, limitPerMinute }) => [name, limitPerMinute]),
  );
});

test('docs/api.md has every error code with its status, and no other', () => {
  const described = rows.filter(([, , code]) => /^`[a-z_]+`$/.test(code ?? '')).map((row) => row.slice(1, 4));
  const codes = Object.entries(API_ERRORS).map(([code, { status, title }]) => [String(status), `\`${code}\``, title]);
  expect(described).toEqual(codes);
});
