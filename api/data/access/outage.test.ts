import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { times } from '../../../test/support/accounts/subject.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: { open: { database: { sqlite: { busyTimeoutMs: 20 } } } } });

/** Another process's write that doesn't end until it is told. */
function lockDatabase(): { release(): void } {
  const database = new Database(api.accounts.url.replace('sqlite:', ''));
  database.exec('begin immediate');
  return {
    release: () => {
      database.exec('rollback');
      database.close();
    },
  };
}

describe('A control database that can not be written', () => {
  test('data is 503 unavailable in the envelope and never free; what needs no unit goes on; it recovers by itself', async () => {
    const customer = await api.accounts.add({ plan: 'builder', contract: { daily_quota: 3 } });
    const first = await api.ask(customer, '/v1/models');
    const lock = lockDatabase();
    const during = await times(10, () => api.ask(customer, '/v1/models'));
    const condition = { 'if-none-match': String(first.headers.etag) };
    const unchanged = await api.ask(customer, '/v1/models', { headers: condition });
    const others = await times(3, (index) =>
      api.ask(customer, ['/v1/account', '/v1/nothing', '/v1/models?limit=x'][index] ?? ''),
    );
    const { problems } = await api.json('/health/ready');
    expect(problems).toEqual([
      {
        part: 'accounts',
        code: 'unavailable',
        message: 'keys and limits can not be checked: the control database does not do its work',
        since: api.clock.now().toISOString(),
      },
    ]);
    lock.release();
    for (const response of during) {
      expect([response.statusCode, response.headers['cache-control']]).toEqual([503, 'no-store']);
      expect(response.json().error).toMatchObject({
        code: 'unavailable',
        request_id: response.headers['x-request-id'],
      });
      expect(response.json().error.message).not.toMatch(/sqlite|lock|busy/i);
    }
    expect([unchanged, ...others].map(({ statusCode }) => statusCode)).toEqual([304, 200, 404, 422]);
    expect([unchanged, ...others].map(({ headers }) => headers['x-quota-used'])).toEqual(['1', '1', '1', '1']);
    const after = await api.ask(customer, '/v1/models');
    expect([after.statusCode, after.headers['x-quota-used']]).toEqual([200, '2']);
    expect(await api.json('/health/ready')).toMatchObject({ status: 'ready', problem: null, problems: [] });
  });
});
