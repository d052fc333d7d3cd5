import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addDays } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { RequestCountsRow } from '../../database/tables/tables.ts';
import { type Caller, callerFrom } from '../caller.ts';
import { NO_BONUS, NO_SUBSCRIPTION } from '../organizations/terms.ts';
import { assertDayRange, daysOf, partsOf, RANGE_DAYS_MAX } from './request-counts.ts';
import { type FinishedRequest, type RecorderOptions, RequestRecorder } from './request-recorder.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const DAY = '2026-11-20';

function callerWith(credentialId: string): Caller {
  const key = { organizationId: 'org_1', credentialId, subscription: NO_SUBSCRIPTION, bonusEnds: NO_BONUS };
  return callerFrom({ ...key, expiresAtMs: null }, 'api_key', new Date(`${DAY}T12:00:00Z`));
}

function request(route = '/v1/models', credentialId = 'key_1'): FinishedRequest {
  return { caller: callerWith(credentialId), day: DAY, route, units: 1, outcome: undefined };
}

/** A recorder on a database that can fail or hang, with what it wrote, logged and dropped. */
function start(options: Partial<RecorderOptions> = {}) {
  const written: RequestCountsRow[][] = [];
  const logged: string[] = [];
  const note = (_: unknown, text = '') => void logged.push(text);
  const database = { isFailing: false, wait: Promise.resolve(), dropped: 0, attempts: 0 };
  const recorder = new RequestRecorder(
    {
      addCounts: async (rows) => {
        database.attempts += 1;
        await database.wait;
        if (database.isFailing) throw new AppError('unavailable', 'down');
        written.push([...rows]);
      },
      log: { info: note, warn: note },
      onDropped: (requests) => {
        database.dropped += requests;
      },
    },
    { flushMs: 1_000, rowsMax: 100, rowsAtOnce: 10, ...options },
  );
  const total = () => written.flat().reduce((sum, { requests }) => sum + requests, 0);
  return { recorder, database, written, logged, total };
}

test('what was counted is written when the time has come, in a row per route, and nothing where nothing was', async () => {
  const { recorder, database, written } = start();
  for (const route of ['/v1/models', '/v1/scores', '/v1/models']) recorder.count(request(route));
  expect(database.attempts).toBe(0);
  vi.advanceTimersByTime(1_000);
  await vi.waitFor(() => expect(written).toHaveLength(1));
  expect(written[0]?.map(({ route, requests, units }) => [route, requests, units])).toEqual([
    ['/v1/models', 2, 2],
    ['/v1/scores', 1, 1],
  ]);
  await recorder.flush();
  vi.advanceTimersByTime(5_000);
  await recorder.close();
  expect(database.attempts).toBe(1);
});

test('what could not be written stays and is written once the database works again; both are told once', async () => {
  const { recorder, database, written, logged, total } = start();
  database.isFailing = true;
  for (let round = 0; round < 3; round += 1) {
    recorder.count(request());
    await recorder.flush();
  }
  expect([database.attempts, total()]).toEqual([3, 0]);
  database.isFailing = false;
  recorder.count(request());
  await recorder.flush();
  expect(written.flat()).toMatchObject([{ requests: 4, units: 4 }]);
  expect(logged).toEqual([expect.stringContaining('cannot be written'), expect.stringContaining('written again')]);
  await recorder.close();
  expect([total(), database.dropped]).toEqual([4, 0]);
});

test('what is counted while it is written is neither lost nor written twice', async () => {
  const { recorder, database, total, written } = start();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  database.wait = promise;
  recorder.count(request());
  const flushing = recorder.flush();
  await vi.waitFor(() => expect(database.attempts).toBe(1));
  recorder.count(request());
  recorder.count(request('/v1/scores'));
  release();
  await flushing;
  expect(total()).toBe(1);
  await recorder.close();
  expect([total(), written.length]).toEqual([3, 2]);
});

test('a write has so many rows at most, and one that fails keeps its own and those behind it', async () => {
  const { recorder, database, written, total } = start();
  for (let key = 0; key < 25; key += 1) recorder.count(request('/v1/models', `key_${key}`));
  let writes = 0;
  Object.defineProperty(database, 'isFailing', { get: () => ++writes === 2 });
  await recorder.flush();
  expect(written.map((rows) => rows.length)).toEqual([10]);
  await recorder.flush();
  expect(written.map((rows) => rows.length)).toEqual([10, 10, 5]);
  expect(total()).toBe(25);
  await recorder.close();
});

test('from half of the rows on it writes at once', async () => {
  const { recorder, written } = start({ rowsMax: 20 });
  for (let key = 0; key < 9; key += 1) recorder.count(request('/v1/models', `key_${key}`));
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toEqual([]);
  recorder.count(request('/v1/models', 'key_9'));
  await vi.waitFor(() => expect(written.flat()).toHaveLength(10));
  await recorder.close();
});

test('without room for another row its requests are dropped and told, while the rows that are there go on', async () => {
  const { recorder, database, logged, total } = start({ rowsMax: 4 });
  database.isFailing = true;
  for (let round = 0; round < 2; round += 1)
    for (let key = 0; key < 6; key += 1) recorder.count(request('/v1/models', `key_${key}`));
  await recorder.flush();
  expect(database.dropped).toBe(4);
  expect(logged.filter((text) => text.includes('dropped'))).toHaveLength(1);
  database.isFailing = false;
  await recorder.flush();
  expect(total()).toBe(8);
  recorder.count(request('/v1/models', 'key_5'));
  await recorder.close();
  expect([total(), database.dropped]).toEqual([9, 4]);
});

test('a database that hangs holds no request up, and is not asked again before it answers', async () => {
  const { recorder, database, total } = start();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  database.wait = promise;
  recorder.count(request());
  vi.advanceTimersByTime(20_000);
  await vi.waitFor(() => expect(database.attempts).toBe(1));
  release();
  await recorder.close();
  expect([total(), database.attempts]).toEqual([1, 1]);
});

test('what can not be written at the end is told as lost', async () => {
  const { recorder, database, logged } = start();
  database.isFailing = true;
  for (let round = 0; round < 3; round += 1) recorder.count(request());
  await recorder.close();
  expect(database.dropped).toBe(3);
  expect(logged.at(-1)).toContain('lost');
});

test('the parts of a range have each of its days once, oldest first, and there are few of them', () => {
  const range = fc.record({ begin: fc.nat(20_000), length: fc.integer({ min: 1, max: 3_000 }) });
  fc.assert(
    fc.property(range, ({ begin, length }) => {
      const from = addDays('1990-01-01', begin);
      const whole = { from, to: addDays(from, length - 1) };
      const parts = partsOf(whole);
      expect(parts.flatMap(daysOf)).toEqual(daysOf(whole));
      expect(daysOf(whole)).toHaveLength(length);
      expect(parts.length).toBeLessThanOrEqual(60);
    }),
  );
});

test('a range of as many days as usage is kept for is fine, and one more is not', () => {
  const to = addDays('2000-01-01', RANGE_DAYS_MAX);
  expect(() => assertDayRange({ from: '2000-01-02', to })).not.toThrow();
  expect(() => assertDayRange({ from: '2000-01-01', to })).toThrow('more than 36500 days');
});
