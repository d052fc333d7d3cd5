import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addCustomer, subjectAt, TestClock, times } from '../../test/support/accounts/subject.ts';
import { describePostgres } from '../../test/support/processes/postgres-server.ts';
import { describeAccounts } from './accounts.contract.ts';
import type { Caller } from './caller.ts';
import { type Accounts, openAccounts } from './open-accounts.ts';

const QUICK = { postgres: { connectionsMax: 4, connectTimeoutMs: 1_000, statementTimeoutMs: 300 } };
/** Long enough for a busy machine: a transaction that rests for so long is ended, too. */
const PATIENT = { postgres: { connectionsMax: 4, connectTimeoutMs: 3_000, statementTimeoutMs: 3_000 } };

describePostgres('with a PostgreSQL server', (server, another) => {
  describeAccounts('PostgreSQL', another);

  let url: string;
  const subject = subjectAt(() => url);

  beforeEach(async () => {
    url = await another();
  });
  afterEach(() => subject.closeAll());

  /** Another client, which holds the table that units are counted in. */
  async function lockUsage(): Promise<pg.Client> {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('begin');
    await other.query('lock table daily_usage');
    return other;
  }

  /** Reserves until stopped; returns the number of units granted. */
  function load(accounts: Accounts, caller: Caller): () => Promise<number> {
    let isOver = false;
    let granted = 0;
    const workers = times(10, async (worker) => {
      for (let round = 0; !isOver; round += 1) {
        const idempotencyKey = round % 2 === 0 ? undefined : `${worker}-${round}`;
        const result = await accounts.quota
          .reserve(caller, { idempotencyKey, request: 'r' })
          .catch((error: unknown) => {
            expect(error).toMatchObject({ code: 'unavailable' });
            return { granted: false };
          });
        if (result.granted) granted += 1;
      }
    });
    return async () => {
      isOver = true;
      await workers;
      return granted;
    };
  }

  test('a stop under load loses nothing that was granted; everything works again by itself', async () => {
    const clock = new TestClock();
    const accounts = await subject.open({ clock: clock.now, database: QUICK });
    const { key, caller } = await addCustomer(accounts, { contract: { daily_quota: null } });
    const atFirst = await caller();
    const stop = load(accounts, atFirst);
    await vi.waitFor(async () => expect((await accounts.quota.usage(atFirst)).used).toBeGreaterThan(50), 10_000);
    await server().halt();
    await expect(accounts.quota.reserve(atFirst)).rejects.toMatchObject({ code: 'unavailable' });
    clock.advance(60_000);
    await expect(accounts.authenticate(key)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(accounts.accountObject(atFirst)).rejects.toMatchObject({ code: 'unavailable' });
    await server().run();
    const { used: usedBefore } = await accounts.quota.usage(await caller());
    await vi.waitFor(
      async () => expect((await accounts.quota.usage(atFirst)).used).toBeGreaterThan(usedBefore + 50),
      10_000,
    );
    const granted = await stop();
    const { used } = await accounts.quota.usage(atFirst);
    expect(used).toBeGreaterThanOrEqual(granted);
    // Commits whose answer got lost count; at most a batch of ten per connection that ended.
    expect(used - granted).toBeLessThanOrEqual(20);
  });

  test('a locked table is waited for shortly, then unavailable, and nobody passes meanwhile', async () => {
    const accounts = await subject.open({ database: QUICK, batches: { waitingMax: 30 } });
    const caller = await (await addCustomer(accounts)).caller();
    const other = await lockUsage();
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => accounts.quota.reserve(caller)));
    expect(results.map(({ status }) => status)).not.toContain('fulfilled');
    await other.query('rollback');
    await other.end();
    expect(await accounts.quota.reserve(caller)).toMatchObject({ granted: true });
    expect((await accounts.quota.usage(caller)).used).toBeLessThan(10);
  });

  test('a connection that ends in the middle of a transaction takes nobody along', async () => {
    const logged: unknown[] = [];
    const note = (...words: unknown[]) => void logged.push(words);
    const accounts = await subject.open({ database: PATIENT, log: { info: note, warn: note } });
    const { key, caller: ask } = await addCustomer(accounts);
    const caller = await ask();
    const other = await lockUsage();
    const waiting = accounts.quota.reserve(caller, { idempotencyKey: 'a', request: 'r' });
    const ends = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'modelstats' and datname = current_database()`;
    await vi.waitFor(async () => {
      const { rowCount } = await other.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
      expect(rowCount).toBeGreaterThan(0);
    });
    await other.query(ends);
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    await other.query('rollback');
    await other.end();
    const again = await accounts.quota.reserve(caller, { idempotencyKey: 'a', request: 'r' });
    expect(again).toMatchObject({ usage: { used: 1 } });
    expect(JSON.stringify(logged)).not.toContain(key);
  });

  test('the password is in no error', async () => {
    const wrong = url.replace('modelstats@', 'stranger:very-secret@');
    for (const address of [wrong, wrong.replace(/:\d+\//, ':1/'), `${wrong} x`, 'postgres://a:very-secret@[/x']) {
      const error = await openAccounts(address).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: expect.stringMatching(/^(unavailable|configuration)$/) });
      expect(String(error)).not.toContain('very-secret');
    }
  });
});
