import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as faults from '../../test/support/fetch/faults.ts';
import { FETCH_DAY, useFetch } from '../../test/support/fetch/use-fetch.ts';
import { perTest } from '../../test/support/per-test.ts';
import { assertComplete } from './fetch-source.ts';

const place = perTest(useFetch);

const TEXT = '{"models":[{"id":"a"},{"id":"b"}]}';
const SHA256 = expect.stringMatching(/^[0-9a-f]{64}$/);

describe('a file', () => {
  test('lies in the folder of its day, byte for byte, and its record says what it is', async () => {
    place.server.serve('/models.json', TEXT);
    await place.source([{}], { 'source.sql': 'SELECT 1', 'aliases.csv': 'a,b\n', 'README.md': 'For people' });
    const day = await place.fetch();
    expect(day).toMatchObject({ folder: join(place.into, FETCH_DAY), problems: [], warnings: [] });
    expect(await place.read('models.json')).toBe(TEXT);
    const own = ['aliases.csv', 'source.json', 'source.sql'];
    expect((await readdir(day.folder)).sort()).toEqual([...own, 'fetch.json', 'models.json'].sort());
    const at = `${FETCH_DAY}T00:05:00Z`;
    expect(await place.record()).toEqual({
      format: 1,
      day: FETCH_DAY,
      started_at: at,
      finished_at: at,
      upstreams: [expect.objectContaining({ id: 'shop', redistribution: false })],
      files: [
        {
          upstream: 'shop',
          url: `${place.server.url}/models.json`,
          file: 'models.json',
          status: 'fetched',
          bytes: TEXT.length,
          sha256: SHA256,
          fetched_at: at,
          checked_at: at,
          problem: null,
          unzipped: null,
          etag: expect.any(String),
          last_modified: null,
        },
      ],
      done: ['models.json'],
      carries: false,
      own: own.map((file) => ({ file, bytes: expect.any(Number), sha256: SHA256 })),
    });
  });

  test.each(['gzip', 'br'] as const)('that is sent in %s is unpacked', async (encoding) => {
    place.server.serve('/models.json', TEXT, { encoding });
    expect(await place.fetchFile()).toMatchObject({ status: 'fetched', bytes: TEXT.length });
    expect(await place.read('models.json')).toBe(TEXT);
  });

  test('whose name ends with .gz stays packed, whatever the server calls that', async () => {
    const packed = gzipSync(TEXT);
    place.server.serve('/models.json.gz', packed);
    place.server.break('/models.json.gz', faults.respondWith(packed, { 'content-encoding': 'gzip' }));
    const expected = { json_path: '$.models', min_rows: 2 };
    const entry = { url: '/models.json.gz', file: 'raw/models.json.gz', expect: expected };
    expect(await place.fetchFile(entry)).toMatchObject({ status: 'fetched', bytes: packed.length });
    expect(await place.fetchFile(entry, { day: '2026-06-02' })).toMatchObject({
      status: 'fetched',
      bytes: packed.length,
    });
  });

  test.each([
    [gzipSync(Buffer.alloc(17_000_000, ' ')), 'unpacks to more than 16777216 bytes (MODELSTATS_FETCH_BYTES_MAX)'],
    [gzipSync(TEXT).subarray(0, -9), 'is not a complete gzip file (3 attempts)'],
  ])('that is called .gz is no file where it is too large unpacked, or cut off', async (packed, problem) => {
    place.server.serve('/a.gz', packed);
    expect(await place.fetchFile({ url: '/a.gz', file: 'a.jsonl.gz' })).toMatchObject({ status: 'failed', problem });
  });

  test.each([
    ['an error of the server', faults.status(500)],
    ['a server that is too busy', faults.status(503)],
    ['a connection that is closed', faults.hungUp],
    ['a body that is cut off', faults.cutOff],
    ['a body without a length that is cut off', faults.cutOffChunks],
    ['a body that is shorter than its length', faults.wrongLength(5)],
    ['a body that is longer than its length', faults.wrongLength(-5)],
    ['a page for people with status 200', faults.htmlPage()],
    ['a page for people that is called JSON', faults.htmlPage('application/json')],
    ['an answer that is empty', faults.respondWith('')],
    ['an answer that is no JSON', faults.respondWith('{"models": [')],
    ['an answer that is packed and cut off', faults.respondWith('\u001f\u008b', { 'content-encoding': 'gzip' })],
  ])('is asked for again after %s', async (_, fault) => {
    place.server.serve('/models.json', TEXT);
    place.server.break('/models.json', fault, fault);
    expect(await place.fetchFile()).toMatchObject({ status: 'fetched', problems: [] });
    expect(await place.read('models.json')).toBe(TEXT);
    expect(place.waits).toEqual([1000, 2000]);
  });

  test.each([
    ['nothing at all', faults.silent],
    ['half of it and then nothing', faults.stuck],
  ])('is given up where the server sends %s within the time', async (_, fault) => {
    place.server.serve('/models.json', TEXT);
    place.server.breakForGood('/models.json', fault);
    const { problem } = await place.fetchFile({}, { limits: { timeoutMs: 100, attemptsMax: 2 } });
    expect(problem).toMatch(/^127\.0\.0\.1:\d+ did not respond completely within 0\.1 s \(2 attempts\)$/);
  });

  test.each([
    [faults.status(500), /responded with 500 \(3 attempts\)$/],
    [faults.status(404), /responded with 404$/],
    [faults.status(401), /responded with 401$/],
    [faults.status(204), /responded with 204$/],
    [faults.status(304), /responded with 304$/],
    [faults.htmlPage(), /responded with an HTML page instead of the file \(3 attempts\)$/],
    [faults.htmlPage('text/plain'), /^is an HTML page \(3 attempts\)$/],
    [faults.respondWith('[1, 2'), /^is not JSON: it ends too early \(3 attempts\)$/],
    [faults.respondWith('{}'), /^\$\.models is missing \(3 attempts\)$/],
    [faults.respondWith('{"models": 3}'), /^\$\.models is neither an array nor an object \(3 attempts\)$/],
    [faults.respondWith('{"models": []}'), /^has 0 entries in \$\.models, expected at least 2 \(3 attempts\)$/],
    [faults.respondWith('{"models": {"a": 1}}'), /^has 1 entries in \$\.models/],
    [faults.respondWith('{ "error": "invalid" }'), /^\$\.models is missing/],
    [faults.respondWith('x'.repeat(2000)), /is larger than 1000 bytes \(MODELSTATS_FETCH_BYTES_MAX\)$/],
    [faults.respondWith('x', { 'content-encoding': 'zstd' }), /responded in the unsupported encoding zstd$/],
    [faults.respondWith(Buffer.from([0x22, 0xff, 0x22])), /^is not UTF-8/],
  ])('that can not be had is not there, and why is said', async (fault, problem) => {
    place.server.breakForGood('/models.json', fault);
    const entry = { expect: { json_path: '$.models', min_rows: 2 } };
    const found = await place.fetchFile(entry, { limits: { bytesMax: 1000 } });
    expect(found).toMatchObject({ status: 'failed', sha256: null, fetched_at: null });
    expect(found.problem).toMatch(problem);
    expect(found.problems).toEqual([
      `models.json of shop could not be fetched from ${place.server.url}/models.json: ${found.problem}`,
    ]);
    expect(await place.read('models.json')).toBeUndefined();
    expect(() => assertComplete(found)).toThrow(found.problem ?? '');
  });

  test('is waited for as long as the server asks, and given up where that is too long', async () => {
    place.server.serve('/models.json', TEXT);
    const later = new Date(Date.parse(`${FETCH_DAY}T00:05:30Z`)).toUTCString();
    const asked = [faults.status(429, { 'retry-after': '20' }), faults.status(503, { 'retry-after': later })];
    place.server.break('/models.json', ...asked);
    expect(await place.fetchFile()).toMatchObject({ status: 'fetched' });
    expect(place.waits).toEqual([20_000, 30_000]);
    place.server.break('/models.json', faults.status(429, { 'retry-after': '121' }));
    const { problem } = await place.fetchFile({}, { day: '2026-06-02' });
    expect(problem).toMatch(/responded with 429, retry after 121 s$/);
    expect(place.waits).toHaveLength(2);
  });
});

describe('what counts as a row goes by the name of the file:', () => {
  test.each([
    ['a.csv', 'id,name\n1,"two\nlines"\n\n2,x\n', 2],
    ['a.jsonl', '{"a": 1}\n\n{"a": 2}\n{"a": 3}', 3],
    ['a.json', '[1, 2, 3, 4]', 4],
    ['a.txt', 'one\ntwo\n', 2],
  ])('%s', async (file, text, rows) => {
    place.server.serve('/models.json', text);
    expect(await place.fetchFile({ file, expect: { min_rows: rows } })).toMatchObject({ status: 'fetched' });
    const { problem } = await place.fetchFile({ file, expect: { min_rows: rows + 1 } }, { day: '2026-06-02' });
    const why = `^has ${rows} (rows|entries in the document), expected at least ${rows + 1} `;
    expect(problem).toMatch(new RegExp(why));
  });

  test('a.parquet', async () => {
    place.server.serve('/models.json', 'PAR1');
    const entry = { file: 'a.parquet', expect: { min_rows: 7 } };
    expect(await place.fetchFile(entry)).toMatchObject({ problem: 'is not a complete Parquet file (3 attempts)' });
    const countParquetRows = async () => 7;
    expect(await place.fetchFile(entry, { countParquetRows })).toMatchObject({ status: 'fetched' });
  });
});

describe('an answer that redirects', () => {
  test('is followed within its origin, with all headers', async () => {
    place.server.serve('/new.json', TEXT);
    place.server.break('/models.json', faults.redirectTo('/new.json', 308));
    const entry = { headers: { 'x-api-key': `\${SHOP_KEY}` } };
    expect(await place.fetchFile(entry, { variables: { SHOP_KEY: 'hunter2' } })).toMatchObject({ status: 'fetched' });
    expect(place.server.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['hunter2', 'hunter2']);
  });

  test('elsewhere is followed where that is allowed, without headers that hold a secret', async () => {
    const other = (await useFetch()).server;
    other.serve('/models.json', TEXT);
    place.server.break('/models.json', faults.redirectTo(`${other.url}/models.json`));
    const entry = { headers: { 'X-Api-Key': `Bearer \${SHOP_KEY}`, accept: 'application/json' } };
    const choices = { variables: { SHOP_KEY: 'hunter2' }, isLoopbackAllowed: true };
    expect(await place.fetchFile(entry, choices)).toMatchObject({ status: 'fetched' });
    expect(place.server.seen[0]?.headers).toMatchObject({ 'x-api-key': 'Bearer hunter2', accept: 'application/json' });
    expect(other.seen[0]?.headers).not.toHaveProperty('x-api-key');
    expect(other.seen[0]?.headers).toMatchObject({ accept: 'application/json', 'user-agent': 'test/1' });
  });

  test('to an address that is not public is followed nowhere, though the one that was named is none either', async () => {
    const other = (await useFetch()).server;
    place.server.breakForGood('/models.json', faults.redirectTo(`${other.url}/models.json`));
    const { problem } = await place.fetchFile();
    expect(problem).toMatch(
      /redirects to a refused address: 127\.0\.0\.1 is not a public address \(MODELSTATS_OUTBOUND_ALLOW\)$/,
    );
    expect(other.seen).toEqual([]);
  });

  test.each([
    [faults.redirectTo('/models.json'), /redirects more than 5 times$/],
    [faults.redirectTo('ftp://shop.test/'), /must begin with https:\/\/ or http:\/\/ /],
    [faults.redirectTo('http://a:b@shop.test/'), /must not contain a user or password/],
    [faults.redirectTo('http://[/'), /redirects \(302\) without a valid address$/],
  ])('to %s is none', async (fault, problem) => {
    place.server.breakForGood('/models.json', fault);
    expect((await place.fetchFile()).problem).toMatch(problem);
  });
});

describe('a variable', () => {
  test('goes into headers and queries, and nowhere else', async () => {
    place.server.serve('/models.json', TEXT);
    const entry = { url: `/models.json?key=\${SHOP_KEY}`, headers: { authorization: `Bearer \${SHOP_TOKEN}` } };
    const variables = { SHOP_KEY: 'hun&ter', SHOP_TOKEN: 's3cret' };
    const file = await place.fetchFile(entry, { variables });
    expect(place.server.seen[0]).toMatchObject({
      path: '/models.json?key=hun%26ter',
      headers: { authorization: 'Bearer s3cret' },
    });
    place.server.breakForGood('/models.json', faults.status(500));
    const failed = await place.fetchFile(entry, { variables, day: '2026-06-02' });
    expect(failed.problem).toMatch(/responded with 500/);
    const said = JSON.stringify([file, failed, await place.read('fetch.json'), await place.read('source.json')]);
    expect(said).toContain(`models.json?key=\${SHOP_KEY}`);
    expect(said).not.toMatch(/hun|s3cret/);
  });

  test('that is not set is an error of the configuration, before anything is asked for', async () => {
    await place.source([
      { url: `/a?k=\${SHOP_KEY}`, headers: { a: `\${SHOP_TOKEN}` } },
      { url: '/b', file: 'b.json' },
      { url: `/c?k=\${OTHER}`, file: 'c.json' },
    ]);
    const fetched = place.fetch({ variables: { SHOP_TOKEN: 'two\nlines', OTHER: '' } });
    await expect(fetched).rejects.toMatchObject({
      code: 'configuration',
      message: [
        'models.json of shop needs the variable SHOP_KEY, which is not set',
        'models.json of shop needs the variable SHOP_TOKEN, which is not valid in a header',
        'c.json of shop needs the variable OTHER, which is not set',
      ].join('\n'),
    });
    expect(place.server.seen).toEqual([]);
  });

  test('that an optional file needs and that is not set leaves that file out', async () => {
    place.server.serve('/models.json', TEXT);
    await place.source([{}, { url: `/c?k=\${OTHER}`, file: 'c.json', optional: true }]);
    const day = await place.fetch();
    expect(day.problems).toEqual([]);
    const from = `c.json of shop could not be fetched from ${place.server.url}/c?k=\${OTHER}`;
    const why = 'needs the variable OTHER, which is not set; what needs it is not captured';
    expect(day.warnings).toEqual([`${from}: ${why}`]);
    expect(place.server.takeSeen()).toEqual(['/models.json']);
  });
});
