import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { loadSettings } from './source-settings.ts';

const folder = useFolder({ perTest: true });

async function load(settings: unknown) {
  const path = folder('source.json');
  await writeFile(path, JSON.stringify(settings));
  return loadSettings(path);
}

const UPSTREAM = { id: 'shop', name: 'The shop', url: 'https://shop.test' };
const ENTRY = { upstream: 'shop', url: 'https://shop.test/prices.json', file: 'prices.json' };

const PAGES = { next: '$.n', rows: '$.d' };

/** What is said of an entry of `fetch`, alone beside one upstream. */
async function problemsOf(...entries: readonly object[]): Promise<string> {
  const refusal: unknown = await load({ upstreams: [UPSTREAM], fetch: entries }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: 'source_rejected',
    message: expect.stringContaining(`${folder()}/source.json: `),
  });
  return refusal instanceof Error ? refusal.message.slice(`${folder()}/source.json: `.length) : '';
}

describe('what is usual', () => {
  test('is asked of no night or of enough nights', async () => {
    for (const usual_nights of [0, 10, 100]) expect(await load({ usual_nights })).toMatchObject({ usual_nights });
    for (const usual_nights of [-1, 1, 9, 101, 10.5]) {
      await expect(load({ usual_nights })).rejects.toThrow(/usual_nights: /);
    }
    await expect(load({ usual_nights: 9 })).rejects.toThrow('usual_nights: must be 0, or at least 10');
  });

  test('of prices lies between two, the lowest first', async () => {
    await expect(load({ price_range: [10_000, 0.0001] })).rejects.toThrow('price_range: the lowest comes first');
  });
});

describe('what a source fetches', () => {
  test('has a default wherever nothing is said', async () => {
    const { upstreams, fetch } = await load({ upstreams: [UPSTREAM], fetch: [ENTRY] });
    const unknown = { license: null, terms_url: null, attribution: null, redistribution: false, checked: null };
    expect(upstreams).toEqual([{ ...UPSTREAM, ...unknown }]);
    expect(fetch).toEqual([{ ...ENTRY, headers: {}, optional: false, carry: false, expect: {} }]);
  });

  test('may be told in full', async () => {
    const terms = { license: 'MIT', terms_url: 'https://shop.test/terms', attribution: 'Data: shop (MIT)' };
    const upstream = { ...UPSTREAM, ...terms, redistribution: true, checked: '2026-11-22' };
    const entry = {
      ...ENTRY,
      url: `https://shop.test/prices?key=\${SHOP_KEY}&all=1`,
      headers: { 'x-api-key': `Bearer \${SHOP_TOKEN}` },
      optional: true,
      pages: { next: '$.links.next', rows: "$['data']", max: 5 },
      expect: { min_bytes: 10, min_rows: 2, json_path: '$.data' },
    };
    const zip = { ...ENTRY, file: 'raw/all.zip', unzip: 'all/2026/' };
    const settings = { upstreams: [upstream], fetch: [entry, zip] };
    expect(await load(settings)).toMatchObject(settings);
  });

  test.each<[object, string | RegExp]>([
    [{ url: undefined }, /^fetch\[0\]\.url: .*expected string/],
    [{ url: 'ftp://shop.test/x' }, 'fetch[0].url: must be an address that begins with https:// or http://'],
    [{ url: 'shop.test/x' }, 'fetch[0].url: must be an address that begins with https:// or http://'],
    [{ url: 'https://a:b@shop.test/x' }, 'fetch[0].url: must not contain a user or password'],
    [{ url: 'https://shop.test/x#y' }, 'fetch[0].url: must not have a fragment (#)'],
    [{ url: `https://shop.test/${'x'.repeat(2048)}` }, 'fetch[0].url: is longer than 2048 characters'],
    [
      { url: `https://\${HOST}/x` },
      'fetch[0].url: variables are allowed in the query and in headers, not before the ?',
    ],
    [{ url: `https://shop.test/x?k=\${key}` }, `fetch[0].url: \${key} is not a variable: write it like \${API_KEY}`],
    [{ url: `https://shop.test/x?k=\${KEY` }, `fetch[0].url: has a \${ without its }`],
    [
      { url: `https://shop.test/x?k=\${MODELSTATS_DATABASE}` },
      `fetch[0].url: \${MODELSTATS_DATABASE} belongs to the service; a source can't use it`,
    ],
    [
      { headers: { 'x-key': `\${AWS_SECRET_ACCESS_KEY}` } },
      `fetch[0].headers.x-key: \${AWS_SECRET_ACCESS_KEY} belongs to the service; a source can't use it`,
    ],
    [{ headers: { 'x-key': 'a\r\nb: c' } }, 'fetch[0].headers.x-key: must be printable ASCII in one line'],
    [{ headers: { 'x key': 'a' } }, 'fetch[0].headers.x key: "x key" is not a header name'],
    [{ headers: { Host: 'a' } }, "fetch[0].headers.Host: a source can't set the header Host"],
    [
      { headers: { 'If-None-Match': 'a' } },
      "fetch[0].headers.If-None-Match: a source can't set the header If-None-Match",
    ],
    ...['../prices.json', '/prices.json', 'a//b.json', '.hidden', 'a\\b.json'].map((file): [object, RegExp] => [
      { file },
      /^fetch\[0\]\.file: must be a path below the day/,
    ]),
    [{ file: '' }, 'fetch[0].file: must have 1 to 200 characters'],
    [{ file: 'Fetch.json' }, 'fetch[0].file: Fetch.json is reserved for the night'],
    [{ unzip: 'folder' }, 'fetch[0].unzip: must be a folder, with a / at its end'],
    [{ unzip: '../folder/' }, /^fetch\[0\]\.unzip: must be a path below the day/],
    [{ unzip: 'prices.json/' }, 'fetch[0].file: prices.json conflicts with prices.json of fetch[0]'],
    [{ upstream: 'other' }, 'fetch[0].upstream: other is not an id in upstreams'],
    [{ pages: { ...PAGES, next: 'links' } }, 'fetch[0].pages.next: must be a path such as $.data or $.links.next'],
    [{ pages: PAGES, file: 'a.csv' }, 'fetch[0].file: pages are joined into a file whose name must end in .json'],
    [{ pages: PAGES, unzip: 'a/' }, "fetch[0].unzip: a response in pages can't be a zip file"],
    [{ expect: { min_rows: 0 } }, /^fetch\[0\]\.expect\.min_rows: /],
    [{ expect: { rows: 5 } }, 'fetch[0].expect: Unrecognized key: "rows"'],
    [{ carry: true }, 'fetch[0].carry: only an optional file can be carried'],
    [{ columns: { id: 'VARCHAR' } }, 'fetch[0].columns: columns are allowed only with carry'],
    [
      { optional: true, carry: true, columns: { id: 'VARCHAR) --' } },
      'fetch[0].columns.id: must be a DuckDB type such as VARCHAR, BIGINT, DOUBLE or VARCHAR[]',
    ],
    [{ optinal: true }, 'fetch[0]: Unrecognized key: "optinal"'],
  ])('is refused where it can not be right, and where is said: %j', async (change, problem) => {
    const said = await problemsOf({ ...ENTRY, ...change });
    if (typeof problem === 'string') expect(said).toBe(problem);
    else expect(said).toMatch(problem);
  });

  test('is refused where two files are in each other’s way', async () => {
    expect(await problemsOf(ENTRY, { ...ENTRY, file: 'Prices.json' })).toBe(
      'fetch[1].file: Prices.json conflicts with prices.json of fetch[0]',
    );
    expect(await problemsOf({ ...ENTRY, file: 'a.zip', unzip: 'a/' }, { ...ENTRY, file: 'a/b.json' })).toBe(
      'fetch[1].file: a/b.json conflicts with a of fetch[0]',
    );
  });

  test('names every upstream once, and everything wrong at once', async () => {
    const upstreams = [UPSTREAM, UPSTREAM, { ...UPSTREAM, id: 'Shop', url: 'shop' }];
    const refusal = load({ upstreams, max_shrink: 7 });
    await expect(refusal).rejects.toThrow(/max_shrink: .*; .*upstreams\[2\]\.id: must be like models-dev/);
    await expect(refusal).rejects.toThrow('upstreams[2].url: must be an address');
    await expect(load({ upstreams: upstreams.slice(0, 2) })).rejects.toThrow('upstreams[1].id: shop appears twice');
  });

  test('refuses a user and a password in the addresses of an upstream, which everybody is shown', async () => {
    for (const [key, address] of [
      ['url', 'https://me:secret@upstream.test/'],
      ['url', 'https://token@upstream.test/'],
      ['terms_url', 'https://:secret@upstream.test/terms'],
    ] as const) {
      const refusal = load({ upstreams: [{ ...UPSTREAM, [key]: address }] });
      await expect(refusal).rejects.toThrow(`upstreams[0].${key}: must not contain a user or password`);
      await expect(refusal).rejects.not.toThrow('secret');
    }
  });
});
