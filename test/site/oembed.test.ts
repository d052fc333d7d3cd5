/** How programs find out about pages to embed (specification "oEmbed"). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/documents/text-files.ts';
import { elementsIn } from '../support/site/elements.ts';
import { openPublic, usePublic } from '../support/site/use-public.ts';
import { ARABIC, HOSTILE, LONG, publishEmbeddedDays } from '../worlds/embedded-days.ts';

const BASE = 'https://stats.example.com/stats';

const settings = { basePath: '/stats', publicUrl: 'https://stats.example.com' };
const api = usePublic({ days: publishEmbeddedDays, settings });

const urlOf = (folder: string, id: string, query = '') => `${BASE}/embed/${folder}/${encodeURIComponent(id)}${query}`;
const MODEL = urlOf('models', 'lab/atlas-2');

const ask = (parameters: Readonly<Record<string, string>>) =>
  api.get(`/stats/oembed?${new URLSearchParams(parameters)}`);

/** The body of a 200, and the attributes of its frame. */
async function found(parameters: Readonly<Record<string, string>>) {
  const { statusCode, body } = await ask(parameters);
  if (statusCode !== 200) throw new Error(`${statusCode} ${body}`);
  const response: Readonly<Record<string, string>> = JSON.parse(body);
  const frames = elementsIn(response['html'] ?? '').filter(({ name }) => !['html', 'head', 'body'].includes(name));
  expect(frames.map(({ name }) => name)).toEqual(['iframe']);
  return { response, frame: frames[0]?.attributes ?? {} };
}

test('an address of ours is told as oEmbed 1.0 has it', async () => {
  const { headers } = await ask({ url: MODEL });
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=3600',
  });
  const { response } = await found({ url: MODEL });
  expect(response).toEqual({
    version: '1.0',
    type: 'rich',
    title: 'Atlas 2',
    provider_name: 'modelstats',
    provider_url: `${BASE}/`,
    cache_age: 3600,
    html: `<iframe src="${MODEL}" title="Atlas 2" width="600" height="600" loading="lazy" style="border:0;max-width:100%"></iframe>`,
    width: 600,
    height: 600,
  });
});

test('what the guide asks for is answered', async () => {
  const guide = readFileSync(join(ROOT, 'api/guide/pages/without-a-key.md'), 'utf8');
  const [, url = ''] = /--data-urlencode 'url=([^']+)'/.exec(guide) ?? [];
  const asked = url.replace('https://api.example.com', BASE).replace('gpt-5.4-mini', encodeURIComponent('lab/atlas-2'));
  expect((await found({ url: asked, maxwidth: '480' })).response).toMatchObject({ title: 'Atlas 2', width: 480 });
});

test.each([
  ['models', 'lab/atlas-2', '?theme=dark&metric=price&provider=cirrus', 'Atlas 2'],
  ['models', HOSTILE, '', HOSTILE],
  ['models', 'long', '', LONG],
  ['models', 'arabic', '?theme=light', ARABIC],
  ['rankings', 'code/rust', '?theme=dark', 'Best models: code/rust'],
  ['rankings', HOSTILE, '', `Best models: ${HOSTILE}`],
])('the page of %s %s%s leads to its own answer, which frames that very page', async (folder, id, query, title) => {
  const page = await api.get(new URL(urlOf(folder, id, query)).pathname + query);
  const link = elementsIn(page.body).find(({ attributes: { type } }) => type === 'application/json+oembed');
  const { href = '' } = link?.attributes ?? {};
  expect(href.startsWith(`${BASE}/oembed?url=`)).toBe(true);
  const { pathname, search } = new URL(href);
  const response: Readonly<Record<string, string>> = (await api.get(pathname + search)).json();
  expect([response['title'], link?.attributes['title']]).toEqual([title, title]);
  const [, , , frame] = elementsIn(response['html'] ?? '');
  expect(frame).toMatchObject({ name: 'iframe', attributes: { src: urlOf(folder, id, query), title } });
});

test('parameters that the page does not know are not passed on, nor a fragment or a user', async () => {
  const url = `${MODEL.replace('//', '//user:word@')}?utm_source=x&theme=dark&top=3#history`;
  const { frame } = await found({ url });
  expect(frame['src']).toBe(`${MODEL}?theme=dark`);
});

test.each([
  ['models', {}, 600, 600],
  ['models', { maxwidth: '10000', maxheight: '10000' }, 600, 600],
  ['models', { maxwidth: '480' }, 480, 600],
  ['models', { maxwidth: '479' }, 479, 680],
  ['models', { maxwidth: '300', maxheight: '120' }, 300, 120],
  ['models', { maxheight: '300' }, 600, 300],
  ['rankings', {}, 600, 690],
  ['rankings', { maxwidth: '300' }, 300, 900],
] as const)(
  'a frame of %s is as large as its page needs, and no larger than the room %o',
  async (kind, room, width, height) => {
    const { response, frame } = await found({ url: kind === 'models' ? MODEL : urlOf('rankings', 'text'), ...room });
    expect([response['width'], response['height']]).toEqual([width, height]);
    expect([frame['width'], frame['height']]).toEqual([String(width), String(height)]);
  },
);

test.each([
  ['no address at all', {}, 'url', 'missing'],
  ['an empty one', { url: '' }, 'url', 'string_too_short'],
  ['what is no address', { url: 'atlas' }, 'url', 'url_parsing'],
  ['a path alone', { url: '/embed/models/atlas-mini' }, 'url', 'url_parsing'],
  ['an address without an end', { url: `https://a.example.com/${'x'.repeat(8000)}` }, 'url', 'string_too_long'],
  ['too little room across', { url: MODEL, maxwidth: '299' }, 'maxwidth', 'greater_than_equal'],
  ['too little room down', { url: MODEL, maxheight: '119' }, 'maxheight', 'greater_than_equal'],
  ['room that is no number', { url: MODEL, maxwidth: '600px' }, 'maxwidth', 'int_parsing'],
])('%s is 422', async (_, parameters, name, type) => {
  const response = await ask(parameters);
  expect(response.statusCode).toBe(422);
  expect(response.json()).toMatchObject({ detail: [{ loc: ['query', name], type }] });
});

test.each([
  ['another site', MODEL.replace('stats.example.com', 'other.example.com')],
  ['another scheme', MODEL.replace('https:', 'http:')],
  ['another port', MODEL.replace('.com', '.com:8443')],
  ['a site that begins alike', MODEL.replace('.com', '.com.example.net')],
  ['our site as a user of another', MODEL.replace('stats.example.com', 'stats.example.com@other.example.com')],
  ['a page beside the base path', MODEL.replace('/stats/', '/')],
  ['a path that begins alike', MODEL.replace('/stats/', '/stats-too/')],
  ['no page to embed', `${BASE}/docs`],
  ['pages without an id', `${BASE}/embed/models/`],
  ['another kind of page', `${BASE}/embed/benchmarks/x`],
  ['a path too deep', `${MODEL}/history`],
  ['an id that is not properly encoded', `${BASE}/embed/models/%E0%A4%A`],
  ['an id that is too long', urlOf('models', 'x'.repeat(201))],
  ['a theme that is none', `${MODEL}?theme=blue`],
  ['a theme given twice', `${MODEL}?theme=dark&theme=light`],
  ['parameters that do not go together', `${MODEL}?metric=price&category=text`],
  ['a script', 'javascript:alert(1)'],
  ['a model that is gone', urlOf('models', 'gone')],
  ['a model that never was', urlOf('models', 'never-was')],
  ['a category that never was', urlOf('rankings', 'never-was')],
])('%s is 404', async (_, url) => {
  const response = await ask({ url });
  expect(response.statusCode).toBe(404);
  expect(response.json()).toMatchObject({ error: { code: 'not_found', param: 'url' } });
});

test.each(['xml', 'JSON', 'yaml'])('format=%s is 501', async (format) => {
  const response = await ask({ url: MODEL, format });
  expect(response.statusCode).toBe(501);
  expect(response.json()).toMatchObject({ error: { code: 'format_not_supported', param: 'format' } });
  expect((await ask({ url: MODEL, format: 'json' })).statusCode).toBe(200);
});

test('without a public address ours is the one that the request names, and pages without charts are lower', async () => {
  const unnamed = await openPublic({ days: publishEmbeddedDays, planned: ['history'] });
  const askAt = (host: string, path: string) =>
    unnamed.get(`/oembed?url=${encodeURIComponent(`http://here.example.com/embed/${path}`)}`, { host });
  const model = await askAt('here.example.com', 'models/atlas-mini');
  expect([model.statusCode, model.json()]).toEqual([200, expect.objectContaining({ width: 600, height: 250 })]);
  expect((await askAt('there.example.com', 'models/atlas-mini')).statusCode).toBe(404);
  const ranking = await askAt('here.example.com', 'rankings/text');
  expect(ranking.json()).toMatchObject({ width: 600, height: 390 });
});
