import { expect, test } from 'vitest';
import { AppError } from '../../runtime/errors.ts';
import { openingErrorFrom } from './database-errors.ts';

const error = (message: string, facts: Readonly<Record<string, string>> = {}) =>
  Object.assign(new Error(message), facts);

const [REFUSED, AWAY] = ['configuration', 'unavailable'] as const;

/** The driver's message and facts, the code of the resulting error, and its hint. */
test.each([
  ['password authentication failed for user "a"', { code: '28P01' }, REFUSED, 'PGPASSWORD'],
  ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', {}, REFUSED, '/var/run/postgresql'],
  ['role "a" does not exist', { code: '28000' }, REFUSED, 'createuser ROLE'],
  ['Peer authentication failed for user "a"', { code: '28000' }, REFUSED, 'named like the operating-system user'],
  ['no pg_hba.conf entry for host "10.0.0.1"', { code: '28000' }, REFUSED, 'pg_hba.conf'],
  ['database "a" does not exist', { code: '3D000' }, REFUSED, 'createdb NAME'],
  ['permission denied for schema public', { code: '42501' }, REFUSED, '--owner ROLE NAME'],
  ['The server does not support SSL connections', {}, REFUSED, 'sslmode'],
  ['file is not a database', { code: 'SQLITE_NOTADB' }, REFUSED, 'not a SQLite database'],
  ['connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED' }, AWAY, 'runs there'],
  ['connect ENOENT /run/.s.PGSQL.5432', { code: 'ENOENT', syscall: 'connect' }, AWAY, 'socket'],
  ['getaddrinfo ENOTFOUND db.invalid', { code: 'ENOTFOUND' }, AWAY, 'DNS'],
  ['Connection terminated due to connection timeout', {}, AWAY, 'CONNECT_TIMEOUT_MS'],
  ['sorry, too many clients already', { code: '53300' }, AWAY, 'CONNECTIONS_MAX'],
  ['database or disk is full', { code: 'SQLITE_FULL' }, AWAY, 'free space'],
  ['attempt to write a readonly database', { code: 'SQLITE_READONLY_DIRECTORY' }, AWAY, 'MODELSTATS_DATABASE'],
] as const)('“%s” is told with the cause, the address and what to look at', (message, facts, code, hint) => {
  const cause = error(message, facts);
  const opening = openingErrorFrom(cause, 'postgres://…@host/db');
  expect(opening).toMatchObject({ code, cause });
  expect(opening.message).toMatch(/^the control database postgres:\/\/…@host\/db can't be opened: /);
  expect(opening.message).toContain(cause.message);
  expect(opening.message.slice(opening.message.indexOf(cause.message) + cause.message.length)).toContain(hint);
});

test('what nobody foresaw is told with its cause alone, and causes of which none has words together with all of theirs', () => {
  const both = new AggregateError([
    error('connect ECONNREFUSED ::1:5432'),
    error('connect ECONNREFUSED 127.0.0.1:5432'),
  ]);
  expect(openingErrorFrom(new Error('boom'), 'a').message).toBe("the control database a can't be opened: boom");
  expect(openingErrorFrom(both, 'a').message).toContain('::1:5432; connect ECONNREFUSED 127.0.0.1:5432');
});

test('an error of ours stays as it is', () => {
  const ours = new AppError('configuration', 'a newer version');
  expect(openingErrorFrom(ours, 'a')).toBe(ours);
});
