import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { times } from '../support/accounts/subject.ts';
import { fetchOnce } from '../support/api/listen.ts';
import { PostgresServer } from '../support/processes/postgres-server.ts';
import { RedisServer } from '../support/processes/redis-server.ts';
import { serveSample } from '../support/processes/serve-sample.ts';
import { describeWith } from '../support/processes/server-process.ts';

/** Longer than a key is believed without asking the database. */
const FORGOTTEN_MS = 20_000;

async function prepare(contract: object, env: Readonly<Record<string, string>> = {}) {
  const postgres = await PostgresServer.start();
  onTestFinished(() => postgres.stop());
  const settings = { MODELSTATS_DATABASE_TIMEOUT_MS: '500', MODELSTATS_DATABASE_CONNECT_TIMEOUT_MS: '500', ...env };
  return { postgres, ...(await serveSample({ database: await postgres.createDatabase(), contract, env: settings })) };
}

describeWith('postgres', 'with a PostgreSQL server', () => {
  describe('PostgreSQL goes away under a running server', () => {
    test('data is 503 unavailable, nothing is free, the process lives, and all is well when it is back', async () => {
      const { postgres, serving, key } = await prepare({ daily_quota: 100 });
      const { url } = serving;
      expect((await fetchOnce(`${url}/v1/models`, key)).headers['x-quota-used']).toBe('1');
      await postgres.halt();
      const during = await times(20, (index) => fetchOnce(`${url}/v1/${index % 2 ? 'models' : 'account'}`, key));
      for (const { status, headers, body } of during) {
        expect(status).toBe(503);
        const { error } = JSON.parse(body);
        expect(error).toMatchObject({ code: 'unavailable', param: null, request_id: headers['x-request-id'] });
        expect(error.message).not.toMatch(/ECONN|127\.0\.0\.1:|postgres|terminat/i);
        expect([headers['x-quota-limit'], headers['x-quota-used'], headers['retry-after']]).toEqual([
          '100',
          undefined,
          undefined,
        ]);
      }
      expect((await fetchOnce(`${url}/v1/nothing`, key)).status).toBe(404);
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      await vi.waitFor(
        async () => {
          const stranger = await fetchOnce(`${url}/v1/models`, key);
          expect([stranger.status, stranger.headers['x-quota-limit']]).toEqual([503, undefined]);
        },
        { timeout: FORGOTTEN_MS, interval: 250 },
      );
      await postgres.run();
      await vi.waitFor(async () => expect((await fetchOnce(`${url}/v1/models`, key)).status).toBe(200), {
        timeout: 10_000,
        interval: 100,
      });
      const { usage } = JSON.parse((await fetchOnce(`${url}/v1/account`, key)).body);
      expect(usage.used).toBe(2);
      expect(serving.isRunning).toBe(true);
      expect(serving.log).not.toContain(key);
    }, 90_000);
  });

  describeWith('redis-server', 'and a Redis server', () => {
    test('Redis goes away: the server counts by itself, so the burst limit still holds, and says so once', async () => {
      const redis = await RedisServer.start();
      onTestFinished(() => redis.stop());
      const { serving, key } = await prepare(
        { burst_per_minute: 30 },
        { MODELSTATS_REDIS: redis.url, MODELSTATS_REDIS_PAUSE_MS: '100' },
      );
      const ask = () => fetchOnce(`${serving.url}/v1/models`, key);
      const served = async (count: number) => (await times(count, ask)).filter(({ status }) => status === 200).length;
      expect(await served(10)).toBe(10);
      await redis.halt();
      expect(await served(10)).toBe(10);
      await redis.run();
      await vi.waitFor(() => expect(serving.log).toContain('Redis is away'), { timeout: 5_000 });
      await vi.waitFor(
        async () => {
          await fetchOnce(`${serving.url}/v1/nothing`, key);
          expect(serving.log).toContain('Redis is back');
        },
        { timeout: 10_000, interval: 200 },
      );
      // A Redis that comes back empty frees nothing.
      expect(await served(50)).toBeLessThan(10);
      const after = await ask();
      expect([after.status, JSON.parse(after.body).error.limit_type]).toEqual([429, 'burst']);
      redis.freeze();
      expect((await ask()).status).toBe(429);
      redis.thaw();
      expect(serving.log.match(/Redis is away/g)?.length).toBeLessThanOrEqual(2);
      expect(serving.isRunning).toBe(true);
    }, 60_000);
  });
});
