import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Received, Receiver } from '../../test/support/webhooks/receiver.ts';
import { plainSender } from '../../test/support/webhooks/send-plainly.ts';
import { makeDispatcher } from '../../test/support/webhooks/test-dispatcher.ts';
import { SECRET, SECRET_KEYS, WebhookDatabase } from '../../test/support/webhooks/webhook-database.ts';
import { secretFromBytes } from './signature.ts';

const stripe = new Stripe('sk_test_unused');
const TOLERANCE_SECONDS = 300;
const SIX_MINUTES_MS = 6 * 60_000;

/** Receivers that others wrote; each throws where it refuses, at a time in Unix milliseconds. */
const VERIFIERS = {
  stripe({ body, headers }: Received, secret: string): unknown {
    return stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), secret, TOLERANCE_SECONDS);
  },
  standardwebhooks({ body, headers }: Received, secret: string): unknown {
    const named = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]);
    return new Webhook(secret).verify(body, Object.fromEntries(named));
  },
};

describe.each(Object.entries(VERIFIERS))('A receiver with the package %s (specification "Signature")', (_, verify) => {
  let world: WebhookDatabase;
  let receiver: Receiver;
  let sender: ReturnType<typeof plainSender>;
  let clock: () => Date;

  beforeEach(async () => {
    clock = () => new Date();
    world = await WebhookDatabase.open('sqlite::memory:');
    receiver = await Receiver.start();
    sender = plainSender();
  });
  afterEach(async () => {
    await Promise.all([receiver.close(), sender.close(), world.close()]);
  });

  /** Sends so many deliveries; what was received. */
  async function deliver(endpointId: string, count = 1): Promise<readonly Received[]> {
    const before = receiver.received.length;
    await world.addDeliveries(endpointId, count, { at: new Date(0) });
    const { dispatcher, attempted } = makeDispatcher(world, sender.send, { deps: { clock: () => clock() } });
    dispatcher.start();
    await attempted(count);
    await dispatcher.stop();
    return receiver.received.slice(before);
  }

  test('accepts every delivery', async () => {
    const received = await deliver(await world.addEndpoint({ url: receiver.url }), 25);
    expect(received).toHaveLength(25);
    for (const one of received) expect(verify(one, SECRET)).toEqual(JSON.parse(one.body));
  });

  test('refuses a body of which any byte is another', async () => {
    const [one] = await deliver(await world.addEndpoint({ url: receiver.url }));
    if (one === undefined) throw new Error('nothing was received');
    for (let place = 0; place < one.body.length; place += 1) {
      const changed = String.fromCharCode(one.body.charCodeAt(place) ^ 1);
      const body = one.body.slice(0, place) + changed + one.body.slice(place + 1);
      expect(() => verify({ ...one, body }, SECRET)).toThrow();
    }
  });

  test('refuses what was signed six minutes ago', async () => {
    clock = () => new Date(Date.now() - SIX_MINUTES_MS);
    const [one] = await deliver(await world.addEndpoint({ url: receiver.url }));
    if (one === undefined) throw new Error('nothing was received');
    expect(() => verify(one, SECRET)).toThrow(/timestamp|too old/i);
  });

  test('accepts with the new secret alone after a rotation', async () => {
    const id = await world.addEndpoint({ url: receiver.url });
    const [before] = await deliver(id);
    const rotated = secretFromBytes(Buffer.alloc(32, 6));
    const sealed = SECRET_KEYS.seal(rotated, id);
    await world.database.kysely.updateTable('webhook_endpoints').set({ sealed_secret: sealed }).execute();
    const [after] = await deliver(id);
    if (before === undefined || after === undefined) throw new Error('nothing was received');
    expect(verify(before, SECRET)).toBeDefined();
    expect(verify(after, rotated)).toBeDefined();
    expect(() => verify(after, SECRET)).toThrow();
  });
});
