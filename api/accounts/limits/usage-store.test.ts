import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { times } from '../../../test/support/accounts/subject.ts';
import { newFolder } from '../../../test/support/temporary-folder.ts';
import type { ControlDatabase } from '../../database/control-database.ts';
import { openDatabase } from '../../database/open-database.ts';
import { writeTransaction } from '../../database/write-transaction.ts';
import { DatabaseUsage } from './database-usage.ts';
import { quotaDayAt } from './quota.ts';
import { Batcher, type ReserveRequest, type UsageRequest, type UsageStore } from './usage-store.ts';

const READ = { kind: 'read', organizationId: 'org_1', day: '2026-11-20' } as const;

/** A store that answers with the number of the request, and keeps the sizes of its batches. */
class CountingStore implements UsageStore {
  readonly batches: number[] = [];
  failing = false;
  #answered = 0;

  async apply(requests: readonly UsageRequest[]) {
    this.batches.push(requests.length);
    await new Promise((resolve) => setImmediate(resolve));
    if (this.failing) throw new AppError('unavailable', 'down');
    return requests.map(() => ({ isGranted: true, used: ++this.#answered, units: 0 as const }));
  }
}

test('all requests of a tick share a batch, each gets its own answer, and what comes meanwhile waits for the next', async () => {
  const store = new CountingStore();
  const batcher = new Batcher(store, { batchMax: 100, waitingMax: 1000 });
  const responses = times(50, () => batcher.submit(READ));
  while (store.batches.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const later = times(30, () => batcher.submit(READ));
  expect((await responses).map(({ used }) => used)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  await later;
  expect(store.batches).toEqual([50, 30]);
});

test('batches and waiting requests are bounded', async () => {
  const store = new CountingStore();
  const batcher = new Batcher(store, { batchMax: 4, waitingMax: 10 });
  const results = await Promise.allSettled(Array.from({ length: 12 }, () => batcher.submit(READ)));
  expect(results.map(({ status }) => status)).toEqual([...Array(10).fill('fulfilled'), 'rejected', 'rejected']);
  expect(store.batches).toEqual([4, 4, 2]);
});

test('a batch that failed rejects its requests; the next one is tried', async () => {
  const store = new CountingStore();
  const batcher = new Batcher(store, { batchMax: 4, waitingMax: 10 });
  store.failing = true;
  const results = await Promise.allSettled([batcher.submit(READ), batcher.submit(READ)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  store.failing = false;
  expect(await batcher.submit(READ)).toEqual({ isGranted: true, used: 1, units: 0 });
  await batcher.idle();
});

describe('units in a database', () => {
  let database: ControlDatabase;
  let usage: DatabaseUsage;

  beforeAll(async () => {
    database = await openDatabase('sqlite::memory:', {});
    usage = new DatabaseUsage(database);
  });
  afterAll(() => database?.close());

  const reserve = (organizationId: string, cap: number | null): ReserveRequest => {
    return { ...READ, kind: 'reserve', organizationId, credentialId: 'key_1', idempotency: undefined, cap };
  };
  const rowOf = (organizationId: string) => {
    return { organization_id: organizationId, day: READ.day, used: 1, cap: 1, granted: 1 };
  };

  test('reservations of one batch get the units that are left, the first ones first, each with its own count', async () => {
    const batch = [...Array.from({ length: 3 }, () => reserve('a', 4)), reserve('b', null), reserve('a', 4)];
    expect(await usage.apply(batch)).toEqual([
      { isGranted: true, used: 1, units: 1 },
      { isGranted: true, used: 2, units: 1 },
      { isGranted: true, used: 3, units: 1 },
      { isGranted: true, used: 1, units: 1 },
      { isGranted: true, used: 4, units: 1 },
    ]);
    expect(await usage.apply([reserve('a', 4), reserve('b', 2), reserve('b', 2)])).toEqual([
      { isGranted: false, used: 4, units: 0 },
      { isGranted: true, used: 2, units: 1 },
      { isGranted: false, used: 2, units: 0 },
    ]);
  });

  test('whoever may have none gets none, and nothing is written for it', async () => {
    expect(await usage.apply([reserve('c', 0), reserve('c', 0)])).toEqual([
      { isGranted: false, used: 0, units: 0 },
      { isGranted: false, used: 0, units: 0 },
    ]);
    const rows = await database.kysely
      .selectFrom('daily_usage')
      .where('organization_id', '=', 'c')
      .selectAll()
      .execute();
    expect(rows).toEqual([]);
  });

  test('that are read and taken during a transaction of others on the connection are no part of it', async () => {
    const asked: ReturnType<UsageStore['apply']>[] = [];
    const failing = writeTransaction(database, async (transaction) => {
      await transaction.insertInto('daily_usage').values(rowOf('d')).execute();
      asked.push(usage.apply([{ ...READ, organizationId: 'd' }]), usage.apply([reserve('d', 1)]));
      await nextTurn();
      await nextTurn();
      throw new Error('no such row');
    });
    await expect(failing).rejects.toThrow('no such row');
    const [read, taken] = await Promise.all(asked);
    expect(read).toEqual([{ isGranted: true, used: 0, units: 0 }]);
    expect(taken).toEqual([{ isGranted: true, used: 1, units: 1 }]);
    expect(await usage.apply([reserve('d', 1)])).toEqual([{ isGranted: false, used: 1, units: 0 }]);
  });

  test('that another process kept from being committed are taken later, or refused if none is left then', async () => {
    const path = `${await newFolder()}/accounts.db`;
    const shared = await openDatabase(`sqlite:${path}`, { sqlite: { busyTimeoutMs: 10_000, blockingTimeoutMs: 1 } });
    // As without shared memory, and so without WAL: readers block commits.
    if (shared.engine.kind === 'sqlite') shared.engine.connection.pragma('journal_mode = DELETE');
    const other = new Database(path);
    onTestFinished(() => shared.close());
    onTestFinished(() => void other.close());
    const take = other.prepare('insert into daily_usage values (@organization_id, @day, @used, @cap, @granted)');
    other.exec('begin');
    other.prepare('select * from daily_usage').all();
    const asked = new DatabaseUsage(shared).apply([reserve('e', 1)]); // Its first attempt has failed when this returns.
    other.exec('commit');
    take.run(rowOf('e'));
    expect(await asked).toEqual([{ isGranted: false, used: 1, units: 0 }]);
  });
});

test.each([
  ['2026-11-20T00:00:00.000Z', '2026-11-20', '2026-11-21'],
  ['2026-11-20T23:59:59.999Z', '2026-11-20', '2026-11-21'],
  ['2024-02-28T12:00:00.000Z', '2024-02-28', '2024-02-29'],
  ['2024-02-29T12:00:00.000Z', '2024-02-29', '2024-03-01'],
  ['2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01'],
])('at %s the counters are those of %s and reset at the start of %s', (now, day, next) => {
  expect(quotaDayAt(new Date(now))).toEqual({ day, resetAt: Date.parse(`${next}T00:00:00Z`) / 1000 });
});
