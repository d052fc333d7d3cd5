import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../runtime/ulid.ts';
import { openWebhookSubject, type WebhookSubject } from '../../test/support/webhooks/webhook-subject.ts';
import type { DeliveryState } from './queue/delivery.ts';

/** What holds for replays on every control database; `another` makes an empty one and gives its address. */
export function describeReplay(name: string, another: () => Promise<string>): void {
  describe(`replay on ${name}`, () => {
    let subject: WebhookSubject;
    let endpointId: string;

    beforeEach(async () => {
      subject = await openWebhookSubject(await another());
      endpointId = await subject.active(await subject.organization());
    });
    afterEach(() => subject.close());

    /** An event so many hours old, with a delivery that ended so; the ids of both. */
    async function past(state: DeliveryState, hours: number, own: string | null = null) {
      const at = subject.clock.now().getTime() - hours * 3_600_000;
      const [event, delivery] = [newId('evt'), newId('dlv')];
      const data = JSON.stringify({ model_id: 'a', benchmark_id: 'b', seq: 7 });
      const { kysely } = subject.database;
      await kysely
        .insertInto('webhook_events')
        .values({ id: event, topic: 'score.updated', endpoint_id: own, occurred_at: at, seq: 7, data })
        .execute();
      await kysely
        .insertInto('webhook_deliveries')
        .values({
          id: delivery,
          event_id: event,
          endpoint_id: endpointId,
          kind: 'event',
          state,
          attempts: state === 'delivered' ? 1 : 6,
          due_at: at,
          claimed_by: null,
          created_at: at,
          finished_at: state === 'waiting' ? null : at,
        })
        .execute();
      return { event, delivery };
    }
    const hoursAgo = (hours: number) => new Date(subject.clock.now().getTime() - hours * 3_600_000);
    const replays = async () =>
      (await subject.log.list({ endpointId, limit: 1000 })).filter(({ kind }) => kind === 'replay');

    test('an event named by its id or by a delivery keeps its id and gets a new delivery', async () => {
      const { event, delivery } = await past('delivered', 1);
      const byEvent = await subject.log.replay(endpointId, event);
      const byDelivery = await subject.log.replay(endpointId, delivery);
      const made = await replays();
      expect(made.map(({ id }) => id).sort()).toEqual([...byEvent.deliveryIds, ...byDelivery.deliveryIds].sort());
      expect(new Set(made.map(({ id }) => id)).has(delivery)).toBe(false);
      expect(made).toMatchObject([
        { eventId: event, state: 'waiting', attempts: 0, seq: 7 },
        { eventId: event, state: 'waiting', attempts: 0, seq: 7 },
      ]);
    });

    test("an event older than 30 days, another endpoint's own, a ping and what there is not are not found", async () => {
      const old = await past('failed', 30 * 24 + 1);
      const others = await past('failed', 1, 'whe_other');
      const ping = (await subject.log.list({ endpointId, limit: 1 }))[0];
      for (const id of [old.event, old.delivery, others.event, ping?.eventId ?? '', ping?.id ?? '', 'evt_none'])
        await expect(subject.log.replay(endpointId, id), id).rejects.toMatchObject({ code: 'not_found' });
      expect(await replays()).toEqual([]);
    });

    test('all that failed or was dropped since then is sent again, oldest first, and nothing twice', async () => {
      const before = await past('failed', 5);
      const [failed, dropped] = [await past('failed', 3), await past('dropped', 2)];
      await past('delivered', 2);
      await past('waiting', 2);
      const { deliveryIds, hasMore } = await subject.log.replayFailed(endpointId, hoursAgo(4));
      const made = (await replays()).reverse();
      expect(made.map(({ id }) => id)).toEqual(deliveryIds);
      expect([made.map(({ eventId }) => eventId), hasMore]).toEqual([[failed.event, dropped.event], false]);
      expect((await subject.log.replayFailed(endpointId, hoursAgo(4))).deliveryIds).toEqual([]);
      expect((await subject.log.replayFailed(endpointId, hoursAgo(6))).deliveryIds).toHaveLength(1);
      expect((await replays())[0]?.eventId).toBe(before.event);
    });

    test('what failed again since then is sent once more', async () => {
      const { event } = await past('failed', 48);
      const [replayed] = (await subject.log.replayFailed(endpointId, hoursAgo(72))).deliveryIds;
      await subject.database.kysely
        .updateTable('webhook_deliveries')
        .set({ state: 'failed', finished_at: subject.clock.now().getTime() })
        .where('id', '=', replayed ?? '')
        .execute();
      expect((await subject.log.replayFailed(endpointId, hoursAgo(1))).deliveryIds).toHaveLength(1);
      expect((await replays()).map(({ eventId }) => eventId)).toEqual([event, event]);
    });

    test('one call replays 10,000 at most and says that there are more', async () => {
      const { kysely } = subject.database;
      const at = subject.clock.now().getTime() - 1000;
      const ids = Array.from({ length: 10_003 }, () => [newId('evt'), newId('dlv')] as const);
      for (let from = 0; from < ids.length; from += 1000) {
        const some = ids.slice(from, from + 1000);
        const event = { topic: 'score.updated', endpoint_id: null, occurred_at: at, seq: 1, data: '{}' };
        await kysely
          .insertInto('webhook_events')
          .values(some.map(([id]) => ({ id, ...event })))
          .execute();
        const ended = { endpoint_id: endpointId, kind: 'event', state: 'failed', attempts: 6, claimed_by: null };
        const times = { due_at: at, created_at: at, finished_at: at };
        const rows = some.map(([event_id, id]) => ({ id, event_id, ...ended, ...times }));
        await kysely.insertInto('webhook_deliveries').values(rows).execute();
      }
      const first = await subject.log.replayFailed(endpointId, hoursAgo(1));
      expect([first.deliveryIds.length, first.hasMore]).toEqual([10_000, true]);
      const second = await subject.log.replayFailed(endpointId, hoursAgo(1));
      expect([second.deliveryIds.length, second.hasMore]).toEqual([3, false]);
    });

    test('the log is filtered by state and topic, and read in pages', async () => {
      for (let n = 0; n < 3; n += 1) await past('failed', n + 1);
      await past('delivered', 1);
      const failed = await subject.log.list({ endpointId, state: 'failed', limit: 2 });
      const rest = await subject.log.list({ endpointId, state: 'failed', limit: 2, before: failed.at(-1)?.id });
      expect([failed.length, rest.length]).toEqual([2, 1]);
      expect(new Set([...failed, ...rest].map(({ id }) => id)).size).toBe(3);
      expect(await subject.log.list({ endpointId, topic: 'ping', limit: 9 })).toMatchObject([{ kind: 'ping' }]);
      await expect(subject.log.list({ endpointId: 'whe_none', limit: 1 })).rejects.toMatchObject({ code: 'not_found' });
    });
  });
}
