import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWebhookSubject, type WebhookSubject } from '../../test/support/webhooks/webhook-subject.ts';
import { SYSTEM } from '../accounts/actor.ts';
import type { Mailer } from '../accounts/mailer.ts';
import { changePlan } from '../accounts/organizations/organizations.ts';
import type { PollResult } from './events/publish-events.ts';
import { WebhookService } from './webhook-service.ts';

let subject: WebhookSubject;
beforeEach(async () => {
  subject = await openWebhookSubject('sqlite::memory:');
});
afterEach(() => subject.close());

/** A service whose sleeps end as they are told, with what it did. */
function startService(poll: () => Promise<PollResult>, send: Mailer['send'] = async () => undefined) {
  const done: string[] = [];
  const sleeps: { ms: number; wake: () => void }[] = [];
  const note = (level: string) => (fields: unknown, message?: string) =>
    void done.push(`${level} ${message ?? fields}`);
  const service = new WebhookService(
    { catalogPollMs: 15_000, catalogRetryMaxMs: 60_000 },
    {
      database: subject.database.kysely,
      dispatcher: {
        start: () => void done.push('start'),
        wake: () => void done.push('wake'),
        stop: async () => void done.push('stop'),
      },
      publisher: { poll },
      cleanup: { at: () => undefined, close: async () => void done.push('closed') },
      mailer: { send, close: () => undefined },
      isOffered: () => true,
      clock: subject.clock.now,
      sleep: (ms, signal) =>
        new Promise((wake) => {
          sleeps.push({ ms, wake });
          if (signal.aborted) wake();
          else signal.addEventListener('abort', () => wake());
        }),
      log: { info: note('info'), warn: note('warn'), error: note('error') },
    },
  );
  service.start();
  /** Waits until the loops sleep; how long each wants to, the shorter first. */
  const asleep = async (count = 3) => {
    while (sleeps.length < count) await new Promise((resolve) => setImmediate(resolve));
    return sleeps.map(({ ms }) => ms).sort((a, b) => a - b);
  };
  const wakeAll = () => {
    for (const { wake } of sleeps.splice(0)) wake();
  };
  return { service, done, asleep, wakeAll };
}

test('plans are followed every 3 seconds, and what they change is sent at once', async () => {
  const organizationId = await subject.organization();
  const id = await subject.active(organizationId);
  const changes = subject.accounts.as(SYSTEM);
  const { service, done, asleep, wakeAll } = startService(async () => 'idle');
  expect(await asleep()).toEqual([3_000, 3_000, 15_000]);
  await changePlan(organizationId, (before) => ({ ...before, plan: 'builder' }), changes);
  wakeAll();
  await asleep();
  expect((await subject.endpoints.get(id)).state).toBe('suspended');
  await changePlan(organizationId, (before) => ({ ...before, plan: 'commercial' }), changes);
  wakeAll();
  await asleep();
  expect((await subject.endpoints.get(id)).state).toBe('registered');
  expect(done.filter((line) => line === 'wake')).toHaveLength(1);
  await service.stop();
  expect(done.slice(-2).sort()).toEqual(['closed', 'stop']);
});

test('a night that was told wakes the dispatcher', async () => {
  const { service, done, asleep } = startService(async () => 'published');
  await asleep();
  expect(done).toContain('wake');
  await service.stop();
});

test('trouble is told once, tried again ever later up to a bound, and its end is told', async () => {
  let isDown = true;
  const { service, done, asleep, wakeAll } = startService(async () => {
    if (isDown) throw new Error('the store is away');
    return 'idle';
  });
  const waits: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    waits.push((await asleep()).at(-1) ?? 0);
    wakeAll();
  }
  expect(waits).toEqual([15_000, 30_000, 60_000, 60_000]);
  await asleep();
  isDown = false;
  wakeAll();
  await asleep();
  const trouble = 'published changes could not be turned into events';
  expect(done.filter((line) => line.includes(trouble))).toEqual([`error ${trouble}`, `info recovered: ${trouble}`]);
  await service.stop();
});

test('while the mail server hangs, plans are followed all the same, and the service stops at once', async () => {
  const organizationId = await subject.organization();
  const { kysely } = subject.database;
  await kysely.updateTable('organizations').set({ email: 'owner@example.com' }).execute();
  const [first, second] = [await subject.active(organizationId), await subject.active(organizationId)];
  await kysely.updateTable('webhook_endpoints').set({ notice: 'revoked' }).where('id', '=', first).execute();
  const { service, asleep, wakeAll } = startService(
    async () => 'idle',
    () => new Promise(() => {}),
  );
  await asleep(2);
  await changePlan(organizationId, (before) => ({ ...before, plan: 'builder' }), subject.accounts.as(SYSTEM));
  wakeAll();
  await asleep(2);
  for (const id of [first, second]) expect((await subject.endpoints.get(id)).state).toBe('suspended');
  await service.stop();
});
