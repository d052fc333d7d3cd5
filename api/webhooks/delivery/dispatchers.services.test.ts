import { expect, test } from 'vitest';
import { describeOnPostgres } from '../../../test/support/accounts/control-databases.ts';
import { Receiver } from '../../../test/support/webhooks/receiver.ts';
import { plainSender } from '../../../test/support/webhooks/send-plainly.ts';
import { makeDispatcher } from '../../../test/support/webhooks/test-dispatcher.ts';
import { WebhookDatabase } from '../../../test/support/webhooks/webhook-database.ts';

const DELIVERIES = 2_000;

describeOnPostgres((another) => {
  test('two dispatchers share the work, and never attempt one delivery twice', async () => {
    const url = await another();
    const worlds = await Promise.all([WebhookDatabase.open(url), WebhookDatabase.open(url)]);
    const [world = await WebhookDatabase.open(url)] = worlds;
    const receiver = await Receiver.start();
    const sender = plainSender();
    for (let endpoint = 0; endpoint < 4; endpoint += 1)
      await world.addDeliveries(await world.addEndpoint({ url: receiver.url }), DELIVERIES / 4);
    const dispatchers = worlds.map((own) => makeDispatcher(own, sender.send));
    const count = () => receiver.received.length;
    for (const { dispatcher } of dispatchers) dispatcher.start();
    while (count() < DELIVERIES) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(dispatchers.map(({ dispatcher }) => dispatcher.stop()));
    expect(new Set(receiver.deliveries).size).toBe(DELIVERIES);
    expect(receiver.deliveries).toHaveLength(DELIVERIES);
    expect(await world.states()).toEqual({ delivered: DELIVERIES });
    for (const { events } of dispatchers)
      expect(events.filter(({ type }) => type === 'attempted').length).toBeGreaterThan(DELIVERIES / 10);
    await Promise.all([receiver.close(), sender.close(), ...worlds.map((own) => own.close())]);
  });
});
