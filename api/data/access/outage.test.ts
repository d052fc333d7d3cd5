import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { times } from '../../../test/support/accounts/subject.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: { open: { database: { sqlite: { busyTimeoutMs: 20 } } } } });

describe('A control database that can not be written', () => {
  test('data is 503 unavailable in the envelope and never free; what needs no unit goes on; it recovers by itself', async () => {
    const customer = await api.accounts.add({ plan: 'builder', contract: { daily_quota: 3 } });
    const first = await api.ask(customer, '/v1/models');
    const writer = new Database(api.accounts.url.replace('sqlite:', ''));
    writer.exec('begin immediate'); // As another process that does not end its write.
    const during = await times(10, () => api.ask(customer, '/v1/models'));
    const condition = { 'if-none-match': String(first.headers.etag) };
    const unchanged = await api.ask(customer, '/v1/models', { headers: condition });
    const paths = ['/v1/account', '/v1/nothing', '/v1/models?limit=x'];
    const others = await Promise.all(paths.map((path) => api.ask(customer, path)));
    const { problems } = await api.json('/health/ready');
    expect(problems).toEqual([
      {
        part: 'accounts',
        code: 'unavailable',
        message: 'keys and limits cannot be checked: the control database is not working',
        since: api.clock.now().toISOString(),
      },
    ]);
    writer.exec('rollback');
    writer.close();
    for (const response of during) {
      expect([response.statusCode, response.headers['cache-control']]).toEqual([503, 'no-store']);
      const { code, message } = response.json().error;
      expect([code, message]).toEqual(['unavailable', expect.not.stringMatching(/sqlite|lock|busy/i)]);
    }
    expect([unchanged, ...others].map(({ statusCode }) => statusCode)).toEqual([304, 200, 404, 422]);
    expect([unchanged, ...others].map(({ headers }) => headers['x-quota-used'])).toEqual(['1', '1', '1', '1']);
    const after = await api.ask(customer, '/v1/models');
    expect([after.statusCode, after.headers['x-quota-used']]).toEqual([200, '2']);
    expect(await api.json('/health/ready')).toMatchObject({ status: 'ready', problem: null, problems: [] });
  });
});
