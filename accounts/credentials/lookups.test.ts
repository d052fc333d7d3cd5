import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../database/open-database.ts';
import { openFolder } from '../../test/support/accounts/control-databases.ts';
import { addCustomer } from '../../test/support/accounts/subject.ts';
import { openAccounts } from '../open-accounts.ts';
import { CredentialDirectory } from './credential-directory.ts';
import { type CredentialSelector, keyFinder } from './live-credential.ts';
import { API_KEYS, hashOfToken } from './token-form.ts';

const OPTIONS = { ttlMs: 3_000, unknownTtlMs: 60_000, entriesMax: 100, unknownMax: 100, lookupsMax: 100 };

/**
 * Why time tells nothing of keys: what is asked of the database depends on the form of the text, which is public (length,
 * alphabet, CRC32), and is one look-up of an index by a SHA-256, right or wrong. How much of a wrong key is right can't show.
 */
test('unknown, revoked and good keys take the same one look-up by hash, malformed ones none', async () => {
  const url = `sqlite:${join(await openFolder(), 'accounts.db')}`;
  const accounts = await openAccounts(url);
  const [good, revoked] = [await addCustomer(accounts), await addCustomer(accounts)];
  await accounts.administration.revokeKey(revoked.keyId);
  const unknown = API_KEYS.fromBytes(randomBytes(32));
  const database = await openDatabase(url);
  const findKey = keyFinder(database.engine);
  const asked: CredentialSelector[] = [];
  const counting = {
    version: () => 0,
    find: (by: CredentialSelector) => {
      asked.push(by);
      return findKey(by);
    },
  };
  const directory = new CredentialDirectory(API_KEYS, counting, { clock: () => new Date(0), ...OPTIONS });
  for (const text of [
    '',
    'msk_',
    good.key.slice(0, -1),
    `${good.key}x`,
    good.key.toLowerCase(),
    `${good.key.slice(0, 50)}xxx`,
  ])
    expect(await directory.find(text)).toBeUndefined();
  expect(asked).toEqual([]);
  for (const key of [unknown, revoked.key, good.key]) {
    const found = [await directory.find(key), await directory.find(key)];
    expect(found.map((record) => record !== undefined)).toEqual(Array(2).fill(key === good.key));
  }
  expect(asked).toEqual([unknown, revoked.key, good.key].map((key) => ({ hash: hashOfToken(key) })));
  await database.close();
  await accounts.close();
});
