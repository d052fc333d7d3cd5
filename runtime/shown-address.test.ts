import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isClearAddress, shownAddress } from './shown-address.ts';

test.each([
  ['postgres://host/db', 'postgres://host/db', true],
  ['postgres://u:p@host:5432/db?sslmode=require', 'postgres://…@host:5432/db', true],
  ['postgres://u:p%40ss@host/db', 'postgres://…@host/db', true],
  ['postgres:///db', 'postgres:///db', true],
  ['postgres:///db?host=/var/run/postgresql', 'postgres:///db', true],
  ['postgres://u:p@/db?host=/var/run/postgresql', 'postgres://…@/db', true],
  ['postgres://%2Fvar%2Frun%2Fpostgresql/db', 'postgres://%2Fvar%2Frun%2Fpostgresql/db', true],
  ['postgres://u:p@%2Fvar%2Frun/db', 'postgres://…@%2Fvar%2Frun/db', true],
  ['postgres://u:secret%2Fmore/db', 'postgres://…', false],
  ['redis://[::1]:6379/2', 'redis://[::1]:6379/2', true],
  ['s3://bucket/prefix', 's3://bucket/prefix', true],
  ['/data/store', '/data/store', false],
  ['sqlite:./a@b?c.db', 'sqlite:./a@b?c.db', true],
  ['postgres://u:p@ss:w/rd@host/db', 'postgres://…', false],
  ['redis://:a%b#c@h', 'redis://…', false],
  ['postgres://user:secret/db', 'postgres://…', false],
  ['postgres://host/db?password=a@b', 'postgres://…', false],
  ['just a password', '…', false],
  ['hunter2', '…', false],
  ['file:///data/store', 'file:///data/store', true],
  ['file:./data/a@b:c', 'file:./data/a@b:c', true],
  ['file://u:p@host/store', 'file://…@host/store', false],
  ['redis://u:a%b@host', 'redis://…@host', false],
])('%s is shown as %s', (address, shown, isClear) => {
  expect([shownAddress(address), isClearAddress(address)]).toEqual([shown, isClear]);
});

test('no part of a password is shown, whatever its characters', () => {
  const password = fc.string({ unit: fc.constantFrom(...'Q@:/?#%&=[]\\ ~,;+Z7$'), minLength: 1, maxLength: 20 });
  const scheme = fc.constantFrom('postgres', 'postgresql', 'redis', 'rediss', 's3', 'https');
  fc.assert(
    fc.property(scheme, password, fc.constantFrom('u', ''), (name, secret, user) => {
      // Letters of the password are none of the address's own.
      const shown = shownAddress(`${name}://${user}:${secret}@host.example/db`);
      expect(shown).not.toMatch(/[QZ7$&=%~;+\\]/);
      expect([`${name}://…`, `${name}://…@host.example/db`]).toContain(shown);
    }),
  );
});
