/**
 * Requests made from the OpenAPI document's own parameters, and from what no document foresees: every answer is one that the
 * document declares for its status, body and headers, and none is a fault of ours.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Documented, type DocumentedOperation, type DocumentedParameter } from '../../test/support/api/documented.ts';
import type { TestApi } from '../../test/support/api/open-api.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { DATA_ROUTES } from './routes/data-routes.ts';

const RUNS = 120;

const document = JSON.parse(JSON.stringify(openApiDocument(DATA_ROUTES, { serverUrl: '', hasLimits: false })));
const documented = new Documented(document, { isClosed: true });
const operations = documented.operations.map((operation) => [operation.path, operation] as const);

const api = useApi({ days: SAMPLE_DAYS.slice(0, 2), now: '2026-06-03T12:00:00Z' });

/** Ids and other words of the published days, so that many requests find something. */
const KNOWN = ['aurora-2', 'Aurora-2', '@edge/quill/q7:free', '100%-open:v1', 'cirrus', '2026-06-01', '2026-06-02'];

const HOSTILE = fc.oneof(
  fc.constantFrom('', ' ', '\0', '%00', '../..', '" OR 1=1 --', '$1', '[]', 'null', '__proto__', '\u202e', '-0', '1.0'),
  fc.constantFrom(' 5', '0x10', '1e309', 'NaN', '9'.repeat(30), '-1', '0001-01-01', '9999-12-31', 'constructor'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 250 }),
);

/** What the schemas of parameters are made of. */
interface ParameterSchema {
  readonly enum?: readonly string[];
  readonly type?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Texts for a parameter: mostly what its schema takes. */
function textsFor({ in: place, schema, example }: DocumentedParameter): fc.Arbitrary<string> {
  const { enum: values, type, format, minimum = -1000, maximum = 1000 } = schema as ParameterSchema;
  const proper = () => {
    if (place === 'header') return fc.constantFrom('*', 'W/"x"', new Date('2030-01-01').toUTCString(), String(example));
    if (values !== undefined) return fc.constantFrom<string>(...values);
    if (type === 'integer') return fc.integer({ min: minimum, max: maximum }).map(String);
    if (type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true }).map(String);
    if (type === 'boolean') return fc.constantFrom('true', 'false');
    if (format !== 'date') return fc.constantFrom(...KNOWN, String(example));
    const noInvalidDate = true;
    const days = { min: new Date('2025-01-01'), max: new Date('2026-07-01'), noInvalidDate };
    return fc.date(days).map((date) => date.toISOString().slice(0, 10));
  };
  return fc.oneof({ arbitrary: proper(), weight: 4 }, { arbitrary: HOSTILE, weight: 1 });
}

interface GeneratedRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
}

function requestTo({ path, parameters }: DocumentedOperation): fc.Arbitrary<GeneratedRequest> {
  const entryOf = (parameter: DocumentedParameter) => {
    const given = textsFor(parameter).map((value) => [parameter, value] as const);
    if (parameter.in === 'path') return given;
    const absent = { arbitrary: fc.constant(undefined), weight: parameter.in === 'header' ? 8 : 1 };
    return fc.oneof(absent, { arbitrary: given, weight: parameter.required === true ? 15 : 1 });
  };
  const unknown = fc.array(fc.tuple(HOSTILE, HOSTILE), { maxLength: 2 });
  return fc.tuple(fc.tuple(...parameters.map(entryOf)), unknown).map(([entries, more]) => {
    const given = entries.filter((entry) => entry !== undefined);
    const inPlace = (place: string) => given.filter(([parameter]) => parameter.in === place);
    const target = inPlace('path').reduce(
      (url, [{ name }, value]) => url.replace(`{${name}}`, () => encoded(value)),
      path,
    );
    const query = [...inPlace('query').map(([{ name }, value]) => [name, value] as const), ...more];
    return {
      url: `${target}?${query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`,
      headers: Object.fromEntries(inPlace('header').map(([{ name }, value]) => [name, value.replace(/[^ -~]/g, '')])),
    };
  });
}

/** As a URL has it; a lone half of a surrogate pair, which has no encoding, is replaced. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/^\.{1,2}$/, '%2E');
}

/** What about an answer isn't as documented. */
function problemsOf(
  { responses }: DocumentedOperation,
  answer: Awaited<ReturnType<TestApi['get']>>,
): readonly string[] {
  const response = responses[answer.statusCode];
  if (response === undefined) return [`status ${answer.statusCode} is not documented: ${answer.body}`];
  const absent = Object.keys(response.headers ?? {}).filter((name) => answer.headers[name.toLowerCase()] === undefined);
  const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
  const content = response.content?.[type];
  if (content === undefined && response.content !== undefined) return [`type ${type} is not documented`];
  const problems =
    type === 'application/json' && content !== undefined ? documented.problems(content.schema, answer.json()) : [];
  return [...absent.map((name) => `${name} is absent`), ...problems];
}

/** Requests that chance alone makes too seldom: the one answer that is a redirect. */
function examplesOf({ path }: DocumentedOperation): [GeneratedRequest][] {
  if (!path.endsWith('/download')) return [];
  return [[{ url: `${path.replace('{snapshot_id}', '2026-06-01')}?dataset=models&redirect=true`, headers: {} }]];
}

/** How often each status came, over all routes. */
const statuses = new Map<number, number>();

test.each(operations)('%s answers whatever is asked as documented', async (_, operation) => {
  await fc.assert(
    fc.asyncProperty(requestTo(operation), async ({ url, headers }) => {
      const answer = await api.get(url, headers);
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
      expect(answer.statusCode).toBeLessThan(500);
      expect(problemsOf(operation, answer)).toEqual([]);
    }),
    { numRuns: RUNS, examples: examplesOf(operation) },
  );
});

test('the requests above were of every kind', () => {
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 302, 304, 404, 422]));
  expect(statuses.get(200)).toBeGreaterThan(RUNS);
});
