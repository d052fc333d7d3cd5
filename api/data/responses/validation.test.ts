import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorFromSeq } from '../../../schemas/change.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { type RequestProblem, ValidationBodySchema } from '../../server/errors/http-error.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 2), now: '2026-06-03T12:00:00Z' });

async function problemsOf(url: string): Promise<readonly RequestProblem[]> {
  const response = await api.get(url);
  expect([response.statusCode, response.headers['cache-control']]).toEqual([422, 'no-store']);
  const { detail } = ValidationBodySchema.strict().parse(response.json());
  for (const problem of detail) expect(Object.keys(problem)).toEqual(['loc', 'msg', 'type', 'input', 'ctx']);
  return detail;
}

const INTEGER = 'Input should be a valid integer, unable to parse string as an integer';
const NUMBER = 'Input should be a valid number, unable to parse string as a number';
const KINDS = "'score', 'ranking', 'pricing' or 'metadata'";

const AT_LEAST_1 = { type: 'greater_than_equal', msg: 'Input should be greater than or equal to 1', ctx: { ge: 1 } };
const AT_LEAST_0 = { type: 'greater_than_equal', msg: 'Input should be greater than or equal to 0', ctx: { ge: 0 } };
const AT_MOST_200 = { type: 'less_than_equal', msg: 'Input should be less than or equal to 200', ctx: { le: 200 } };
const NOT_INTEGER = { type: 'int_parsing', msg: INTEGER, ctx: {} };
const HUGE = 'Unable to parse input string as an integer, exceeded maximum size';
const NOT_NUMBER = { type: 'float_parsing', msg: NUMBER, ctx: {} };
const NOT_FINITE = { type: 'finite_number', msg: 'Input should be a finite number', ctx: {} };
const EMPTY = { type: 'string_too_short', msg: 'String should have at least 1 character', ctx: { min_length: 1 } };
const LONG = { type: 'string_too_long', msg: 'String should have at most 200 characters', ctx: { max_length: 200 } };
const NO_KIND = { type: 'enum', msg: `Input should be ${KINDS}`, ctx: { expected: KINDS } };

/** What pydantic 2 says of the same text, where it takes it for wrong too. */
test.each<readonly [path: string, name: string, input: string, problem: Pick<RequestProblem, 'msg' | 'type' | 'ctx'>]>([
  ['/v1/models', 'limit', '0', AT_LEAST_1],
  ['/v1/models', 'limit', '-0', AT_LEAST_1],
  ['/v1/models', 'limit', '201', AT_MOST_200],
  ['/v1/models', 'limit', '9'.repeat(20), AT_MOST_200],
  ['/v1/models', 'limit', '9'.repeat(400), AT_MOST_200],
  ...['x', '', ' 5', '5 ', '1.0', '1e2', '1e309', '0x10', '٣', '--1', '1_0'].map(
    (input) => ['/v1/models', 'limit', input, NOT_INTEGER] as const,
  ),
  ['/v1/models', 'min_context', '9'.repeat(20), { type: 'int_parsing_size', msg: HUGE, ctx: {} }],
  ['/v1/models', 'max_input_price', '-1', AT_LEAST_0],
  ...['x', '', '0x1', '1,5', '1e', '.'].map((input) => ['/v1/scores', 'min_value', input, NOT_NUMBER] as const),
  ...['1e309', 'nan', '-Infinity'].map((input) => ['/v1/scores', 'min_value', input, NOT_FINITE] as const),
  ['/v1/models', 'q', '', EMPTY],
  ['/v1/models', 'q', 'é'.repeat(201), LONG],
  ['/v1/models/x/history', 'kind', 'rank', NO_KIND],
  ['/v1/models/x/history', 'kind', 'constructor', NO_KIND],
])('%s with %s «%s»', async (path, name, input, problem) => {
  const url = `${path}?${name}=${encodeURIComponent(input)}`;
  expect(await problemsOf(url)).toEqual([{ loc: ['query', name], input, ...problem }]);
});

test.each([
  ['x', 'input is too short'],
  ['2026/01/01', 'invalid date separator, expected `-`'],
  ['abcd-01-01', 'invalid character in year'],
  ['2026-aa-01', 'invalid character in month'],
  ['2026-01-aa', 'invalid character in day'],
  ['2026-13-01', 'month value is outside expected range of 1-12'],
  ['2026-02-30', 'day value is outside expected range'],
  ['0000-01-01', 'year 0 is out of range'],
  ['2026-01-01T00:00:00', 'unexpected extra characters at the end of the input'],
])('the day «%s»: %s', async (input, error) => {
  const type = 'date_from_datetime_parsing';
  const msg = `Input should be a valid date or datetime, ${error}`;
  const url = `/v1/models?released_after=${encodeURIComponent(input)}`;
  expect(await problemsOf(url)).toEqual([{ loc: ['query', 'released_after'], msg, type, input, ctx: { error } }]);
});

test('a parameter that is missing is told so', async () => {
  const missing = { msg: 'Field required', type: 'missing', input: null, ctx: {} };
  expect(await problemsOf('/v1/models/x/history')).toEqual([{ loc: ['query', 'kind'], ...missing }]);
  expect(await problemsOf('/v1/rankings')).toEqual([{ loc: ['query', 'category'], ...missing }]);
  expect(await problemsOf('/v1/snapshots/x/download')).toEqual([{ loc: ['query', 'dataset'], ...missing }]);
});

test('a parameter that is given twice is told so', async () => {
  const [problem] = await problemsOf('/v1/models?q=a&q=b');
  expect(problem).toMatchObject({ loc: ['query', 'q'], type: 'string_type', input: ['a', 'b'] });
});

test('all problems of path and query are told at once', async () => {
  const id = 'a'.repeat(201);
  const problems = await problemsOf(`/v1/models/${id}/history?kind=x&from=y&to=&benchmark_id=`);
  expect(problems.map(({ loc, type }) => [...loc, type].join(' '))).toEqual([
    'path model_id string_too_long',
    'query kind enum',
    'query from date_from_datetime_parsing',
    'query to date_from_datetime_parsing',
    'query benchmark_id string_too_short',
  ]);
});

test('an id of 200 characters is an id, however many bytes it takes', async () => {
  for (const character of ['a', 'é', '漢', '😀']) {
    const { statusCode, body } = await api.get(`/v1/models/${encodeURIComponent(character.repeat(200))}`);
    expect([statusCode, JSON.parse(body).error.param]).toEqual([404, 'id']);
  }
  expect((await api.get(`/v1/models/${'a'.repeat(2401)}`)).statusCode).toBe(414);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('«%s» is a name like any other', async (name) => {
  expect((await api.get(`/v1/models?${name}=1&${name}[a]=2`)).statusCode).toBe(200);
  expect((await api.get(`/v1/models/${name}`)).json().error).toMatchObject({ code: 'not_found', param: 'id' });
  expect((await api.get(`/v1/models/${name}/history?kind=score`)).json().error).toMatchObject({ param: 'model_id' });
  expect((await api.json(`/v1/models?organization=${name}`))['total']).toBe(0);
});

test('numbers of every size are numbers', async () => {
  for (const value of ['1e30', '9'.repeat(30), '1e308', '-1e308', '5e-324', '-0', '.5', '+1.']) {
    expect((await api.get(`/v1/scores?max_value=${encodeURIComponent(value)}`)).statusCode, value).toBe(200);
    const price = value.replace(/^-/, '');
    expect((await api.get(`/v1/models?max_input_price=${encodeURIComponent(price)}`)).statusCode, price).toBe(200);
  }
  expect((await api.get(`/v1/models?min_context=${Number.MAX_SAFE_INTEGER}`)).statusCode).toBe(200);
});

test('parameters that nobody knows are ignored, thousands of them too', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => `p${i}`).join('&');
  expect((await api.get(`/v1/categories?${many}&limit[]=1&%5B%5D=2&=3&&&`)).statusCode).toBe(200);
});

test('a flag that is neither true nor false is told so', async () => {
  const url = `/v1/snapshots/${SAMPLE_DAYS[0]}/download?dataset=models&redirect=`;
  for (const input of ['yes', '1', 'TRUE', 'null'])
    expect(await problemsOf(url + input)).toMatchObject([{ loc: ['query', 'redirect'], type: 'bool_parsing', input }]);
});

test('a list cursor has at most 4096 characters', async () => {
  const problemOf = async (length: number) => (await problemsOf(`/v1/models?cursor=${'A'.repeat(length)}`))[0];
  expect(await problemOf(4096)).toMatchObject({ type: 'cursor_invalid' });
  expect(await problemOf(4097)).toMatchObject({ type: 'string_too_long', ctx: { max_length: 4096 } });
});

async function problemType(url: string): Promise<string> {
  const response = await api.get(url);
  return response.statusCode === 422 ? response.json().detail[0].type : String(response.statusCode);
}

const encoded = (text: string) => Buffer.from(text, 'utf8').toString('base64url');

test.each([
  ['', 'string_too_short'],
  ['MA==', 'cursor_invalid'],
  [encoded('1.5'), 'cursor_invalid'],
  ['A'.repeat(41), 'string_too_long'],
  [encoded('999999999'), 'cursor_ahead'],
  [encoded('0'), '200'],
])('the feed cursor «%s»: %s', async (cursor, type) => {
  expect(await problemType(`/v1/changes?cursor=${cursor}`)).toBe(type);
});

test('the feed cursor at its end is answered, the one behind it is ahead', async () => {
  const { next_cursor: end } = await api.json('/v1/changes');
  expect(await problemType(`/v1/changes?cursor=${String(end)}`)).toBe('200');
  const seq = Number(Buffer.from(String(end), 'base64url').toString());
  expect(await problemType(`/v1/changes?cursor=${cursorFromSeq(seq + 1)}`)).toBe('cursor_ahead');
});

test('a list cursor is good for its list, filters and order, and for no other', async () => {
  const { next_cursor: cursor } = await api.json('/v1/models?limit=2&sort=-name');
  const others = [
    '/v1/models?',
    '/v1/models?sort=name',
    '/v1/models?sort=-name&q=a',
    '/v1/benchmarks?',
    '/v1/scores?',
    '/v1/pricing?',
  ];
  for (const url of others) expect(await problemType(`${url}&cursor=${String(cursor)}`)).toBe('cursor_invalid');
  expect(await problemType(`/v1/models?sort=-name&limit=7&cursor=${String(cursor)}`)).toBe('200');
});

test('text that is no cursor is refused, whatever it decodes to', async () => {
  const { next_cursor: cursor } = await api.json('/v1/models?limit=1');
  const hash = Buffer.from(String(cursor), 'base64url').toString().slice(0, 8);
  for (const place of ['', '[', 'null', '[]', '[1]', '["a","b"]', '{}'])
    expect(await problemType(`/v1/models?cursor=${encoded(hash + place)}`), place).toBe('cursor_invalid');
});

test.each([
  ['/v1/models?limit=2', 'a607aa8c["@edge/quill/q7:free"]'],
  ['/v1/models?limit=2&sort=-name', 'f5b2f65b["Tern Small","tern-small"]'],
  ['/v1/models?limit=1&q=AURORA&sort=relevance', 'a5a80adf["1999970000001","aurora-2"]'],
  ['/v1/scores?limit=1&sort=-measured_at&min_value=0', 'd56fdac7["2026-06-02","aurora-2","reason-bench"]'],
  ['/v1/scores?limit=1&sort=-value', '1ffbfece["1243.0","aurora-2","code-arena"]'],
  ['/v1/pricing?limit=1', 'b6f0bc3c["100%-open:v1","co-op:north"]'],
  ['/v1/pricing?limit=1&sort=-price&min_price=0', '96a7207f["90.0","言葉-7b","nimbus"]'],
  ['/v1/pricing?limit=1&sort=-updated_at&meter=output', 'ba736dcd["2026-06-02 00:00:00","@edge/quill/q7:free","edge"]'],
])('the cursor of %s stays as it is from one version of the service to the next', async (url, expected) => {
  const { next_cursor: cursor } = await api.json(url);
  expect(Buffer.from(String(cursor), 'base64url').toString()).toBe(expected);
});

test.each([
  ['/v1/models by date', '/v1/models?limit=1&sort=-release_date'],
  ['/v1/models by time', '/v1/models?limit=1&sort=updated_at'],
  ['/v1/models by relevance', '/v1/models?limit=1&q=a&sort=relevance'],
  ['/v1/scores', '/v1/scores?limit=1'],
  ['/v1/scores by value', '/v1/scores?limit=1&sort=-value'],
  ['/v1/pricing', '/v1/pricing?limit=1'],
  ['/v1/pricing by price', '/v1/pricing?limit=1&sort=-price&meter=output'],
  ['/v1/pricing by time', '/v1/pricing?limit=1&sort=-updated_at'],
  ['/v1/rankings', '/v1/rankings?limit=1&category=CATEGORY'],
])('%s: a forged position gives a page or is refused, never a fault', async (_, template) => {
  const [category] = (await api.json('/v1/categories'))['categories'] as { id: string }[];
  const url = template.replace('CATEGORY', category?.id ?? '');
  const { next_cursor: cursor } = await api.json(url);
  const hash = Buffer.from(String(cursor), 'base64url').toString().slice(0, 8);
  const part = fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('NaN', 'infinity', '-1e999', '9'.repeat(40), '2026-02-31', "' OR 1=1 --", '$1', '\0', '\ud800'),
    fc.anything(),
  );
  const positions = fc.oneof(
    fc.array(part, { maxLength: 4 }).map((parts) => JSON.stringify(parts)),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(positions, async (position) => {
      const response = await api.get(`${url}&cursor=${encoded(hash + position)}`);
      expect([200, 422]).toContain(response.statusCode);
    }),
    { numRuns: 60 },
  );
});
