/** Whom the data come from. */
import { expect, test } from 'vitest';
import type { TestApi } from '../../../test/support/api/open-api.ts';
import type { AppOptions } from '../../../test/support/api/start-app.ts';
import { openOwnApi } from '../../../test/support/api/use-api.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';

const ROWS = SMALL_DAYS['2026-06-01'] ?? {};
const MALL = { id: 'mall', name: 'The mall', url: 'https://mall.test' };
const SHOP = {
  id: 'shop',
  name: 'The shop',
  url: 'https://shop.test',
  license: 'CC0-1.0',
  redistribution: true,
  terms_url: 'https://shop.test/terms',
  attribution: 'Data from The shop',
  checked: '2026-05-01',
};

const NOW = '2026-06-10T12:00:00Z';
const open = (options: AppOptions = {}) =>
  openOwnApi({ now: NOW, days: (store) => store.publish('2026-06-01', ROWS), ...options });

async function publish(api: TestApi, day: string, upstreams: readonly object[], rows: object = ROWS) {
  await api.store.publish(day, rows, { settings: { upstreams } });
  await api.follower.refresh();
}

test('GET /v1/sources lists the upstreams of the newest release by id, with what is known of them', async () => {
  const api = await open();
  expect(await api.json('/v1/sources')).toEqual({ sources: [] });
  await publish(api, '2026-06-02', [SHOP, MALL]);
  const notFetched = { fetched_at: null, checked_at: null, failed_since: null, files: 0 };
  const { checked: terms_checked, ...shop } = SHOP;
  const unnamed = { license: null, terms_url: null, attribution: null, redistribution: false, terms_checked: null };
  expect(await api.json('/v1/sources')).toEqual({
    sources: [
      { ...MALL, ...unnamed, ...notFetched },
      { ...shop, terms_checked, ...notFetched },
    ],
  });
});

test('its tag changes with what it says alone, and a view that was built anew says the same', async () => {
  const api = await open();
  const ask = async () => {
    const { headers, body } = await api.get('/v1/sources');
    return { etag: headers['etag'], modified: headers['last-modified'], body };
  };
  await publish(api, '2026-06-02', [SHOP, MALL]);
  const shown = await ask();
  expect(shown.modified).toBe('Wed, 03 Jun 2026 00:20:00 GMT');
  await publish(api, '2026-06-03', [SHOP, MALL], { ...ROWS, models: [] });
  expect(await ask()).toEqual(shown);
  await publish(api, '2026-06-04', [{ ...SHOP, license: 'CC-BY-4.0' }, MALL]);
  const changed = await ask();
  expect([changed.etag === shown.etag, changed.modified]).toEqual([false, 'Fri, 05 Jun 2026 00:20:00 GMT']);
  const anew = await openOwnApi({ store: api.store.url, now: NOW });
  const { headers, body } = await anew.get('/v1/sources', { 'if-none-match': 'W/"other"' });
  expect([headers['etag'], body]).toEqual([changed.etag, changed.body]);
  expect((await anew.get('/v1/sources', { 'if-none-match': String(changed.etag) })).statusCode).toBe(304);
});

test('it needs a key, costs no unit, works when the quota is used up, and counts for the burst limit', async () => {
  const api = await open({ accounts: {} });
  expect((await api.get('/v1/sources')).statusCode).toBe(401);
  const customer = await api.accounts.add({ contract: { daily_quota: 1, burst_per_minute: 4 } });
  const paths = ['/v1/models', '/v1/scores', '/v1/sources'];
  const statuses: number[] = [];
  for (const path of paths) statuses.push((await api.ask(customer, path)).statusCode);
  const [again, refused] = [await api.ask(customer, '/v1/sources'), await api.ask(customer, '/v1/sources')];
  expect([...statuses, again.statusCode, refused.statusCode]).toEqual([200, 429, 200, 200, 429]);
  expect(again.headers).toMatchObject({ 'x-quota-used': '1', 'x-ratelimit-remaining': '0', 'x-cache': 'HIT' });
  expect(refused.json().error).toMatchObject({ code: 'rate_limit_exceeded', limit_scope: 'organization' });
  // A key that came with such a request holds no unit that another could share.
  const other = await api.accounts.add({ contract: { daily_quota: 1 } });
  const headers = { 'idempotency-key': 'once' };
  await api.ask(other, '/v1/sources', { headers });
  expect((await api.ask(other, '/v1/models', { headers })).headers['x-quota-used']).toBe('1');
});
