import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { TestClock, times } from '../../../test/support/accounts/subject.ts';
import { RedisServer } from '../../../test/support/processes/redis-server.ts';
import { describeWith } from '../../../test/support/processes/server-process.ts';
import { COUNTER_OPTIONS, MemoryCounter, RateLimiter, type WindowCounter } from './rate-limiter.ts';
import { RedisCounter } from './redis-counter.ts';
import { type OpenCounterOptions, openCounter } from './shared-counter.ts';

const QUICK = { timeoutMs: 500, connectTimeoutMs: 500, reconnectMsMax: 100, pauseMs: 50 };
const LIMIT_50 = { limit: 50, isEnforced: true };

describeWith('redis-server', 'the rolling limit shared through Redis', () => {
  let redis: RedisServer;
  const opened: WindowCounter[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((counter) => counter.close()));
  });
  afterAll(() => redis?.stop());

  /** A replica: its limiter, and what it logged. */
  async function replica(clock: TestClock, options: Partial<OpenCounterOptions> = {}) {
    const logged: string[] = [];
    const note = (...words: unknown[]) => void logged.push(String(words[1]));
    const log = { info: note, warn: note };
    const clocks = { clock: clock.now, redisClock: clock.now };
    const counter = await openCounter(redis.url, { ...COUNTER_OPTIONS, ...QUICK, log, ...clocks, ...options });
    opened.push(counter);
    return { limiter: new RateLimiter(counter, clock.now, 'organization'), logged };
  }

  test.each([
    ['stopped and started empty', () => redis.halt(), () => redis.run()],
    ['hanging and going on', async () => redis.freeze(), async () => redis.thaw()],
  ])('never lets more pass than a replica alone would, with Redis %s', async (name, goAway, comeBack) => {
    const clock = new TestClock();
    const { limiter, logged } = await replica(clock);
    const passed = async (count: number) =>
      (await times(count, () => limiter.hit(name, LIMIT_50))).filter(({ refused }) => !refused).length;
    expect(await passed(30)).toBe(30);
    await goAway();
    expect(await passed(15)).toBe(15);
    await comeBack();
    await vi.waitFor(async () => {
      await limiter.hit('another', LIMIT_50);
      expect(logged).toHaveLength(2);
    }, 10_000);
    expect(await passed(100)).toBe(5);
    expect(logged).toEqual([expect.stringContaining('is unavailable'), expect.stringContaining('is available again')]);
  });

  test('starts without Redis, counts alone, and joins when Redis is there', async () => {
    await redis.halt();
    const clock = new TestClock();
    const { limiter, logged } = await replica(clock);
    const states = await times(60, () => limiter.hit('late', LIMIT_50));
    expect(states.filter(({ refused }) => !refused)).toHaveLength(50);
    await redis.run();
    await vi.waitFor(async () => {
      await limiter.hit('another', LIMIT_50);
      expect(logged).toHaveLength(2);
    }, 10_000);
    const { limiter: second } = await replica(clock);
    const how = { limit: 100, isEnforced: true };
    await limiter.hit('joined', how);
    expect(await second.hit('joined', how)).toMatchObject({ remaining: 98 });
  });

  test('counts exactly as memory does, to the millisecond, whatever the pauses, limits and steps of the clock', async () => {
    const steps = fc.array(
      fc.record({
        pause: fc.oneof(fc.integer({ min: 0, max: 45_000 }), fc.constantFrom(0, 1, 59_999, 60_000, 60_001)),
        back: fc.constantFrom(0, 0, 0, 1, 3_600_000),
        limit: fc.integer({ min: 1, max: 5 }),
      }),
      { minLength: 1, maxLength: 40 },
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        runs += 1;
        const clock = new TestClock();
        const shared = new RedisCounter(redis.url, { ...COUNTER_OPTIONS, ...QUICK, redisClock: clock.now });
        const own = new MemoryCounter(clock.now, COUNTER_OPTIONS);
        await shared.connect();
        for (const { pause, back, limit } of all) {
          clock.advance(pause - back);
          expect(await shared.hit(`run-${runs}`, limit)).toEqual(await own.hit('run', limit));
        }
        await shared.close();
      }),
      { numRuns: 30 },
    );
  });

  test('takes the time from Redis, so that replicas whose clocks are an hour apart hold one limit', async () => {
    const [behind, ahead] = [new TestClock('2026-11-20T11:00:00Z'), new TestClock('2026-11-20T12:00:00Z')];
    const own = { redisClock: undefined };
    const [{ limiter: here }, { limiter: there }] = [await replica(behind, own), await replica(ahead, own)];
    const states = await times(200, (index) => (index % 2 ? here : there).hit('apart', LIMIT_50));
    expect(states.filter(({ refused }) => !refused)).toHaveLength(50);
    const { retryAfterSeconds } = await here.hit('apart', LIMIT_50);
    expect(retryAfterSeconds).toBeGreaterThan(55);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  test.each([
    ['a wrong password', ':wrong-word@', '', 'WRONGPASS'],
    ['nobody without a password', '', '', 'NOAUTH'],
    ['the number of a database', ':open-sesame@', '/99', 'DB index'],
  ])('a Redis that refuses %s is a configuration error; one that is away counts later', async (_, user, path, why) => {
    const setPassword = async (now: string, next: string) => {
      const admin = new Redis(redis.url, { password: now });
      await admin.config('SET', 'requirepass', next);
      admin.disconnect();
    };
    await setPassword('', 'open-sesame');
    const url = `${redis.url.replace('redis://', `redis://${user}`)}${path}`;
    const log = { info: () => {}, warn: () => {} };
    const opening = openCounter(url, { ...COUNTER_OPTIONS, ...QUICK, clock: new TestClock().now, log });
    const message = expect.stringMatching(new RegExp(`${why}.*check user, password and database in MODELSTATS_REDIS`));
    await expect(opening).rejects.toMatchObject({ code: 'configuration', message });
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringMatching(/wrong-word|open-sesame/) });
    await setPassword('open-sesame', '');
  });

  test('shows that Redis is away, with address and cause, before anybody asks, and that it is back', async () => {
    const reasons: unknown[] = [];
    const log = { info: () => {}, warn: (words: unknown) => void reasons.push(words) };
    const clock = new TestClock();
    const counter = await openCounter(redis.url, { ...COUNTER_OPTIONS, ...QUICK, clock: clock.now, log });
    opened.push(counter);
    expect(counter.problem).toBeUndefined();
    await redis.halt();
    await vi.waitFor(() => expect(counter.problem).toMatchObject({ code: 'unavailable', since: clock.now() }), 5_000);
    expect(reasons).toEqual([{ reason: `${redis.url}: connect ECONNREFUSED ${redis.url.slice('redis://'.length)}` }]);
    await redis.run();
    await vi.waitFor(() => expect(counter.problem).toBeUndefined(), 5_000);
  });
});
