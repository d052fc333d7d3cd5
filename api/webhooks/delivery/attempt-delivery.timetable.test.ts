import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeTime, settle } from '../../../test/support/schedule/fake-time.ts';
import { makeDispatcher, type TestDispatcher } from '../../../test/support/webhooks/test-dispatcher.ts';
import { START, WebhookDatabase } from '../../../test/support/webhooks/webhook-database.ts';
import { ATTEMPTS_MAX, type OutgoingRequest, RETRY_DELAYS_MS } from './attempt-delivery.ts';

const MINUTE_MS = 60_000;
const LOOK_MS = MINUTE_MS / 2;
/** How long each attempt takes. */
const DURATION_MS = 1_500;

describe('The timetable (specification "Retries")', () => {
  let world: WebhookDatabase;
  let time: FakeTime;
  let sent: { readonly atMs: number; readonly request: OutgoingRequest }[];
  let tested: TestDispatcher;

  beforeEach(async () => {
    world = await WebhookDatabase.open('sqlite::memory:');
    time = new FakeTime(START.toISOString());
    sent = [];
    const send = async (request: OutgoingRequest) => {
      sent.push({ atMs: time.clock().getTime() - START.getTime(), request });
      return { kind: 'answer', status: 503, body: Buffer.from('no'), durationMs: DURATION_MS } as const;
    };
    const options = { pollMs: LOOK_MS, perEndpointMax: 1 };
    tested = makeDispatcher(world, send, { deps: { clock: time.clock, sleep: time.sleep }, options });
  });
  afterEach(async () => {
    await tested.dispatcher.stop();
    await world.close();
  });

  /** Lets hours pass, and all that happens in them happen. */
  async function pass(hours: number): Promise<void> {
    for (let minute = 1; minute <= hours * 60; minute += 1) {
      await time.moveTo(new Date(time.clock().getTime() + MINUTE_MS).toISOString());
      for (let turns = 0; turns < 20; turns += 1) await settle();
    }
  }

  test.each(['event', 'replay'] as const)(
    'a delivery (%s) is attempted six times, each so long after the end of the one before, with the same id and bytes',
    async (kind) => {
      const id = await world.addDelivery(await world.addEndpoint(), { kind });
      tested.dispatcher.start();
      await pass(16);
      expect(sent).toHaveLength(ATTEMPTS_MAX);
      const delays = sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0) - DURATION_MS);
      // A look every half minute finds what is due.
      for (const [index, delayMs] of delays.entries()) {
        expect(delayMs).toBeGreaterThanOrEqual(RETRY_DELAYS_MS[index] ?? 0);
        expect(delayMs).toBeLessThanOrEqual((RETRY_DELAYS_MS[index] ?? 0) + LOOK_MS);
      }
      expect(RETRY_DELAYS_MS.map((ms) => ms / MINUTE_MS)).toEqual([1, 5, 30, 120, 720]);
      expect(await world.delivery(id)).toMatchObject({ state: 'failed', attempts: 6, claimed_by: null });
      const attempts = await world.attempts(id);
      expect(attempts.map(({ attempt, outcome, status }) => [attempt, outcome, status])).toEqual(
        [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, 'status', 503]),
      );
      expect(new Set(sent.map(({ request }) => request.body)).size).toBe(1);
      expect(new Set(sent.map(({ request }) => request.headers['x-service-delivery']))).toEqual(new Set([id]));
      const signed = sent.map(({ request }) => /^t=(\d+),v1=/.exec(request.headers['x-service-signature'] ?? '')?.[1]);
      expect(signed).toEqual(sent.map(({ atMs }) => String(Math.floor((START.getTime() + atMs) / 1000))));
    },
  );

  test('twenty deliveries that failed six times each revoke their endpoint, and what waits is dropped', async () => {
    const endpointId = await world.addEndpoint();
    await world.addDeliveries(endpointId, 20);
    const late = await world.addDelivery(endpointId, { at: new Date(START.getTime() + 1_000 * 3_600_000) });
    tested.dispatcher.start();
    await pass(17);
    expect(sent).toHaveLength(20 * ATTEMPTS_MAX);
    expect(await world.endpoint(endpointId)).toMatchObject({ state: 'revoked', notice: 'revoked' });
    expect(await world.states()).toEqual({ failed: 20, dropped: 1 });
    expect(await world.delivery(late)).toMatchObject({ state: 'dropped' });
    expect(tested.events.filter(({ type }) => type !== 'attempted')).toEqual([
      { type: 'revoked', endpointId },
      { type: 'dropped', endpointId, deliveries: 1 },
    ]);
  });
});
