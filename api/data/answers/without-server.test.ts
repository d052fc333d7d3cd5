/** The routes' answers where there is no server: as tools, pages, badges and feeds ask for them. */
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultsOf } from '../../../runtime/setting.ts';
import { RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { ALL_RIGHTS } from '../access/rights.ts';
import { modelsRoute } from '../routes/models.ts';
import { snapshotDownloadRoute } from '../routes/snapshots.ts';
import { RESPONSE_SETTINGS } from '../settings.ts';
import { Answers } from './answers.ts';
import { dataRoute } from './data-route.ts';
import { value } from './dependencies.ts';

/** For its view; nothing is asked over HTTP. */
const api = useApi({ days: SAMPLE_DAYS });
let answers: Answers;

beforeAll(() => {
  answers = new Answers({
    views: api.follower,
    versions: RECORD_VERSIONS,
    clock: api.clock.now,
    signUrl: async (key) => `/files/${key}`,
    settings: { ...defaultsOf(RESPONSE_SETTINGS), compressFromBytes: 1 },
  });
});

/** A route at a path, whose answer names the path. */
function routeAt(path: `/v1/${string}`) {
  return dataRoute({
    path,
    operationId: 'getPath',
    capability: 'current',
    feature: null,
    limitPerMinute: 1,
    summary: 'A path',
    params: z.object({}),
    response: z.object({ path: z.string() }),
    example: { path },
    dependsOnText: 'nothing',
    errors: [],
    cacheControl: 'public, max-age=60',
    prepare: () => null,
    answer: () => ({ dependsOn: () => value('the same'), cached: async () => JSON.stringify({ path }) }),
  });
}

test('routes that are asked for the same, and depend on the same, have tags of their own', async () => {
  const paths = ['/v1/one', '/v1/other'] as const;
  const told = await Promise.all(paths.map((path) => answers.answer(routeAt(path), {}, { rights: ALL_RIGHTS })));
  expect(told.map(({ body }) => JSON.parse(String(body)))).toEqual(paths.map((path) => ({ path })));
  expect(new Set(told.map(({ headers }) => headers['ETag'])).size).toBe(2);
});

test('addresses of this service begin where the caller says', async () => {
  const request = { params: { snapshot_id: '2026-06-03' }, query: { dataset: 'models' }, baseUrl: 'https://a.test/v' };
  const { headers, body } = await answers.answer(snapshotDownloadRoute, request, { rights: ALL_RIGHTS });
  expect(JSON.parse(String(body)).url).toMatch(/^https:\/\/a\.test\/v\/files\/releases\/2026-06-03/);
  expect(headers['X-Cache']).toBe('BYPASS');
});

test('a body is packed once for all who want it packed', async () => {
  const ask = (mayPack: boolean) =>
    answers.answer(modelsRoute, { query: { limit: '2' }, mayPack }, { rights: ALL_RIGHTS });
  const whole = await ask(false);
  const [first, second] = await Promise.all([ask(true), ask(true)]);
  expect(gunzipSync(first.body ?? '')).toEqual(whole.body);
  expect(second.body).toBe(first.body);
  const again = await ask(true);
  expect(again.body).toBe(first.body);
  expect(again.headers).toEqual({
    ...whole.headers,
    ETag: whole.headers['ETag']?.replace(/"$/, '-gzip"'),
    'X-Cache': 'HIT',
    'Content-Encoding': 'gzip',
  });
});
