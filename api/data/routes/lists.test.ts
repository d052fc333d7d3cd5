import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { getList, type ListedRecord, pageList } from '../../../test/support/api/lists.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';
import type { QueryValue } from '../../view/query-threads.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY) });

test.each([
  ['q=ZUL', ['B', 'a']],
  ['q=b', ['B', 'b', 'c/1']],
  ['q=%25', ['c/1']],
  ['q=%22BEST%22', ['c/1']],
  ['q=%C3%A5ngstr%C3%B6m', ['d']],
  ['q=%00', []],
  ["q='%20OR%201=1%20--", []],
  ['unknown=parameter', ['B', 'a', 'b', 'c/1', 'd', 'é']],
])('filtered by %s', async (query, expected) => {
  const { records, total, next_cursor: cursor } = await getList(api, `/v1/models?${query}`);
  expect(records.map(({ id }) => id)).toEqual(expected);
  expect({ total, cursor }).toEqual({ total: expected.length, cursor: null });
});

test('total counts what meets the filters on all pages, and the last page has no cursor', async () => {
  const first = await getList(api, '/v1/models?organization=x&limit=1');
  expect(first).toMatchObject({ total: 2, next_cursor: expect.any(String) });
  const second = await getList(api, `/v1/models?organization=x&limit=1&cursor=${first.next_cursor}`);
  expect(second).toMatchObject({ total: 2, next_cursor: null });
  expect((await getList(api, '/v1/models?limit=6')).next_cursor).toBeNull();
});

test('ids of 200 characters and names of thousands are found, and paged through', async () => {
  const longIds = ['1', '2', '3'].map((digit) => '😀'.repeat(199) + digit);
  const models = longIds.map((id) => ({ id, name: '"'.repeat(10_000) + id }));
  const its = await openOwnApi({ days: (store) => store.publish('2026-06-01', { models }) });
  for (const sort of ['id', 'name', '-updated_at']) {
    expect((await pageList(its, `/v1/models?sort=${sort}&limit=1`)).map(({ id }) => id)).toEqual(longIds);
  }
  expect(await its.json(`/v1/models/${encodeURIComponent(longIds[1] ?? '')}`)).toMatchObject({ id: longIds[1] });
  expect((await its.get(`/v1/models/${encodeURIComponent(`${longIds[1]}x`)}`)).statusCode).toBe(422);
});

test('a model that is not there is 404 with its parameter, also in another case', async () => {
  for (const id of ['D', 'c', 'nobody', '%00']) {
    const response = await api.get(`/v1/models/${id}`);
    expect(response.statusCode, id).toBe(404);
    expect(response.json().error).toMatchObject({ code: 'not_found', param: 'id' });
  }
});

/** A list's cursor, but after another place. */
async function cursorAfter(path: string, place: readonly (string | null)[]): Promise<string> {
  const cursor = String((await getList(api, `${path}&limit=1`)).next_cursor);
  const hash = Buffer.from(cursor, 'base64url').toString().slice(0, 8);
  return Buffer.from(hash + JSON.stringify(place)).toString('base64url');
}

test.each<readonly [path: string, place: readonly (string | null)[], expected: readonly string[]]>([
  ['/v1/models?', ['A'], ['B', 'a', 'b', 'c/1', 'd', 'é']],
  ['/v1/models?', ['aa'], ['b', 'c/1', 'd', 'é']],
  ['/v1/models?', ['c'], ['c/1', 'd', 'é']],
  ['/v1/models?', ['c/10'], ['d', 'é']],
  ['/v1/models?', ['\uff5e'], []],
  ['/v1/models?sort=name&', ['Zulu', 'A'], ['B', 'a', 'b', 'd', 'é']],
  ['/v1/models?sort=name&', ['Zulu', 'Z'], ['a', 'b', 'd', 'é']],
  ['/v1/models?sort=-release_date&', ['2026-02-01', 'aa'], ['b', 'B', 'é', 'c/1', 'd']],
  ['/v1/models?sort=-release_date&', [null, 'c/2'], ['d']],
  ['/v1/scores?', ['A', 'code'], ['B code', 'a code', 'a math', 'b code', 'd Code', 'd code']],
  ['/v1/scores?', ['a', 'coda'], ['a code', 'a math', 'b code', 'd Code', 'd code']],
  ['/v1/scores?', ['a', 'zzz'], ['b code', 'd Code', 'd code']],
  ['/v1/scores?', ['aa', 'zzz'], ['b code', 'd Code', 'd code']],
  ['/v1/scores?', ['é', 'zzz'], []],
  ['/v1/scores?sort=value&', ['0.3', 'c', 'code'], ['d code', 'a math', 'd Code']],
  ['/v1/scores?sort=value&', ['0.2', 'zzz', 'code'], ['b code', 'd code', 'a math', 'd Code']],
  [
    '/v1/scores?sort=-measured_at&',
    ['2026-03-01', 'A', 'code'],
    ['B code', 'b code', 'd code', 'a code', 'a math', 'd Code'],
  ],
  ['/v1/scores?sort=-measured_at&', [null, 'b', 'zzz'], ['d Code']],
  ['/v1/rankings?category=general&', ['2', 'A'], ['B', 'a', 'd']],
  ['/v1/rankings?category=general&', ['2', 'C'], ['a', 'd']],
])('%s goes on after %j, which no record has', async (path, place, expected) => {
  const { records } = await getList(api, `${path}limit=50&cursor=${await cursorAfter(path, place)}`);
  const name = ({ id, model_id: model, benchmark_id: benchmark }: ListedRecord) =>
    [id ?? model, benchmark].filter((part) => part !== undefined).join(' ');
  expect(records.map(name)).toEqual(expected);
});

test('a cursor with other values than any record has is after those before them, or 422, and never an error', async () => {
  const part = fc.oneof(
    fc.constant(null),
    fc.constantFrom('', 'a', 'b', 'code', '0.3', '-5.0', '1e300', '2026-02-01', '2026-05-02 00:00:00', '8000'),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.double().map(String),
  );
  const paths = ['/v1/models?', '/v1/scores?', '/v1/pricing?', '/v1/benchmarks?', '/v1/rankings?category=general&'];
  const sorts = [
    '',
    'sort=name&',
    'sort=-release_date&',
    'sort=context_length&',
    'sort=updated_at&',
    'sort=-value&',
    'sort=price&',
  ];
  const lists = paths.flatMap((path) => [...sorts, 'sort=-measured_at&'].map((sort) => `${path}${sort}limit=1`));
  const cursors = new Map<string, string>();
  for (const path of lists) {
    const { statusCode, body } = await api.get(path);
    if (statusCode === 200) cursors.set(path, JSON.parse(body).next_cursor);
  }
  expect(cursors.size).toBeGreaterThan(15);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...cursors), fc.array(part, { maxLength: 4 }), async ([path, cursor], place) => {
      const hash = Buffer.from(cursor, 'base64url').toString().slice(0, 8);
      const forged = Buffer.from(hash + JSON.stringify(place)).toString('base64url');
      const { statusCode, body } = await api.get(`${path}&cursor=${forged}`);
      expect([200, 422], `${path} ${JSON.stringify(place)} ${body}`).toContain(statusCode);
    }),
    { numRuns: 500 },
  );
});

describe('scores that DuckDB prints as other numbers', () => {
  const values = [2 ** 805, 2 ** 91, 2 ** 81, 1];
  const odd = useApi({
    days: (store) =>
      store.publish('2026-06-01', {
        ...LISTED_DAY,
        benchmarks: values.map((_, n) => ({ id: `b${n}`, name: `B${n}`, updated_at: '2026-06-01T00:00:00Z' })),
        // As texts, in full: with an exponent DuckDB reads them as other numbers, too.
        scores: values.map((value, n) => ({ model_id: 'a', benchmark_id: `b${n}`, value: String(BigInt(value)) })),
      }),
  });

  test('are each on one page, whatever the pages begin behind', async () => {
    const scores = await pageList(odd, '/v1/scores?sort=-value&limit=1');
    expect(scores.map(({ value }) => value)).toEqual(values);
  });
});

const uncached = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY), settings: { cacheBytes: 1 } });

interface Statement {
  readonly sql: string;
  readonly values: readonly QueryValue[] | undefined;
}

/** The statements that a view runs from now on; `refuse` makes it fail at some. */
function watchStatements(refuse: (sql: string) => boolean = () => false): readonly Statement[] {
  const statements: Statement[] = [];
  const view = uncached.follower.current();
  const { rows } = view;
  vi.spyOn(view, 'rows').mockImplementation((sql, values) => {
    statements.push({ sql, values });
    if (refuse(sql)) throw new Error('refused');
    return rows.call(view, sql, values);
  });
  return statements;
}
afterEach(() => void vi.restoreAllMocks());

function counts(statements: readonly Statement[]): number {
  return statements.filter(({ sql }) => sql.includes('count(*)')).length;
}

describe('the total of a list', () => {
  test('is counted once for all pages, page sizes and orders of the same filters', async () => {
    const statements = watchStatements();
    for (const query of ['limit=1', 'limit=2&sort=-value', 'limit=500&sort=-measured_at']) {
      const records = await pageList(uncached, `/v1/scores?benchmark=code&${query}`);
      expect(records).toHaveLength(4);
    }
    expect(counts(statements)).toBe(1);
  });

  test('is counted anew where it could not be, and once for requests at the same time', async () => {
    const path = '/v1/models?organization=y';
    let isRefused = true;
    const statements = watchStatements((sql) => isRefused && sql.includes('count(*)'));
    expect((await uncached.get(path)).statusCode).toBe(500);
    isRefused = false;
    const both = await Promise.all([getList(uncached, path), getList(uncached, `${path}&limit=1`)]);
    expect(both.map(({ total }) => total)).toEqual([1, 1]);
    expect(counts(statements)).toBe(2);
  });

  test('of scores is counted in memory, whatever the filters but a model or a benchmark', async () => {
    const statements = watchStatements();
    expect(await getList(uncached, '/v1/scores?source=official&min_value=0&measured_after=2026-01-01')).toMatchObject({
      total: 2,
    });
    expect(counts(statements)).toBe(0);
  });

  test('is that of the view it was counted in', async () => {
    expect(await getList(uncached, '/v1/benchmarks?category=coding')).toMatchObject({ total: 1 });
    const { benchmarks = [] } = LISTED_DAY;
    await uncached.store.publish('2026-06-02', {
      ...LISTED_DAY,
      benchmarks: [...benchmarks, { id: 'more', name: 'More', category: 'coding' }],
    });
    await uncached.follower.refresh();
    expect(await getList(uncached, '/v1/benchmarks?category=coding')).toMatchObject({ total: 2 });
  });
});

test.each([
  ['/v1/scores?min_value=0.25&sort=-value&limit=2', 'scores', 'scores_value'],
  ['/v1/scores?limit=2', 'scores', undefined],
  ['/v1/scores?sort=-measured_at&limit=2', 'scores', 'scores_measured_at'],
  ['/v1/scores?benchmark=code&sort=value&limit=2', 'scores', 'scores_benchmark_value'],
  ['/v1/scores?benchmark=code&limit=2', 'scores', 'scores_benchmark'],
  ['/v1/scores?model=a&limit=1', 'scores', undefined],
  ['/v1/models?limit=2', 'models', undefined],
  ['/v1/models?sort=-name&limit=2', 'models', 'models_name'],
  ['/v1/models?sort=release_date&limit=2', 'models', 'models_release_date'],
  ['/v1/models?sort=-release_date&limit=2', 'models', 'models_release_date(_descending)?'],
  ['/v1/models?sort=context_length&limit=2', 'models', 'models_context_length'],
  ['/v1/models?sort=-context_length&limit=2', 'models', 'models_context_length(_descending)?'],
  ['/v1/models?sort=updated_at&limit=2', 'models', 'models_updated_at'],
  ['/v1/models?sort=-updated_at&limit=2', 'models', 'models_updated_at_descending'],
  ['/v1/models?max_output_price=9&limit=1', 'models', undefined],
  ['/v1/models?organization=x&limit=1', 'models', 'models_organization'],
  ['/v1/benchmarks?category=coding&limit=1', 'benchmarks', 'benchmarks_category'],
  ['/v1/rankings?category=general&limit=2', 'rankings', undefined],
  ['/v1/pricing?limit=2', 'price_meters', undefined],
  ['/v1/pricing?model=a&limit=1', 'price_meters', undefined],
  ['/v1/pricing?provider=p1&limit=1', 'price_meters', 'price_meters_provider'],
  ['/v1/pricing?meter=output&limit=1', 'price_meters', undefined],
  ['/v1/pricing?sort=price&limit=1', 'price_meters', 'price_meters_price'],
  ['/v1/pricing?sort=-price&limit=1', 'price_meters', 'price_meters_price'],
  ['/v1/pricing?sort=-updated_at&limit=1', 'price_meters', 'price_meters_updated_at'],
])('%s is found in the order of an index, and only the lines of its records are read', async (path, table, index) => {
  const statements = watchStatements();
  const { records, next_cursor: cursor } = await getList(uncached, path);
  await getList(uncached, `${path}&cursor=${cursor}`);
  const pages = statements.filter(({ sql }) => sql.includes('line AS text'));
  vi.restoreAllMocks();
  expect(pages.length).toBeGreaterThan(1);
  const view = uncached.follower.current();
  for (const { sql, values } of pages) {
    const steps = view
      .rows<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values)
      .map(({ detail }) => detail);
    // By key, the order of the table itself serves, or its index with all columns.
    const usual =
      index === undefined
        ? /PRIMARY KEY|INTEGER|SCAN (?:models|scores)$|USING COVERING INDEX/
        : new RegExp(`COVERING INDEX ${index}\\b`);
    expect(
      steps.find((step) => new RegExp(`^(SCAN|SEARCH) ${table}\\b`).test(step)),
      sql,
    ).toMatch(usual);
    // Few models share a name, and few scores or prices a value: those are sorted, one after the other.
    const sorted = /sort=-(name|value|price)/.test(path) ? 'USE TEMP B-TREE FOR ORDER BY' : 'USE TEMP B-TREE';
    expect(steps.join('\n'), sql).not.toContain(sorted);
    expect(steps.filter((step) => step.startsWith('SEARCH r ')).length, sql).toBe(1);
    expect(view.rows(sql, values).length).toBeLessThanOrEqual(records.length + 1);
  }
});

test.each([
  '/v1/models?q=b&organization=x&provider=p1&max_input_price=5&limit=1',
  '/v1/models?q=b&provider=p1&max_output_price=5&sort=-release_date&limit=1',
  '/v1/models?provider=p1&max_input_price=5&max_output_price=5&sort=name&limit=1',
])('%s checks each model once, whatever each filter alone matches', async (path) => {
  const statements = watchStatements();
  await getList(uncached, path);
  const lists = statements.filter(({ sql }) => sql.includes('FROM models') && sql.includes(' IN '));
  vi.restoreAllMocks();
  expect(lists.length).toBeGreaterThan(0);
  const view = uncached.follower.current();
  for (const { sql, values } of lists) {
    const steps = view
      .rows<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values)
      .map(({ detail }) => detail);
    // Else SQLite looks up every pair of two lists of models.
    expect(steps.filter((step) => /^SEARCH models\b.*(model|rowid)=/.test(step))).toEqual([]);
  }
});

test('a page bound by prices reads the prices of its own models only, from an index', async () => {
  const statements = watchStatements();
  await getList(uncached, '/v1/models?max_input_price=5&max_output_price=9');
  const found = statements.filter(({ sql }) => sql.includes('pricing'));
  vi.restoreAllMocks();
  expect(found.length).toBe(2);
  for (const { sql, values } of found) {
    const steps = uncached.follower.current().rows<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    expect(steps.map(({ detail }) => detail).find((detail) => detail.includes('pricing'))).toMatch(
      /^SEARCH p .*COVERING INDEX pricing_model \(model=\?/,
    );
  }
});
