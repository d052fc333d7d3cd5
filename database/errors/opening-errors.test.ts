import { expect, test } from 'vitest';
import { AppError } from '../../schemas/errors.ts';
import { openingErrorFrom } from './opening-errors.ts';

const error = (message: string, facts: Readonly<Record<string, string>> = {}) =>
  Object.assign(new Error(message), facts);

test.each<[string, Error, string, string]>([
  [
    'a wrong password',
    error('password authentication failed for user "a"', { code: '28P01' }),
    'configuration',
    'PGPASSWORD',
  ],
  [
    'no password',
    error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    'configuration',
    '/var/run/postgresql',
  ],
  ['a role that is not there', error('role "a" does not exist', { code: '28000' }), 'configuration', 'createuser ROLE'],
  [
    'a role of another name',
    error('Peer authentication failed for user "a"', { code: '28000' }),
    'configuration',
    'named like the user',
  ],
  [
    'an address that is not let in',
    error('no pg_hba.conf entry for host "10.0.0.1"', { code: '28000' }),
    'configuration',
    'pg_hba.conf',
  ],
  [
    'a database that is not there',
    error('database "a" does not exist', { code: '3D000' }),
    'configuration',
    'createdb NAME',
  ],
  [
    "somebody else's database",
    error('permission denied for schema public', { code: '42501' }),
    'configuration',
    '--owner ROLE NAME',
  ],
  ['a server without TLS', error('The server does not support SSL connections'), 'configuration', 'sslmode'],
  [
    'a file that is something else',
    error('file is not a database', { code: 'SQLITE_NOTADB' }),
    'configuration',
    'something else',
  ],
  [
    'a server that is down',
    error('connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED' }),
    'unavailable',
    'runs there',
  ],
  [
    'a socket that is not there',
    error('connect ENOENT /run/.s.PGSQL.5432', { code: 'ENOENT', syscall: 'connect' }),
    'unavailable',
    'socket',
  ],
  ['a host that is not there', error('getaddrinfo ENOTFOUND db.invalid', { code: 'ENOTFOUND' }), 'unavailable', 'DNS'],
  [
    'a server that is silent',
    error('Connection terminated due to connection timeout'),
    'unavailable',
    'CONNECT_TIMEOUT_MS',
  ],
  [
    'a server that is full',
    error('sorry, too many clients already', { code: '53300' }),
    'unavailable',
    'CONNECTIONS_MAX',
  ],
  [
    'a file that is not there',
    error('ENOENT: no such file', { code: 'ENOENT', syscall: 'stat' }),
    'unavailable',
    'path',
  ],
  [
    'a link that leads in a circle',
    error('ELOOP: too many symbolic links', { code: 'ELOOP', syscall: 'stat' }),
    'unavailable',
    'mend the link, or correct MODELSTATS_DATABASE',
  ],
  [
    'a name that is too long',
    error('ENAMETOOLONG: name too long', { code: 'ENAMETOOLONG', syscall: 'open' }),
    'configuration',
    'shorter path in MODELSTATS_DATABASE',
  ],
  ['a folder', error('it is a folder', { code: 'EISDIR' }), 'configuration', 'name a file'],
  ['a disk that is full', error('database or disk is full', { code: 'SQLITE_FULL' }), 'unavailable', 'make room'],
  [
    'a file that is read-only',
    error('attempt to write a readonly database', { code: 'SQLITE_READONLY_DIRECTORY' }),
    'unavailable',
    'MODELSTATS_DATABASE',
  ],
])('%s is told with the cause, the address and what to look at', (_, cause, code, hint) => {
  const told = openingErrorFrom(cause, 'postgres://…@host/db');
  expect(told).toMatchObject({ code, cause });
  expect(told.message).toMatch(/^the control database postgres:\/\/…@host\/db can't be opened: /);
  expect(told.message).toContain(cause.message);
  expect(told.message.slice(told.message.indexOf(cause.message) + cause.message.length)).toContain(hint);
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
