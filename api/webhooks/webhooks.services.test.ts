import { describe, expect, test } from 'vitest';
import { describePostgres } from '../../test/support/processes/postgres-server.ts';
import { Receiver } from '../../test/support/webhooks/receiver.ts';
import { plainSender } from '../../test/support/webhooks/send-plainly.ts';
import { makeDispatcher } from '../../test/support/webhooks/test-dispatcher.ts';
import { WebhookDatabase } from '../../test/support/webhooks/webhook-database.ts';
import { describeAdministration } from './administration.contract.ts';
import { describeStates } from './delivery/states.contract.ts';
import { describeEvents } from './events/publish-events.contract.ts';
import { describeDeliveryQueue } from './queue/delivery-queue.contract.ts';
import { describeReplay } from './replay.contract.ts';

const DELIVERIES = 2_000;

describePostgres('with a PostgreSQL server', (_, another) => {
  describe('on PostgreSQL', () => {
    describeAdministration('PostgreSQL', another);
    describeReplay('PostgreSQL', another);
    describeEvents('PostgreSQL', another);
    describeDeliveryQueue('PostgreSQL', another);
    describeStates('PostgreSQL', another);
  });

  test('two dispatchers share the work, and never attempt one delivery twice', async () => {
    const url = await another();
    const worlds = await Promise.all([WebhookDatabase.open(url), WebhookDatabase.open(url)]);
    const [world] = worlds;
    const [receiver, sender] = [await Receiver.start(), plainSender()];
    for (let endpoint = 0; endpoint < 4; endpoint += 1)
      await world.addDeliveries(await world.addEndpoint({ url: receiver.url }), DELIVERIES / 4);
    const dispatchers = worlds.map((own) => makeDispatcher(own, sender.send));
    for (const { dispatcher } of dispatchers) dispatcher.start();
    while (receiver.received.length < DELIVERIES) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(dispatchers.map(({ dispatcher }) => dispatcher.stop()));
    expect(new Set(receiver.deliveries).size).toBe(DELIVERIES);
    expect(receiver.deliveries).toHaveLength(DELIVERIES);
    expect(await world.states()).toEqual({ delivered: DELIVERIES });
    for (const { events } of dispatchers)
      expect(events.filter(({ type }) => type === 'attempted').length).toBeGreaterThan(DELIVERIES / 10);
    await Promise.all([receiver.close(), sender.close(), ...worlds.map((own) => own.close())]);
  });
});
