/** The tables of the documents that list routes, error codes, the fields of datasets and their versions are made of their declarations: `make golden` writes them anew. */
import { expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { type Column, type ColumnType, DATASETS, publishedColumns, publishedName } from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import { Documented, type DocumentedOperation } from '../../test/support/api/documented.ts';
import { goldenTable } from '../../test/support/documents/golden-table.ts';
import { API_ERRORS } from './api-errors.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { ACCOUNT_ROUTE, DATA_ROUTES } from './routes/data-routes.ts';

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

const TYPES: Readonly<Record<ColumnType, string>> = {
  id: '',
  text: ' text',
  'text[]': ' list of texts',
  double: ' number',
  integer: ' integer',
  bigint: ' integer',
  boolean: ' true or false',
  date: ' date',
  timestamp: '',
  rates: ' list of rates',
  modalities: ' object',
};

function fieldOf({ name, type, min, nullable }: Column): string {
  return `${code(name)}${TYPES[type]}${min === undefined ? '' : ` ≥ ${min}`}${nullable ? '?' : ''}`;
}

/** A version of the records, the days that are in it, and the fields that came with it. */
function versionRow({ version, inForceFrom }: RecordVersion, index: number): readonly string[] {
  const next = RECORD_VERSIONS[index + 1]?.inForceFrom ?? undefined;
  const until = next === undefined ? 'on' : `to ${addDays(next, -1)}`;
  const fields = Object.values(DATASETS).flatMap((dataset) =>
    publishedColumns(dataset)
      .filter(({ addedIn }) => addedIn === version)
      .map((column) => `${code(publishedName(column))} of ${dataset.name}`),
  );
  return [code(version), inForceFrom === null ? until : `from ${inForceFrom} ${until}`, fields.join(', ')];
}

const isMeta = ({ tags }: DocumentedOperation) => tags.includes('meta');
const HEADS = ['route', 'what it answers', 'query parameters'];

test.each([
  [
    'docs/specification.md',
    'datasets',
    linesOf(
      ['dataset', 'one record per', 'fields', 'entity type in the feed'],
      Object.values(DATASETS).map((dataset) => [
        code(dataset.name),
        dataset.grain,
        publishedColumns(dataset).map(fieldOf).join(', '),
        dataset.entityType === null ? 'none' : code(dataset.entityType),
      ]),
    ),
  ],
  [
    'docs/specification.md',
    'versions',
    linesOf(['version', 'captured days', 'new fields'], RECORD_VERSIONS.map(versionRow)),
  ],
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
    'docs/specification.md',
    'dependencies',
    linesOf(
      ['route', 'what its answer depends on beside the effective request'],
      DATA_ROUTES.flatMap(({ access, dependsOnText }) =>
        dependsOnText === null ? [] : [[code(access.name), dependsOnText]],
      ),
    ),
  ],
] as const)('%s has the table of %s that the declarations give', (path, what, table) => {
  expect(goldenTable(path, `${what}: made by api/data/documentation.test.ts`, table)).toEqual(table);
});
