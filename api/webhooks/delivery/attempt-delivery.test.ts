import { describe, expect, test } from 'vitest';
import { SECRET, START } from '../../../test/support/webhooks/webhook-database.ts';
import { signatureHeaders } from '../endpoints/signature.ts';
import type { ClaimedDelivery } from '../queue/delivery.ts';
import {
  ANSWER_BYTES_MAX,
  ANSWER_TIMEOUT_MS,
  attemptDelivery,
  type OutgoingRequest,
  type RequestResult,
  textFromAnswer,
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
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  return { made, sent };
}

const answered = (status: number, body = ''): RequestResult => ({
  kind: 'answer',
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
    expect(made).toMatchObject({ outcome: 'status', status, message: `the answer was ${status}`, answer: 'sorry' });
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
    ['its first KiB', Buffer.alloc(5000, 'a'), 'a'.repeat(ANSWER_BYTES_MAX)],
    ['no half character', Buffer.from(`${'a'.repeat(ANSWER_BYTES_MAX - 1)}é`), 'a'.repeat(ANSWER_BYTES_MAX - 1)],
    ['no zero character', Buffer.from('a\0b'), 'a\uFFFDb'],
    ['no bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\uFFFDb'],
  ])('of the answer is kept: %s', (_, body, text) => {
    expect(textFromAnswer(body)).toBe(text);
  });
});
