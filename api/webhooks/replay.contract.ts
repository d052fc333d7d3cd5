import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebhookDatabase } from '../../test/support/webhooks/webhook-database.ts';
import { openWebhookSubject, type WebhookSubject } from '../../test/support/webhooks/webhook-subject.ts';
import type { DeliveryState } from './queue/delivery.ts';

/** What holds for replays on every control database; `another` makes an empty one and gives its address. */
export function describeReplay(name: string, another: () => Promise<string>): void {
  describe(`replay on ${name}`, () => {
    let subject: WebhookSubject;
    let world: WebhookDatabase;
    let endpointId: string;

    beforeEach(async () => {
      subject = await openWebhookSubject(await another());
      world = new WebhookDatabase(subject.database);
      endpointId = await subject.active(await subject.organization());
    });
    afterEach(() => subject.close());

    /** An event so many hours old, with a delivery that ended so; the ids of both. */
    async function past(state: DeliveryState, hours: number, own: string | null = null) {
      const delivery = await world.addDelivery(endpointId, { state, at: hoursAgo(hours), own });
      return { event: (await world.delivery(delivery)).event_id, delivery };
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
        { eventId: event, state: 'waiting', attempts: 0 },
        { eventId: event, state: 'waiting', attempts: 0 },
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
      await world.addDeliveries(endpointId, 10_003, { state: 'failed', at: subject.clock.now() });
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
