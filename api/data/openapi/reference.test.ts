import { describe, expect, test } from 'vitest';
import { referenceRequests } from '../../../test/support/api/reference-requests.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { publishFixtureDays, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { DATA_ROUTES } from '../routes/data-routes.ts';

const NOW = '2026-06-03T12:00:00Z';
const DOCUMENT = '/docs/reference/openapi.json';

/** The value that the reference fills in for the first parameter of a path. */
function filledIn(document: Record<string, unknown>, path: string): unknown {
  const [parameter] = Object(document['paths'])[path].get.parameters;
  return parameter.examples.default.value;
}

describe.each(['', '/stats'])('below «%s»', (basePath) => {
  const api = useApi({ days: SAMPLE_DAYS.slice(0, 2), now: NOW, settings: { basePath } });
  const open = (path: string) => api.app.inject({ method: 'GET', url: basePath + path });

  test.each(['/docs/reference', '/docs/reference/'])('%s needs nothing but files from here', async (path) => {
    const { statusCode, headers, body } = await open(path);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => String(link));
    expect(links).toEqual([
      `${basePath}/favicon.ico`,
      `${basePath}/openapi.json`,
      ...['scalar.js', 'start.js'].map((name) => `${basePath}/docs/reference/static/${name}`),
    ]);
    expect((await api.app.inject(links[0] ?? '')).headers['content-type']).toBe('image/svg+xml');
    for (const link of links.slice(1)) {
      const file = await api.app.inject(link);
      expect([file.statusCode, file.headers['cache-control']], link).toEqual([200, 'no-cache']);
    }
    expect((await open('/docs/reference/static/start.js')).body).toContain(`"url":"${basePath}${DOCUMENT}"`);
  });

  test('the page may load from here and nowhere else, and sends a key nowhere else', async () => {
    const policy = String((await open('/docs/reference')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; ");
    expect(policy).toContain("; connect-src 'self'; ");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
    const start = (await open('/docs/reference/static/start.js')).body;
    expect(start).toContain('"persistAuth":false');
    expect(start).not.toMatch(/https?:/);
  });

  test('every request works as it stands, and every id that is filled in is answered', async () => {
    const document = (await open(DOCUMENT)).json();
    const requests = referenceRequests(document);
    expect(requests.map(({ route }) => route)).toEqual(DATA_ROUTES.map(({ access }) => access.name));
    for (const { url } of requests) expect((await open(url)).statusCode, url).toBe(200);
    const { rankings } = (await open(`/v1/rankings?category=${filledIn(document, '/v1/rankings')}`)).json();
    expect(rankings[0].model_id).toBe(filledIn(document, '/v1/models/{id}'));
  });
});

test('the ids are those of the newest release; before the first one, those of the document', async () => {
  const api = await openOwnApi({ days: [], now: NOW });
  const snapshot = async () => {
    const { body } = await api.get(DOCUMENT);
    return filledIn(JSON.parse(body), '/v1/snapshots/{snapshot_id}/download');
  };
  const { paths } = (await api.get('/openapi.json')).json();
  const { example } = paths['/v1/snapshots/{snapshot_id}/download'].get.parameters[0];
  expect(await snapshot()).toBe(example);
  for (const day of SAMPLE_DAYS.slice(0, 2)) {
    await publishFixtureDays(api.store, [day]);
    await api.follower.refresh();
    expect(await snapshot()).toBe(day);
  }
  const { etag } = (await api.get(DOCUMENT)).headers;
  expect((await api.get(DOCUMENT, { 'if-none-match': String(etag) })).statusCode).toBe(304);
});
