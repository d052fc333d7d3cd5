import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { attemptDelivery, type OutgoingRequest } from '../delivery/attempt-delivery.ts';
import { secretFromBytes } from './signature.ts';

const stripe = new Stripe('sk_test_unused');
const TOLERANCE_SECONDS = 300;
const SIX_MINUTES_MS = 6 * 60_000;
const [SECRET, ROTATED] = [secretFromBytes(Buffer.alloc(32, 5)), secretFromBytes(Buffer.alloc(32, 6))];

/** Receivers that others wrote; each throws where it refuses. */
const VERIFIERS = {
  stripe({ body, headers }: OutgoingRequest, secret: string): unknown {
    return stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), secret, TOLERANCE_SECONDS);
  },
  standardwebhooks({ body, headers }: OutgoingRequest, secret: string): unknown {
    const named = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]);
    return new Webhook(secret).verify(body, Object.fromEntries(named));
  },
};

/** What a delivery sends. */
async function deliver({ secret = SECRET, at = new Date(), seq = 1 } = {}): Promise<OutgoingRequest> {
  const sent: OutgoingRequest[] = [];
  const data = JSON.stringify({ model_id: '@cf/é', seq });
  const event = { id: `evt_${seq}`, topic: 'model.created', occurredAt: at, data };
  const claim = { id: `dlv_${seq}`, kind: 'event', endpointId: 'whe_1', attempt: 1, claimedUntil: at, event } as const;
  await attemptDelivery(
    claim,
    { url: 'https://example.com/hook', secret, signal: new AbortController().signal },
    {
      send: async (request) => {
        sent.push(request);
        return { kind: 'answer', status: 200, body: Buffer.alloc(0), durationMs: 1 };
      },
      clock: () => at,
      userAgent: 'modelstats-webhooks/test',
      timeoutMs: 1_000,
    },
  );
  return sent[0] ?? expect.fail('nothing was sent');
}

describe.each(Object.entries(VERIFIERS))('A receiver with the package %s (specification "Signature")', (_, verify) => {
  test('accepts every delivery', async () => {
    for (let seq = 1; seq <= 25; seq += 1) {
      const one = await deliver({ seq });
      expect(verify(one, SECRET)).toEqual(JSON.parse(one.body));
    }
  });

  test('refuses a body of which any byte is another', async () => {
    const one = await deliver();
    for (let place = 0; place < one.body.length; place += 1) {
      const changed = String.fromCharCode(one.body.charCodeAt(place) ^ 1);
      const body = one.body.slice(0, place) + changed + one.body.slice(place + 1);
      expect(() => verify({ ...one, body }, SECRET)).toThrow();
    }
  });

  test('refuses what was signed six minutes ago', async () => {
    const one = await deliver({ at: new Date(Date.now() - SIX_MINUTES_MS) });
    expect(() => verify(one, SECRET)).toThrow(/timestamp|too old/i);
  });

  test('accepts with the new secret alone after a rotation', async () => {
    const after = await deliver({ secret: ROTATED });
    expect(verify(after, ROTATED)).toBeDefined();
    expect(() => verify(after, SECRET)).toThrow();
  });
});
