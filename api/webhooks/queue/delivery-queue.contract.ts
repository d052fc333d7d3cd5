import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { START, WebhookDatabase } from '../../../test/support/webhooks/webhook-database.ts';
import { settlementOf } from '../delivery/attempt-delivery.ts';
import { FAILURES_MAX } from '../endpoints/endpoint.ts';
import { dropWaiting, moveEndpoint, queuePing } from '../endpoints/transitions.ts';
import type { Attempt, Claim, ClaimedDelivery, Demand, Outcome, SettleBatch } from './delivery.ts';
import { DeliveryQueue } from './delivery-queue.ts';

const CLAIM_MS = 60_000;
const SECOND_MS = 1_000;
const at = (ms: number) => new Date(START.getTime() + ms);

function attemptOf(delivery: ClaimedDelivery, outcome: Outcome, ms = 0): Attempt {
  const startedAt = at(ms);
  const status = outcome === 'delivered' ? 200 : null;
  return { attempt: delivery.attempt, startedAt, durationMs: 7, outcome, status, message: null, answer: 'ok' };
}

/** What every queue does; `another` makes an empty database and gives its address. */
export function describeDeliveryQueue(name: string, another: () => Promise<string>): void {
  describe(`deliveries on ${name}`, () => {
    let world: WebhookDatabase;
    let queue: DeliveryQueue;
    let url: string;

    beforeEach(async () => {
      url = await another();
      world = await WebhookDatabase.open(url);
      queue = new DeliveryQueue(world.database);
    });
    afterEach(() => world.close());

    type Settling = Partial<SettleBatch> & { readonly ms?: number };
    type Claiming = Partial<Claim> & { readonly ms?: number };

    function settle(batch: Settling) {
      return queue.settle({ dispatcher: 'one', now: at(batch.ms ?? 0), settlements: [], releases: [], ...batch });
    }

    function claimDue(demands: readonly Demand[], { ms = 0, dispatcher = 'one' }: Claiming = {}, on = queue) {
      return on.claimDue({ dispatcher, now: at(ms), claimUntil: at(ms + CLAIM_MS), demands });
    }

    function claim(endpointId: string, count = 1, claiming: Claiming = {}) {
      return claimDue([{ endpointId, count }], claiming);
    }

    async function claimOne(endpointId: string, claiming: Claiming = {}): Promise<ClaimedDelivery> {
      const [delivery] = await claim(endpointId, 1, claiming);
      return delivery ?? expect.fail('nothing was claimed');
    }

    test('claims what is due, the longest due first, with all that an attempt needs', async () => {
      const endpointId = await world.addEndpoint();
      const later = await world.addDelivery(endpointId, { at: at(5) });
      const first = await world.addDelivery(endpointId, { at: at(1) });
      await world.addDelivery(endpointId, { at: at(SECOND_MS) });
      const claimed = await claim(endpointId, 5, { ms: 10 });
      expect(claimed.map(({ id }) => id).toSorted()).toEqual([later, first].toSorted());
      expect(claimed.find(({ id }) => id === first)).toEqual({
        id: first,
        kind: 'event',
        endpointId,
        attempt: 1,
        claimedUntil: at(10 + CLAIM_MS),
        event: {
          id: (await world.delivery(first)).event_id,
          topic: 'score.updated',
          occurredAt: at(1),
          data: '{"model_id":"acme/one","benchmark_id":"mmlu","seq":1}',
        },
      });
      expect(await claim(endpointId, 5, { ms: 11 })).toEqual([]);
    });

    test('claims no more than is wanted of each endpoint, and only for endpoints that may have it', async () => {
      const [active, other] = [await world.addEndpoint(), await world.addEndpoint()];
      const registered = await world.addEndpoint({ state: 'registered' });
      const suspended = await world.addEndpoint({ state: 'suspended' });
      for (const id of [active, other, registered, suspended]) await world.addDeliveries(id, 5);
      const ping = await world.addDelivery(registered, { kind: 'ping' });
      await world.addDelivery(suspended, { kind: 'ping' });
      const demands = [active, other, registered, suspended].map((endpointId, index) => ({
        endpointId,
        count: 3 - (index % 2),
      }));
      const claimed = await claimDue(demands);
      const counts = Map.groupBy(claimed, ({ endpointId }) => endpointId);
      expect([counts.get(active)?.length, counts.get(other)?.length]).toEqual([3, 2]);
      expect(counts.get(registered)?.map(({ id }) => id)).toEqual([ping]);
      expect(counts.get(suspended)).toBeUndefined();
    });

    test('writes a delivered attempt, and a failed one with the time of the next', async () => {
      const endpointId = await world.addEndpoint();
      await world.addDeliveries(endpointId, 2);
      const [one, two] = [await claimOne(endpointId), await claimOne(endpointId)];
      await settle({
        settlements: [
          settlementOf(one, attemptOf(one, 'delivered', 5)),
          settlementOf(two, { ...attemptOf(two, 'tls', 5), message: 'no certificate' }),
        ],
      });
      const ended = at(5).getTime() + 7;
      expect(await world.delivery(one.id)).toMatchObject({
        state: 'delivered',
        attempts: 1,
        claimed_by: null,
        finished_at: ended,
      });
      expect(await world.delivery(two.id)).toMatchObject({
        state: 'waiting',
        attempts: 1,
        claimed_by: null,
        due_at: ended + 60_000,
        finished_at: null,
      });
      expect(await world.attempts(two.id)).toEqual([
        {
          delivery_id: two.id,
          attempt: 1,
          started_at: at(5).getTime(),
          duration_ms: 7,
          outcome: 'tls',
          status: null,
          message: 'no certificate',
          answer: 'ok',
        },
      ]);
      expect(await queue.find(one.id)).toMatchObject({
        state: 'delivered',
        lastAttempt: attemptOf(one, 'delivered', 5),
      });
    });

    test('lets another dispatcher make the same attempt again once a claim has ended, and counts it once', async () => {
      const endpointId = await world.addEndpoint();
      const id = await world.addDelivery(endpointId);
      const first = await claimOne(endpointId);
      expect(await claim(endpointId, 1, { dispatcher: 'two', ms: CLAIM_MS - 1 })).toEqual([]);
      const second = await claimOne(endpointId, { dispatcher: 'two', ms: CLAIM_MS });
      expect(second).toMatchObject({ id, attempt: 1 });
      await settle({ settlements: [settlementOf(first, attemptOf(first, 'timeout'))] });
      expect(await world.delivery(id)).toMatchObject({ attempts: 0, claimed_by: 'two' });
      const settlements = [settlementOf(second, attemptOf(second, 'delivered'))];
      await settle({ dispatcher: 'two', settlements });
      await settle({ dispatcher: 'two', settlements });
      expect(await world.delivery(id)).toMatchObject({ state: 'delivered', attempts: 1 });
      expect(await world.attempts(id)).toHaveLength(1);
    });

    test('gives back what was not attempted', async () => {
      const endpointId = await world.addEndpoint();
      await world.addDelivery(endpointId);
      const delivery = await claimOne(endpointId);
      await settle({ releases: [{ delivery, dueAt: at(1) }] });
      expect(await claim(endpointId, 1, { dispatcher: 'two', ms: 1 })).toMatchObject([{ id: delivery.id, attempt: 1 }]);
    });

    test('revokes an endpoint with the twentieth delivery in a row that fails, notifies and says so in the audit log', async () => {
      const endpointId = await world.addEndpoint({ failures: FAILURES_MAX - 2 });
      await world.addDeliveries(endpointId, 2);
      const fail = async () => {
        const delivery = await claimOne(endpointId);
        return settle({
          ms: 9,
          settlements: [{ ...settlementOf(delivery, attemptOf(delivery, 'status')), nextAt: undefined }],
        });
      };
      const audit = world.database.kysely.selectFrom('audit_log').selectAll();
      expect([(await fail()).revoked, await audit.execute()]).toEqual([[], []]);
      expect((await fail()).revoked).toEqual([endpointId]);
      expect(await world.endpoint(endpointId)).toMatchObject({
        state: 'revoked',
        consecutive_failures: 0,
        notice: 'revoked',
        state_changed_at: at(9).getTime(),
      });
      expect(await audit.execute()).toMatchObject([
        { action: 'webhook.revoke', actor: 'system', organization_id: 'org_1', subject_id: endpointId },
      ]);
    });

    test('begins to count anew with a success, in the order in which attempts ended', async () => {
      const endpointId = await world.addEndpoint({ failures: 19 });
      await world.addDeliveries(endpointId, 3);
      const claimed = await claim(endpointId, 3);
      const outcomes: readonly Outcome[] = ['delivered', 'timeout', 'dns'];
      const settlements = claimed.map((delivery, index) => ({
        ...settlementOf(delivery, attemptOf(delivery, outcomes[index] ?? 'tls')),
        nextAt: undefined,
      }));
      expect(await settle({ settlements })).toMatchObject({ revoked: [] });
      expect(await world.endpoint(endpointId)).toMatchObject({ state: 'active', consecutive_failures: 2 });
    });

    test('drops nothing of an endpoint that is active again by then, and no ping of one that was enabled meanwhile', async () => {
      const { kysely } = world.database;
      const endpointId = await world.addEndpoint();
      const event = await world.addDelivery(endpointId);
      for (const state of ['registered', 'revoked', 'suspended'] as const)
        expect(await queue.drop({ id: endpointId, state }, at(1))).toBe(0);
      expect(await world.delivery(event)).toMatchObject({ state: 'waiting' });
      await moveEndpoint(kysely, endpointId, { from: ['active'], to: 'registered', now: at(2) });
      const ping = await queuePing(kysely, { id: endpointId, topics: [] }, at(2));
      for (const state of ['revoked', 'suspended'] as const)
        expect(await queue.drop({ id: endpointId, state }, at(3))).toBe(0);
      expect(await world.delivery(ping)).toMatchObject({ state: 'waiting' });
    });

    test('drops nothing that was delivered meanwhile', async () => {
      const endpointId = await world.addEndpoint();
      const ids = await world.addDeliveries(endpointId, 300);
      const claimed = await claim(endpointId, 300);
      const settlements = claimed.map((delivery) => settlementOf(delivery, attemptOf(delivery, 'delivered')));
      const settled = settle({ settlements });
      const { kysely } = world.database;
      await moveEndpoint(kysely, endpointId, { from: ['active'], to: 'suspended', now: at(1) });
      await dropWaiting(kysely, endpointId, { now: at(1) });
      await settled;
      const states = await Promise.all(ids.map(async (id) => (await world.delivery(id)).state));
      const attempts = await Promise.all(ids.map((id) => world.attempts(id)));
      expect(states.map((state) => state === 'delivered')).toEqual(attempts.map(({ length }) => length === 1));
    });

    test('claims one delivery by its id, before it is due, unless somebody has it', async () => {
      const endpointId = await world.addEndpoint();
      const id = await world.addDelivery(endpointId, { at: at(CLAIM_MS) });
      const asking = { now: START, claimUntil: at(CLAIM_MS) };
      expect(await queue.claim(id, { dispatcher: 'one', ...asking })).toMatchObject({ id, attempt: 1 });
      expect(await queue.claim(id, { dispatcher: 'two', ...asking })).toBeUndefined();
      const late = { now: at(CLAIM_MS), claimUntil: at(CLAIM_MS * 2) };
      expect(await queue.claim(id, { dispatcher: 'two', ...late })).toMatchObject({ id, attempt: 1 });
      expect(await queue.claim('dlv_none', { dispatcher: 'one', ...asking })).toBeUndefined();
    });

    test('two that ask at once never get the same delivery', async () => {
      const endpointId = await world.addEndpoint();
      await world.addDeliveries(endpointId, 200);
      const other = await WebhookDatabase.open(url);
      const demands = [{ endpointId, count: 20 }];
      const rounds = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          claimDue(demands, { dispatcher: `d${index}` }, index % 2 === 0 ? queue : new DeliveryQueue(other.database)),
        ),
      );
      const ids = rounds.flatMap((claimed) => claimed.map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(200);
      await other.close();
    });

    test('knows how much waits and since when', async () => {
      expect(await queue.backlog(START)).toEqual({ waiting: 0, oldestDueAt: undefined });
      const endpointId = await world.addEndpoint();
      await world.addDelivery(endpointId, { at: at(3) });
      await world.addDelivery(await world.addEndpoint(), { at: at(7) });
      expect(await queue.backlog(at(2))).toEqual({ waiting: 2, oldestDueAt: undefined });
      expect(await queue.backlog(at(9))).toEqual({ waiting: 2, oldestDueAt: at(3) });
    });

    test('finds the endpoints for which deliveries wait, each with the time of its first', async () => {
      const endpointIds = await Promise.all(Array.from({ length: 3 }, () => world.addEndpoint()));
      for (const endpointId of endpointIds) await world.addMany(endpointId, 20);
      const found = await queue.findWaiting();
      expect(found.map(({ id, dueAt }) => [id, dueAt])).toEqual(endpointIds.toSorted().map((id) => [id, START]));
    });
  });
}
