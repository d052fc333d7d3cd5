import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { isAppError } from '../../../runtime/errors.ts';
import { SecretKeys, secretFromBytes, signatureHeaders } from './signature.ts';

const stripe = new Stripe('sk_test_unused');
const TOLERANCE_SECONDS = 300;
const [SECRET, ROTATED] = [secretFromBytes(Buffer.alloc(32, 5)), secretFromBytes(Buffer.alloc(32, 6))];

/** What a delivery sends: `attempt-delivery.test.ts` shows that it has these headers. */
function deliver({ secret = SECRET, at = new Date(), seq = 1 } = {}) {
  const body = JSON.stringify({ id: `evt_${seq}`, data: { model_id: '@cf/é', seq } });
  return { body, headers: signatureHeaders({ deliveryId: `dlv_${seq}`, body, secret, at }) };
}
type Delivered = ReturnType<typeof deliver>;

/** Receivers that others wrote; each throws where it refuses. */
const VERIFIERS = {
  stripe({ body, headers }: Delivered, secret: string): unknown {
    return stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), secret, TOLERANCE_SECONDS);
  },
  standardwebhooks: ({ body, headers }: Delivered, secret: string): unknown =>
    new Webhook(secret).verify(body, headers),
};

describe.each(Object.entries(VERIFIERS))('A receiver with the package %s (specification "Signature")', (_, verify) => {
  test('accepts every delivery', () => {
    for (let seq = 1; seq <= 25; seq += 1) {
      const one = deliver({ seq });
      expect(verify(one, SECRET)).toEqual(JSON.parse(one.body));
    }
  });

  test('refuses a body of which any byte is another', () => {
    const one = deliver();
    for (let place = 0; place < one.body.length; place += 1) {
      const changed = String.fromCharCode(one.body.charCodeAt(place) ^ 1);
      const body = one.body.slice(0, place) + changed + one.body.slice(place + 1);
      expect(() => verify({ ...one, body }, SECRET)).toThrow();
    }
  });

  test('refuses what was signed six minutes ago', () => {
    const one = deliver({ at: new Date(Date.now() - 6 * 60_000) });
    expect(() => verify(one, SECRET)).toThrow(/timestamp|too old/i);
  });

  test('accepts with the new secret alone after a rotation', () => {
    const after = deliver({ secret: ROTATED });
    expect(verify(after, ROTATED)).toBeDefined();
    expect(() => verify(after, SECRET)).toThrow();
  });
});

describe('A sealed secret', () => {
  const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
  const codeOf = (work: () => unknown) => {
    try {
      work();
      return 'opened';
    } catch (error) {
      return isAppError(error) ? error.code : 'other';
    }
  };

  test('opens again, for its endpoint alone, and shows nothing of the secret', () => {
    const keys = new SecretKeys([OLD]);
    const sealed = keys.seal('whsec_abcdefgh', 'whe_1');
    expect(sealed).not.toMatch(/abcdefgh|whe_1/);
    expect(keys.open(sealed, 'whe_1')).toBe('whsec_abcdefgh');
    expect(codeOf(() => keys.open(sealed, 'whe_2'))).toBe('corrupt');
    expect(keys.seal('whsec_abcdefgh', 'whe_1')).not.toBe(sealed);
  });

  test('is sealed with the first key and opened with any, and a key that is gone is a fault of the configuration', () => {
    const sealed = new SecretKeys([OLD]).seal('whsec_x', 'whe_1');
    const both = new SecretKeys([NEW, OLD]);
    expect([both.open(sealed, 'whe_1'), both.isCurrent(sealed)]).toEqual(['whsec_x', false]);
    const resealed = both.seal('whsec_x', 'whe_1');
    expect(both.isCurrent(resealed)).toBe(true);
    const alone = new SecretKeys([NEW]);
    expect(alone.open(resealed, 'whe_1')).toBe('whsec_x');
    expect(codeOf(() => alone.open(sealed, 'whe_1'))).toBe('configuration');
  });

  test('never opens with a changed character', () => {
    const keys = new SecretKeys([OLD]);
    const sealed = keys.seal(`whsec_${'k'.repeat(40)}`, 'whe_1');
    const tagOf = (text: string) => Buffer.from(text.split('.')[3] ?? '', 'base64url');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: sealed.length - 1 }), fc.constantFrom(...'.Az0_-'), (at, character) => {
        fc.pre(sealed[at] !== character);
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
        // The last character of base64url holds bits that mean nothing: what decodes alike is the same.
        fc.pre(at < sealed.lastIndexOf('.') || !tagOf(changed).equals(tagOf(sealed)));
        expect(codeOf(() => keys.open(changed, 'whe_1'))).not.toBe('opened');
      }),
      { numRuns: 300 },
    );
  });
});
