import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { type Answer, Receiver } from '../../../test/support/webhooks/receiver.ts';
import { plainSender } from '../../../test/support/webhooks/send-plainly.ts';
import { makeDispatcher, sleep, until } from '../../../test/support/webhooks/test-dispatcher.ts';
import { SECRET_KEYS, START, WebhookDatabase } from '../../../test/support/webhooks/webhook-database.ts';
import { queuePing } from '../endpoints/transitions.ts';
import type { ClaimBatch, SettleBatch } from '../queue/delivery.ts';
import { DeliveryQueue } from '../queue/delivery-queue.ts';
import type { SendRequest } from './attempt-delivery.ts';

const NEVER = new Promise<never>(() => {});

/** A sender that knows how many requests it had under way at once. */
function counting(send: SendRequest): { readonly send: SendRequest; underWayMax(): number } {
  let [underWay, most] = [0, 0];
  return {
    send: async (request) => {
      underWay += 1;
      most = Math.max(most, underWay);
      try {
        return await send(request);
      } finally {
        underWay -= 1;
      }
    },
    underWayMax: () => most,
  };
}

describe('The dispatcher', () => {
  let world: WebhookDatabase;
  let sender: ReturnType<typeof plainSender>;
  const opened: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    world = await WebhookDatabase.open('sqlite::memory:');
    sender = plainSender();
  });
  afterEach(async () => {
    await Promise.all([...opened.splice(0), sender].map((one) => one.close()));
    await world.close();
  });

  async function receive(answer?: Answer): Promise<Receiver> {
    const receiver = await Receiver.start(answer);
    opened.push(receiver);
    return receiver;
  }

  test('delivers everything that waits, each once, with no more under way to an endpoint than its slots', async () => {
    const receiver = await receive();
    const ids = await world.addDeliveries(await world.addEndpoint({ url: receiver.url }), 500);
    const { send, underWayMax } = counting(sender.send);
    const { run } = makeDispatcher(world, send, { options: { perEndpointMax: 3 } });
    await run(500);
    expect(receiver.deliveries.toSorted()).toEqual(ids.toSorted());
    expect(underWayMax()).toBe(3);
    expect(await world.states()).toEqual({ delivered: 500 });
  });

  test('never has more under way in all than it may', async () => {
    const receiver = await receive();
    for (let endpoint = 0; endpoint < 10; endpoint += 1)
      await world.addDeliveries(await world.addEndpoint({ url: receiver.url }), 20);
    const { send, underWayMax } = counting(sender.send);
    await makeDispatcher(world, send, { options: { inFlightMax: 7 } }).run(200);
    expect(underWayMax()).toBe(7);
  });

  test('forty endpoints that never answer, one with 100,000 deliveries waiting, could hold all slots and delay no other', async () => {
    const [slow, fast] = [await receive(() => NEVER), await receive()];
    for (let endpoint = 0; endpoint < 40; endpoint += 1)
      await world.addMany(await world.addEndpoint({ url: slow.url }), endpoint === 0 ? 100_000 : 200);
    const { dispatcher, attempted } = makeDispatcher(world, sender.send, { options: { stopTimeoutMs: 1 } });
    dispatcher.start();
    await until(() => dispatcher.inFlight >= 150);
    const ids = await world.addDeliveries(await world.addEndpoint({ url: fast.url }), 300);
    dispatcher.wake();
    await attempted(300);
    expect(fast.deliveries.toSorted()).toEqual(ids.toSorted());
    await dispatcher.stop();
    expect(await world.states()).toEqual({ delivered: 300, waiting: 100_000 + 39 * 200 });
  });

  test('holds a bounded part of what waits, and gives it back at the end with what was not answered in time', async () => {
    const slow = await receive(() => NEVER);
    const endpointId = await world.addEndpoint({ url: slow.url });
    await world.addMany(endpointId, 1_000);
    const { dispatcher } = makeDispatcher(world, sender.send, { options: { stopTimeoutMs: 1 } });
    const claimed = () =>
      world.database.kysely.selectFrom('webhook_deliveries').select('id').where('claimed_by', 'is not', null).execute();
    dispatcher.start();
    await until(() => dispatcher.inFlight >= 10);
    expect((await claimed()).length).toBeLessThanOrEqual(10 + 4 * 10);
    await dispatcher.stop();
    expect(await claimed()).toEqual([]);
    expect(await world.states()).toEqual({ waiting: 1_000 });
    expect(await new DeliveryQueue(world.database).backlog(new Date())).toMatchObject({ waiting: 1_000 });
  });

  test('waits at the end for attempts under way, and writes down what they found', async () => {
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()];
    const receiver = await receive(() => {
      asked.resolve();
      return answer.promise;
    });
    const id = await world.addDelivery(await world.addEndpoint({ url: receiver.url }));
    const { dispatcher } = makeDispatcher(world, sender.send);
    dispatcher.start();
    await asked.promise;
    const stopped = dispatcher.stop();
    answer.resolve(200);
    await stopped;
    expect(await world.delivery(id)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  test('finds what is queued at once when it is woken', async () => {
    const receiver = await receive();
    const endpointId = await world.addEndpoint({ url: receiver.url });
    const { dispatcher, attempted } = makeDispatcher(world, sender.send, { options: { pollMs: 3_600_000 } });
    dispatcher.start();
    await sleep(50, new AbortController().signal);
    await world.addDelivery(endpointId);
    dispatcher.wake();
    await attempted(1);
    await dispatcher.stop();
    expect(await world.states()).toEqual({ delivered: 1 });
  });

  test('loses nothing while the database does not do its work, and tells of it', async () => {
    const receiver = await receive();
    await world.addDeliveries(await world.addEndpoint({ url: receiver.url }), 100);
    const queue = new DeliveryQueue(world.database);
    let calls = 0;
    // Every third result is lost after the commit.
    const failing = async <T>(work: () => Promise<T>): Promise<T> => {
      calls += 1;
      const result = await work();
      if (calls % 3 === 0) throw new AppError('unavailable', 'the connection ended');
      return result;
    };
    const failingQueue = Object.assign(new DeliveryQueue(world.database), {
      claimDue: (batch: ClaimBatch) => failing(() => queue.claimDue(batch)),
      settle: (batch: SettleBatch) => failing(() => queue.settle(batch)),
    });
    let now = Date.now();
    const { dispatcher, events } = makeDispatcher(world, sender.send, {
      // Time passes quickly, so that lost claims end.
      deps: {
        queue: failingQueue,
        clock: () => {
          now += 50;
          return new Date(now);
        },
        sleep: (ms, signal) => sleep(Math.min(ms, 5), signal),
      },
      options: { claimMs: 40_000 },
    });
    dispatcher.start();
    await until(async () => (await world.states())['delivered'] === 100);
    await dispatcher.stop();
    expect(new Set(receiver.deliveries).size).toBe(100);
    expect(events.filter(({ type }) => type === 'trouble').length).toBeGreaterThan(0);
    expect(events.some(({ type }) => type === 'recovered')).toBe(true);
  });

  test('goes on once the database writes down again what it held up', async () => {
    const receiver = await receive(async () => {
      await sleep(3, new AbortController().signal);
      return 200;
    });
    await world.addDeliveries(await world.addEndpoint({ url: receiver.url }), 100);
    const queue = new DeliveryQueue(world.database);
    const gate = Promise.withResolvers<void>();
    const slowQueue = Object.assign(new DeliveryQueue(world.database), {
      settle: (batch: SettleBatch) => gate.promise.then(() => queue.settle(batch)),
    });
    const options = { perEndpointMax: 4, inFlightMax: 4, pollMs: 3_600_000 };
    const { dispatcher, attempted } = makeDispatcher(world, sender.send, { deps: { queue: slowQueue }, options });
    dispatcher.start();
    await attempted(9); // More than may wait to be written down: none is begun until then.
    await sleep(100, new AbortController().signal);
    expect(receiver.received.length).toBeLessThanOrEqual(12);
    gate.resolve();
    await attempted(100);
    await dispatcher.stop();
    expect(await world.states()).toEqual({ delivered: 100 });
  });

  test('sends nothing to an endpoint that stopped being active after the claim', async () => {
    const receiver = await receive();
    const endpointId = await world.addEndpoint({ url: receiver.url });
    await world.addDeliveries(endpointId, 30);
    const gate = Promise.withResolvers<void>();
    let sent = 0;
    const send: SendRequest = async (request) => {
      sent += 1;
      await gate.promise;
      return sender.send(request);
    };
    const { dispatcher, attempted } = makeDispatcher(world, send, { options: { perEndpointMax: 5, pollMs: 10 } });
    dispatcher.start();
    await until(() => sent >= 5);
    await world.database.kysely.updateTable('webhook_endpoints').set({ state: 'suspended' }).execute();
    await until(async () => (await world.states())['dropped'] === 30);
    gate.resolve();
    await attempted(5);
    await dispatcher.stop();
    expect(sent).toBe(5);
    expect(await world.states()).toEqual({ dropped: 30 });
  });

  test('an endpoint whose secret it can not open rests as a whole, and is told of once', async () => {
    const receiver = await receive();
    const [damaged, other] = [
      await world.addEndpoint({ url: receiver.url }),
      await world.addEndpoint({ url: receiver.url }),
    ];
    await world.addMany(damaged, 1_000);
    await world.addDeliveries(other, 300);
    let tries = 0;
    const secrets = {
      open: (sealed: string, endpointId: string) => {
        if (endpointId !== damaged) return SECRET_KEYS.open(sealed, endpointId);
        tries += 1;
        throw new AppError('configuration', 'of another key');
      },
    };
    const deps = { secrets };
    const { run, events } = makeDispatcher(world, sender.send, { deps, options: { pollMs: 5 } });
    await run(300);
    expect(tries).toBe(1);
    expect(events.filter(({ type }) => type === 'put_off')).toMatchObject([{ endpointId: damaged }]);
    const due = await world.database.kysely
      .selectFrom('webhook_deliveries')
      .where('endpoint_id', '=', damaged)
      .where('due_at', '=', START.getTime())
      .select('id')
      .execute();
    expect(due.length).toBeGreaterThan(900); // What was not claimed is as late as it is.
    expect(await world.states()).toEqual({ delivered: 300, waiting: 1_000 });
    const untouched = { attempts: 0, claimed_by: null };
    expect(await world.delivery(due[0]?.id ?? '')).toMatchObject(untouched);
  });

  test('what is still to be written down is not begun again, though its claim has ended meanwhile', async () => {
    const receiver = await receive();
    const id = await world.addDelivery(await world.addEndpoint({ url: receiver.url }));
    const queue = new DeliveryQueue(world.database);
    const [isBack, claimedTwice] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let [now, claims] = [Date.now(), 0];
    const outOfOrder = Object.assign(new DeliveryQueue(world.database), {
      claimDue: async (batch: ClaimBatch) => {
        const claimed = await queue.claimDue(batch);
        claims += claimed.length;
        if (claims === 2) claimedTwice.resolve();
        return claimed;
      },
      settle: (batch: SettleBatch) => isBack.promise.then(() => queue.settle(batch)),
    });
    const deps = { queue: outOfOrder, clock: () => new Date(now) };
    const { dispatcher, attempted } = makeDispatcher(world, sender.send, { deps, options: { pollMs: 5 } });
    dispatcher.start();
    await attempted(1);
    now += 10 * 60_000; // No claim lasts as long.
    await claimedTwice.promise;
    await sleep(50, new AbortController().signal);
    isBack.resolve();
    await dispatcher.stop();
    expect(receiver.deliveries).toEqual([id]);
    expect(await world.delivery(id)).toMatchObject({ state: 'delivered', attempts: 1, claimed_by: null });
  });

  test('is refused where its claims would not outlast its attempts', () => {
    expect(() => makeDispatcher(world, sender.send, { options: { claimMs: 20_000 } })).toThrow('too short');
  });

  describe('sends one delivery at once', () => {
    async function addPing(url: string) {
      const endpointId = await world.addEndpoint({ url, state: 'registered' });
      const now = new Date(START.getTime());
      const id = await queuePing(world.database.kysely, { id: endpointId, topics: [] }, now);
      return { endpointId, id };
    }

    test('and tells what the receiver answered', async () => {
      const receiver = await receive(() => 201);
      const { endpointId, id } = await addPing(receiver.url);
      const { dispatcher, events } = makeDispatcher(world, sender.send);
      const lastAttempt = { attempt: 1, outcome: 'delivered', status: 201, answer: 'thanks' };
      expect(await dispatcher.sendNow(id)).toMatchObject({ state: 'delivered', attempts: 1, lastAttempt });
      expect(receiver.received).toMatchObject([{ headers: { 'x-service-event': 'ping', 'x-service-delivery': id } }]);
      expect(await world.endpoint(endpointId)).toMatchObject({ state: 'active' });
      expect(events).toMatchObject([{ type: 'attempted' }, { type: 'activated', endpointId }]);
    });

    test('or what it found where another dispatcher has it', async () => {
      const receiver = await receive(async () => {
        await sleep(300, new AbortController().signal);
        return 500;
      });
      const { id } = await addPing(receiver.url);
      const [one, two] = [makeDispatcher(world, sender.send), makeDispatcher(world, sender.send)];
      const answers = await Promise.all([one.dispatcher.sendNow(id), two.dispatcher.sendNow(id)]);
      for (const answer of answers)
        expect(answer).toMatchObject({ state: 'failed', attempts: 1, lastAttempt: { outcome: 'status', status: 500 } });
      expect(receiver.received).toHaveLength(1);
    });

    test('after dropping what an earlier registration left', async () => {
      const receiver = await receive();
      const { endpointId, id } = await addPing(receiver.url);
      const left = await world.addDelivery(endpointId);
      await makeDispatcher(world, sender.send).dispatcher.sendNow(id);
      expect(await world.endpoint(endpointId)).toMatchObject({ state: 'active' });
      expect(await world.delivery(left)).toMatchObject({ state: 'dropped' });
    });

    test('and gives it back where the secret can not be opened', async () => {
      const { id } = await addPing('http://127.0.0.1:9/');
      const secrets = {
        open: () => {
          throw new AppError('configuration', 'no such key');
        },
      };
      const { dispatcher } = makeDispatcher(world, sender.send, { deps: { secrets } });
      await expect(dispatcher.sendNow(id)).rejects.toMatchObject({ code: 'configuration' });
      expect(await world.delivery(id)).toMatchObject({ state: 'waiting', claimed_by: null });
      expect(await dispatcher.sendNow('dlv_none')).toBeUndefined();
    });
  });
});
