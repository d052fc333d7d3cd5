/** `format=csv` of every list, read back by DuckDB and by Python, against the JSON of the same page (specification "CSV"). */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DataRoute } from '../../api/data/responses/data-route.ts';
import { DATA_ROUTES } from '../../api/data/routes/data-routes.ts';
import { getVersion, RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import type { TestApi } from '../support/api/open-api.ts';
import { requestText } from '../support/api/raw-request.ts';
import { openOwnApi, useApi } from '../support/api/use-api.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { LISTED_DAY } from '../worlds/listed-day.ts';
import * as rated from '../worlds/rated-days.ts';
import { publishSmallDays, SMALL_DAYS, TODAY } from '../worlds/small-days.ts';
import * as versioned from '../worlds/versioned-days.ts';

const folder = useFolder();

const ODD = ['=1+1', '@SUM(A1)', 'a,b', 'say "x"', 'two\nlines', 'cr\rlf\r\n', '"', ' blanks ', "it's", '😀\u2028é'];
const oddDay = {
  models: ODD.map((name, at) => ({ id: `${at} ${name.replaceAll(/\p{Cc}/gu, '')}`.trim(), name, organization: name })),
};

type Cells = readonly (string | null)[];

interface Page {
  readonly fields: readonly string[];
  readonly rows: readonly Cells[];
}

let duckdb: DuckDBConnection;
let python: ChildProcessByStdio<Writable, Readable, null>;
let answers: AsyncIterator<string>;
let pages = 0;

beforeAll(async () => {
  duckdb = await DuckDBConnection.create();
  python = spawn('python3', ['-c', PYTHON], { stdio: ['pipe', 'pipe', 'inherit'] });
  answers = createInterface(python.stdout)[Symbol.asyncIterator]();
});
afterAll(async () => {
  duckdb?.closeSync();
  python?.stdin.end();
  if (python !== undefined) await once(python, 'close');
});

async function writePage(csv: string): Promise<string> {
  pages += 1;
  const file = folder(`${pages}.csv`);
  await writeFile(file, csv);
  return file;
}

/** As DuckDB reads it, which tells empty text from null. */
async function readWithDuckDb(file: string): Promise<Page> {
  const reader = await duckdb.runAndReadAll(
    `FROM read_csv($file, header = true, all_varchar = true, nullstr = '', allow_quoted_nulls = false, delim = ',', quote = '"', escape = '"', new_line = '\\r\\n')`,
    { file },
  );
  return { fields: reader.columnNames(), rows: reader.getRowsJS() as readonly Cells[] };
}

/** A line of JSON per file that is named. */
const PYTHON = `import csv, json, sys
for line in sys.stdin:
    print(json.dumps(list(csv.reader(open(line[:-1], encoding="utf-8", newline="")))), flush=True)`;

/** As Python's csv module reads it: header and rows, all text. */
async function readWithPython(file: string): Promise<readonly (readonly string[])[]> {
  python.stdin.write(`${file}\n`);
  return JSON.parse((await answers.next()).value);
}

type JsonRecord = Readonly<Record<string, unknown>>;

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Compares all pages of a list in both forms; returns the number of records. */
async function compareList(api: Pick<TestApi, 'get'>, path: string, list: string): Promise<number> {
  const address = (query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;
  let [json, csv] = [path, address('format=csv')];
  let count = 0;
  for (;;) {
    const [asJson, asCsv] = [await api.get(json), await api.get(csv)];
    expect([asJson.statusCode, asCsv.statusCode], csv).toEqual([200, 200]);
    expect(asCsv.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(asCsv.headers['last-modified']).toBe(asJson.headers['last-modified']);
    expect(asCsv.headers.etag).not.toBe(asJson.headers.etag);
    const { [list]: records, total, next_cursor: cursor } = asJson.json();
    const file = await writePage(asCsv.body);
    const { fields, rows } = await readWithDuckDb(file);
    for (const record of records as readonly JsonRecord[])
      expect(fields.filter((field) => field in record || field !== REMOVED_AT)).toEqual(Object.keys(record));
    expect(rows).toEqual(
      (records as readonly JsonRecord[]).map((record) => fields.map((field) => cellOf(record[field] ?? null))),
    );
    const rowsOfPython = [fields, ...rows.map((row) => row.map((cell) => cell ?? ''))];
    if (count === 0) expect(await readWithPython(file)).toEqual(rowsOfPython);
    count += rows.length;
    expect(asCsv.headers['x-total-count']).toBe(total === undefined ? undefined : String(total));
    if (typeof cursor !== 'string') {
      expect(asCsv.headers['link']).toBeUndefined();
      return count;
    }
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(String(asCsv.headers['link'])) ?? [];
    json = address(`cursor=${cursor}`);
    csv = new URL(next, `http://localhost${csv}`).href.slice('http://localhost'.length);
  }
}

/** The column of models that is there whatever the request, and in JSON only of a model that is gone. */
const REMOVED_AT = 'removed_at';

/** The small days, and one with new models, another category and two upstreams. */
async function publishDays(store: TemporaryStore): Promise<void> {
  await publishSmallDays(store);
  const last = SMALL_DAYS['2026-06-07'] ?? {};
  const models = [...(last.models ?? []), { id: 'new "1"', name: 'New' }, { id: 'new,2', name: 'Other' }];
  const rankings = [...(last.rankings ?? []), { model_id: 'a', category: 'code', rank: 1 }];
  const upstreams = ['mall', 'shop'].map((id) => ({ id, name: `The "${id}"`, url: `https://${id}.test` }));
  await store.publish('2026-06-08', { ...last, models, rankings }, { settings: { upstreams } });
}

const withCsv = DATA_ROUTES.filter(({ csv }) => csv !== undefined);

/** What each list needs, and pages as small as can be. */
function addressOf(
  { path, query }: DataRoute,
  { model, category }: { readonly model: string; readonly category: string },
) {
  const paged = 'limit' in query.shape ? 'limit=2&' : '';
  const category_ = `category=${encodeURIComponent(category)}`;
  const queries: Readonly<Record<string, string>> = {
    '/v1/rankings': category_,
    '/v1/rankings/history': category_.replace('category', 'category_id'),
    '/v1/models/:model_id/history': 'kind=score',
    '/v1/updates': 'days=30',
    '/v1/resolve': 'name=a',
  };
  return `${path.replace(':model_id', encodeURIComponent(model))}?${paged}${queries[path] ?? ''}`;
}

/** Routes whose list has several records on these days. */
const LISTS = [
  ...['/v1/models', '/v1/benchmarks', '/v1/scores', '/v1/pricing', '/v1/rankings', '/v1/updates', '/v1/categories'],
  ...['/v1/sources', '/v1/models/:model_id/history', '/v1/rankings/history', '/v1/snapshots'],
];

test('every route with a list has the format; the feed, one record and a cost have not', () => {
  expect(withCsv.map(({ path }) => path)).toEqual(expect.arrayContaining(LISTS));
  const without = DATA_ROUTES.filter(({ csv }) => csv === undefined);
  const isList = ({ query, path }: DataRoute) => 'limit' in query.shape && path !== '/v1/changes';
  expect(without.filter(isList)).toEqual([]);
  const others = ['/v1/models/:id', '/v1/cost', '/v1/snapshots/:snapshot_id/download', '/v1/changes'];
  expect(without.map(({ path }) => path)).toEqual(expect.arrayContaining(others));
});

describe('days in 1.0', () => {
  const api = useApi({ days: publishDays, now: `${TODAY}T12:00:00Z` });

  test.each(withCsv.map((route) => [route.path, route] as const))('%s is the same in both forms', async (_, route) => {
    const path = addressOf(route, { model: 'a', category: 'general' });
    const count = await compareList(api, path, route.csv ?? '');
    if (LISTS.includes(route.path)) expect(count).toBeGreaterThan(1);
  });

  test.each(['score', 'ranking', 'pricing', 'metadata'])('so is a history of kind %s', async (kind) => {
    expect(await compareList(api, `/v1/models/a/history?kind=${kind}`, 'points')).toBeGreaterThan(1);
  });

  test('a file is named after the list and the day of the release', async () => {
    const nameOf = async (path: string) => (await api.get(path)).headers['content-disposition'];
    expect(await nameOf('/v1/scores?format=csv')).toBe('attachment; filename="scores-2026-06-08.csv"');
    const ofHistory = await nameOf('/v1/models/a/history?kind=score&format=csv');
    expect(ofHistory).toBe('attachment; filename="models-history-2026-06-08.csv"');
  });

  test('an empty list has the same header', async () => {
    const [header] = (await api.get('/v1/models?format=csv')).body.split('\r\n');
    const { body, headers } = await api.get('/v1/models?organization=none&format=csv');
    expect([body, headers['x-total-count'], headers['link']]).toEqual([`${header}\r\n`, '0', undefined]);
  });

  test('format=json is the response without it, to the byte', async () => {
    const [plain, asJson] = [await api.get('/v1/scores?limit=2'), await api.get('/v1/scores?limit=2&format=json')];
    expect([asJson.body, asJson.headers.etag]).toEqual([plain.body, plain.headers.etag]);
    expect(plain.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(plain.headers).not.toHaveProperty('link');
  });

  test.each(['xml', 'CSV', '', 'json,csv'])(
    'the format %o is refused, in JSON, with the values that there are',
    async (format) => {
      const { statusCode, headers, ...response } = await api.get(`/v1/models?format=${format}&limit=0`);
      expect([statusCode, headers['content-type']]).toEqual([422, 'application/json; charset=utf-8']);
      expect(response.json().detail).toMatchObject([
        { loc: ['query', 'limit'] },
        { loc: ['query', 'format'], msg: "Input should be 'json' or 'csv'", type: 'enum', input: format },
      ]);
    },
  );

  test('errors of a list in CSV are JSON', async () => {
    const { statusCode, ...unknown } = await api.get('/v1/rankings?category=none&format=csv');
    expect([statusCode, unknown.json().error.code]).toEqual([404, 'not_found']);
  });

  test('Accept has no effect', async () => {
    const { headers } = await api.get('/v1/models', { accept: 'text/csv' });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a route without a list ignores the format', async () => {
    expect((await api.get('/v1/models/a?format=csv')).json()).toMatchObject({ id: 'a' });
  });

  test('HEAD, 304 and gzip are as in JSON', async () => {
    const path = '/v1/models/a/history?kind=pricing&format=csv';
    const whole = await api.get(path);
    const tag = String(whole.headers.etag);
    const head = await api.send(requestText(path, { Connection: 'close' }, { method: 'HEAD' }));
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    const again = await api.get(path, { 'if-none-match': tag });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', tag]);
    const ofJson = await api.get('/v1/models/a/history?kind=pricing', { 'if-none-match': tag });
    expect(ofJson.statusCode).toBe(200);
    const small = await api.get(path, { 'accept-encoding': 'gzip' });
    expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', etag: tag.replace(/"$/, '-gzip"') });
    expect(gunzipSync(small.rawPayload).toString()).toBe(whole.body);
    expect((await api.get(path)).headers['x-cache']).toBe('HIT');
  });

  test('a page from memory has the headers of the one that was made', async () => {
    const [made, again] = [
      await api.get('/v1/scores?limit=1&format=csv'),
      await api.get('/v1/scores?format=csv&limit=1'),
    ];
    expect([made.headers['x-cache'], again.headers['x-cache']]).toEqual(['MISS', 'HIT']);
    for (const name of ['link', 'x-total-count', 'content-disposition'])
      expect(again.headers[name]).toBe(made.headers[name]);
  });

  test('the address of the next page has what the service knows of the query, and nothing else', async () => {
    const { headers } = await api.get('/v1/models?secret=x&q=%C3%A9%26%3E%22a&limit=1&format=csv');
    expect(headers['link']).toBeUndefined();
    const { headers: more } = await api.get('/v1/models?secret=x&q=a&limit=1&format=csv&sort=-name');
    expect(more['link']).toMatch(/^<\?q=a&sort=-name&limit=1&format=csv&cursor=[\w-]+>; rel="next"$/);
  });
});

const listed = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY), accounts: { as: 'commercial' } });

test('a list costs a unit in either form, and nothing while it is current', async () => {
  const { builder } = listed.accounts.customers;
  const remaining = async (url: string, headers = {}) => {
    const { headers: answered } = await listed.ask(builder, url, { headers });
    return { left: Number(answered['x-quota-remaining']), tag: String(answered.etag) };
  };
  const { left } = await remaining('/v1/models');
  const asCsv = await remaining('/v1/models?format=csv');
  expect(asCsv.left).toBe(left - 1);
  expect(await remaining('/v1/models?format=csv', { 'if-none-match': asCsv.tag })).toEqual(asCsv);
  expect((await remaining('/v1/sources?format=csv')).left).toBe(left - 1);
});

test('extreme numbers come back as they were', async () => {
  expect(await compareList(listed, '/v1/scores?sort=value&limit=4', 'scores')).toBe(6);
  expect(await compareList(listed, '/v1/models?sort=-context_length&limit=1', 'models')).toBe(6);
});

/** Odd names, and a model that is gone. */
const odd = useApi({
  days: async (store) => {
    await store.publish('2026-06-01', { models: [...oddDay.models, { id: 'gone', name: 'gone' }] });
    await store.publish('2026-06-02', oddDay);
  },
});

test('odd names come back as they were', async () => {
  const { models } = await odd.json('/v1/models');
  expect((models as readonly { name: string }[]).map(({ name }) => name)).toEqual(ODD);
  expect(await compareList(odd, '/v1/models?limit=3', 'models')).toBe(ODD.length);
});

test('models that are gone are the same in both forms', async () => {
  expect(await compareList(odd, '/v1/models?include=removed&limit=3', 'models')).toBe(ODD.length + 1);
  expect(await compareList(odd, '/v1/models', 'models')).toBe(ODD.length);
});

describe('over a cutover', () => {
  test('a list has the fields of the version in force, also without records', { timeout: 60_000 }, async () => {
    const api = await openOwnApi({
      days: (store) => rated.publishRatedDays(store, [rated.FIRST, rated.LAST]),
      now: `${rated.MOVED}T12:00:00Z`,
    });
    const empty = '/v1/models?organization=none';
    const fieldsOf = async () => (await api.get(`${empty}&format=csv`)).body.trim().split(',');
    const before = await fieldsOf();
    const { etag } = (await api.get(`${empty}&format=csv`)).headers;
    expect(await compareList(api, '/v1/models?limit=4', 'models')).toBe(6);
    await rated.publishRatedDays(api.store, rated.DAYS.slice(2));
    await api.follower.refresh();
    const after = await fieldsOf();
    expect([before, after]).toEqual(
      ['1.1', '1.2'].map((version) => {
        const { columns } = getVersion(RECORD_VERSIONS, version).datasets.models;
        return [...columns.filter(({ published }) => published).map(({ name }) => name), REMOVED_AT];
      }),
    );
    expect((await api.get(`${empty}&format=csv`, { 'if-none-match': String(etag) })).statusCode).toBe(200);
    for (const list of ['models', 'scores', 'pricing'])
      expect(await compareList(api, `/v1/${list}?limit=4`, list)).toBe(6);
    for (const kind of ['score', 'pricing', 'metadata'])
      expect(await compareList(api, `/v1/models/same/history?kind=${kind}`, 'points')).toBe(5);
  });

  test('fields have the names of a major version', { timeout: 60_000 }, async () => {
    const { VERSIONS: versions, AFTER, publishVersionedDays, writeVersionedDays } = versioned;
    await writeVersionedDays(folder());
    const store = await openTemporaryStore({ versions });
    await publishVersionedDays(store, folder());
    const api = await openOwnApi({ store: store.url, versions, now: `${AFTER}T12:00:00Z` });
    const [header] = (await api.get('/v1/models?format=csv')).body.split('\r\n');
    expect(header).toBe('id,display_name,organization,release_date,context_length,updated_at,removed_at');
    await store.dispose();
  });
});
