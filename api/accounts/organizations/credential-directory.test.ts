import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { TestClock, times } from '../../../test/support/accounts/subject.ts';
import { CredentialDirectory } from './credential-directory.ts';
import type { CredentialSelector, LiveCredential } from './live-credential.ts';
import { NO_BONUS, NO_SUBSCRIPTION } from './terms.ts';
import { API_KEYS, base62FromNumber, hashOfToken, lastFourOf } from './token-form.ts';

const OPTIONS = { ttlMs: 3_000, unknownTtlMs: 60_000, entriesMax: 5, unknownMax: 5, lookupsMax: 10 };

function newKey(): string {
  return API_KEYS.fromBytes(randomBytes(32));
}

/** A directory over a database that knows these keys and counts how often it is asked. */
function start(...keys: readonly string[]) {
  const clock = new TestClock();
  const known = new Set(keys.map(hashOfToken));
  const database = {
    asked: 0,
    changes: 0,
    isDown: false,
    version: () => database.changes,
    /** By what it was asked. */
    selectors: [] as CredentialSelector[],
    find: async (by: CredentialSelector): Promise<LiveCredential | undefined> => {
      database.asked += 1;
      database.selectors.push(by);
      await Promise.resolve();
      if (database.isDown) throw new AppError('unavailable', 'down');
      const key = { credentialId: 'key_1', organizationId: 'org_1', expiresAtMs: null };
      const isKnown = 'hash' in by && known.has(by.hash);
      return isKnown ? { ...key, subscription: NO_SUBSCRIPTION, bonusEnds: NO_BONUS } : undefined;
    },
  };
  const directory = new CredentialDirectory(API_KEYS, database, { clock: clock.now, ...OPTIONS });
  return { clock, known, database, directory };
}

test('a key in use is looked up once per lifetime, also by 100 requests at once', async () => {
  const key = newKey();
  const { clock, database, directory } = start(key);
  await times(100, () => directory.find(key));
  clock.advance(2_999);
  expect(await directory.find(key)).toMatchObject({ credentialId: 'key_1' });
  expect(database.asked).toBe(1);
  clock.advance(1);
  await directory.find(key);
  expect(database.asked).toBe(2);
});

test('a clock that is set back by a little makes no revoked key work longer', async () => {
  const key = newKey();
  const { clock, known, directory } = start(key);
  await directory.find(key);
  known.clear();
  clock.advance(2_500);
  await directory.find(newKey());
  clock.advance(-1);
  expect(await directory.find(key)).toBeUndefined();
});

/**
 * Why time tells nothing of keys: what is asked of the database depends on the form of the text, which is public (length,
 * alphabet, CRC32), and is one look-up of an index by a SHA-256, right or wrong. How much of a wrong key is right can't show.
 */
test('unknown and good keys take the same one look-up by hash, malformed ones none', async () => {
  const [good, unknown] = [newKey(), newKey()];
  const { database, directory } = start(good);
  const malformed = ['', 'msk_', `${good}x`, good.slice(0, -1), `${good.slice(0, 50)}xxx`, 'x'.repeat(100_000)];
  for (const text of malformed) expect(await directory.find(text)).toBeUndefined();
  expect(database.selectors).toEqual([]);
  for (const key of [unknown, unknown, good, good]) await directory.find(key);
  expect(database.selectors).toEqual([unknown, good].map((key) => ({ hash: hashOfToken(key) })));
});

test('an unknown key asks once, and a flood of them pushes no known key out', async () => {
  const [key, unknown] = [newKey(), newKey()];
  const { database, directory } = start(key);
  await directory.find(key);
  for (let round = 0; round < 10; round += 1) await directory.find(unknown);
  expect(database.asked).toBe(2);
  for (let round = 0; round < 50; round += 1) await directory.find(newKey());
  await directory.find(key);
  expect(database.asked).toBe(52);
});

test('look-ups under way are bounded', async () => {
  const { directory } = start();
  const results = await Promise.allSettled(Array.from({ length: 15 }, () => directory.find(newKey())));
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(5);
  expect(await directory.find(newKey())).toBeUndefined();
});

test('a failing look-up is not remembered', async () => {
  const key = newKey();
  const { database, directory } = start(key);
  database.isDown = true;
  await expect(directory.find(key)).rejects.toMatchObject({ code: 'unavailable' });
  database.isDown = false;
  expect(await directory.find(key)).toBeDefined();
});

test('what another process wrote is seen at once where the database tells of it', async () => {
  const key = newKey();
  const { known, database, directory } = start(key);
  await directory.find(key);
  known.clear();
  expect(await directory.find(key)).toBeDefined();
  database.changes += 1;
  expect(await directory.find(key)).toBeUndefined();
});

test('a look-up that began before a key was revoked leaves nothing behind', async () => {
  const key = newKey();
  const { known, directory } = start(key);
  const during = directory.find(key);
  known.clear();
  directory.forget();
  await during;
  expect(await directory.find(key)).toBeUndefined();
});

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a key has a prefix, 43 characters of 256 bits and 6 of a checksum that holds', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const key = API_KEYS.fromBytes(random);
      expect(key).toMatch(/^msk_[0-9A-Za-z]{49}$/);
      expect(API_KEYS.isProper(key)).toBe(true);
    }),
  );
});

test('base62 means the number it was made from', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (number) => {
      const digits = [...base62FromNumber(number, 43)].map((character) => BigInt(ALPHABET.indexOf(character)));
      expect(digits).toHaveLength(43);
      expect(digits.reduce((sum, digit) => sum * 62n + digit, 0n)).toBe(number);
    }),
  );
});

test('one wrong character is noticed without a database', () => {
  const position = fc.integer({ min: 4, max: 52 });
  fc.assert(
    fc.property(bytes, position, fc.constantFrom(...ALPHABET), (random, at, character) => {
      const key = API_KEYS.fromBytes(random);
      const changed = `${key.slice(0, at)}${character}${key.slice(at + 1)}`;
      expect(API_KEYS.isProper(changed)).toBe(changed === key);
    }),
  );
});

test.each(['', 'msk_', 'x'.repeat(53), 'Bearer msk_', `msk_${'é'.repeat(49)}`, `msk_${'0'.repeat(10_000)}`])(
  '%j is no key',
  (text) => {
    expect(API_KEYS.isProper(text)).toBe(false);
  },
);

test('a key with anything around it is no key', () => {
  const key = newKey();
  expect([` ${key}`, `${key}\n`, `${key} `, key.toLowerCase()].some((text) => API_KEYS.isProper(text))).toBe(false);
  expect(lastFourOf(key)).toBe(key.slice(49));
});
