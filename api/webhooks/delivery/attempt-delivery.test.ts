import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeTime, settle } from '../../../test/support/schedule/fake-time.ts';
import { makeDispatcher, type TestDispatcher } from '../../../test/support/webhooks/test-dispatcher.ts';
import { SECRET, START, WebhookDatabase } from '../../../test/support/webhooks/webhook-database.ts';
import { signatureHeaders } from '../endpoints/signature.ts';
import type { ClaimedDelivery } from '../queue/delivery.ts';
import {
  ATTEMPTS_MAX,
  attemptDelivery,
  type OutgoingRequest,
  RESPONSE_BYTES_MAX,
  RESPONSE_TIMEOUT_MS,
  RETRY_DELAYS_MS,
  type RequestResult,
  textFromResponse,
} from './attempt-delivery.ts';

const DELIVERY: ClaimedDelivery = {
  id: 'dlv_1',
  kind: 'event',
  endpointId: 'whe_1',
  attempt: 2,
  claimedUntil: START,
  event: { id: 'evt_1', topic: 'score.updated', occurredAt: START, data: '{"model_id":"@cf/é","seq":7}' },
};

const BODY =
  '{"id":"evt_1","topic":"score.updated","occurred_at":"2026-11-20T12:00:00Z","data":{"model_id":"@cf/é","seq":7}}';

async function attempt(result: RequestResult) {
  const sent: OutgoingRequest[] = [];
  const target = { url: 'https://example.com/hook', secret: SECRET, signal: new AbortController().signal };
  const made = await attemptDelivery(DELIVERY, target, {
    send: async (request) => {
      sent.push(request);
      return result;
    },
    clock: () => START,
    userAgent: 'modelstats-webhooks/1.2.3',
    timeoutMs: RESPONSE_TIMEOUT_MS,
  });
  return { made, sent };
}

const answered = (status: number, body = ''): RequestResult => ({
  kind: 'response',
  status,
  body: Buffer.from(body),
  durationMs: 12.4,
});

describe('An attempt (specification "Delivery")', () => {
  test('is a POST of the event with its headers, ten seconds for the answer', async () => {
    const { sent } = await attempt(answered(200));
    expect(sent).toMatchObject([
      {
        method: 'POST',
        url: 'https://example.com/hook',
        body: BODY,
        timeoutMs: 10_000,
        headers: {
          'content-type': 'application/json',
          'x-service-event': 'score.updated',
          'x-service-delivery': 'dlv_1',
          ...signatureHeaders({ deliveryId: 'dlv_1', body: BODY, secret: SECRET, at: START }),
          'user-agent': 'modelstats-webhooks/1.2.3',
        },
      },
    ]);
  });

  test.each([200, 201, 202, 204, 226, 299])('any 2xx is delivered: %d', async (status) => {
    const { made } = await attempt(answered(status, 'fine'));
    expect(made).toEqual({
      attempt: 2,
      startedAt: START,
      durationMs: 12,
      outcome: 'delivered',
      status,
      message: null,
      answer: 'fine',
    });
  });

  test.each([100, 400, 404, 410, 429, 500, 503])('any other answer has failed: %d', async (status) => {
    const { made } = await attempt(answered(status, 'sorry'));
    expect(made).toMatchObject({ outcome: 'status', status, message: `the response was ${status}`, answer: 'sorry' });
  });

  test.each([
    ['blocked', {}],
    ['timeout', {}],
    ['tls', {}],
    ['dns', {}],
    ['connection', {}],
    ['redirect', { status: 301 }],
  ] as const)('%s is told as such, a redirect with its status', async (reason, status) => {
    const { made } = await attempt({ kind: 'failure', reason, message: 'why', durationMs: 5, ...status });
    expect(made).toMatchObject({ outcome: reason, status: null, message: 'why', answer: null, ...status });
  });

  test.each([
    ['nothing', Buffer.alloc(0), null],
    ['its first KiB', Buffer.alloc(5000, 'a'), 'a'.repeat(RESPONSE_BYTES_MAX)],
    ['no half character', Buffer.from(`${'a'.repeat(RESPONSE_BYTES_MAX - 1)}é`), 'a'.repeat(RESPONSE_BYTES_MAX - 1)],
    ['no zero character', Buffer.from('a\0b'), 'a\uFFFDb'],
    ['no bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\uFFFDb'],
  ])('of the answer is kept: %s', (_, body, text) => {
    expect(textFromResponse(body)).toBe(text);
  });
});

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
      return { kind: 'response', status: 503, body: Buffer.from('no'), durationMs: DURATION_MS } as const;
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
      expect(attempts.map((one) => [one.attempt, one.outcome, one.status])).toEqual(
        [1, 2, 3, 4, 5, 6].map((number) => [number, 'status', 503]),
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
