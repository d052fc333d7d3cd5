import { AppError, codeFromError, type ErrorCode, isAppError, messageFromError } from '../../runtime/errors.ts';

/** Converts a driver's error to `unavailable`; AppErrors stay. */
export function unavailable(error: unknown, what = 'the control database is unavailable'): AppError {
  if (isAppError(error)) return error;
  const publicMessage = 'The database of this service is unavailable; try again in a moment';
  return new AppError('unavailable', `${what}: ${messageFromError(error)}`, { cause: error, publicMessage });
}

export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}

/** Nothing was done. */
export function isSqliteBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_BUSY');
}

/**
 * Explains drivers' errors on opening: `configuration` if the server or file refuses the settings, `unavailable` for
 * what may be temporary (specification "Exit codes").
 */
interface Explanation {
  readonly code: Extract<ErrorCode, 'configuration' | 'unavailable'>;
  readonly hint: string;
}

const configurationWith = (hint: string): Explanation => ({ code: 'configuration', hint });
const unavailableWith = (hint: string): Explanation => ({ code: 'unavailable', hint });

const NO_PASSWORD = configurationWith(
  'the server requires a password: write postgres://ROLE:PASSWORD@HOST/NAME, or set PGPASSWORD; the socket of this machine may need none: postgres:///NAME?host=/var/run/postgresql',
);
const NO_SERVER = unavailableWith('check whether PostgreSQL runs there, and the address in MODELSTATS_DATABASE');
const NO_SOCKET = unavailableWith(
  'check whether PostgreSQL runs on this machine, and the folder of its socket in MODELSTATS_DATABASE',
);
const NO_HOST = unavailableWith('check the host in MODELSTATS_DATABASE, and the DNS');
const NO_ANSWER = unavailableWith(
  'check the host in MODELSTATS_DATABASE and the network, or raise MODELSTATS_DATABASE_CONNECT_TIMEOUT_MS',
);
const NO_TLS = configurationWith(
  'the server has no TLS: remove sslmode from MODELSTATS_DATABASE, or give the server a certificate',
);
const DISK_FULL = unavailableWith('free space on that disk, or correct MODELSTATS_DATABASE');
const NO_FILE = unavailableWith(
  'check that this user can read and write the file and its folder, and the path in MODELSTATS_DATABASE',
);
const MISSING = unavailableWith('check the path in MODELSTATS_DATABASE');
const LINK_LOOP = unavailableWith('fix the link, or correct MODELSTATS_DATABASE');
const TOO_LONG = configurationWith('name a file with a shorter path in MODELSTATS_DATABASE');
const NOT_A_FILE = configurationWith('name a file in MODELSTATS_DATABASE');
const NOT_A_DATABASE = configurationWith('the file is not a SQLite database: correct MODELSTATS_DATABASE');

/** Where the message says more than the code; the first match. */
const EXPLANATIONS_BY_MESSAGE: readonly (readonly [message: RegExp, Explanation])[] = [
  [/client password must be a (?:non-empty )?string/, NO_PASSWORD],
  [
    /^(?:peer|ident) authentication failed/i,
    configurationWith(
      'over its socket the server accepts only the role named like the operating-system user: create that role (createuser) and name no other',
    ),
  ],
  [
    /^role ".*" does not exist/s,
    configurationWith('create the role (createuser ROLE), or name another one in MODELSTATS_DATABASE'),
  ],
  [/does not support SSL/, NO_TLS],
  [/^Connection terminated|^timeout expired/, NO_ANSWER],
];

/** By SQLSTATE, SQLite's name or errno. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  '28P01': configurationWith('check role and password in MODELSTATS_DATABASE, or PGPASSWORD'),
  '28000': configurationWith(
    'the server refuses this sign-in: check role and address in MODELSTATS_DATABASE, and pg_hba.conf',
  ),
  '3D000': configurationWith('create the database (createdb NAME), or name another one in MODELSTATS_DATABASE'),
  '42501': configurationWith('the role must own the database (createdb --owner ROLE NAME)'),
  '53300': unavailableWith('lower MODELSTATS_DATABASE_CONNECTIONS_MAX, or raise max_connections of the server'),
  ECONNREFUSED: NO_SERVER,
  ECONNRESET: NO_SERVER,
  ENOTFOUND: NO_HOST,
  EAI_AGAIN: NO_HOST,
  ETIMEDOUT: NO_ANSWER,
  EHOSTUNREACH: NO_ANSWER,
  ENETUNREACH: NO_ANSWER,
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  SQLITE_FULL: DISK_FULL,
  EACCES: NO_FILE,
  EPERM: NO_FILE,
  EROFS: NO_FILE,
  EEXIST: NO_FILE,
  ENOTDIR: NO_FILE,
  ENOENT: MISSING,
  ELOOP: LINK_LOOP,
  ENAMETOOLONG: TOO_LONG,
  EISDIR: NOT_A_FILE,
  SQLITE_CANTOPEN: NO_FILE,
  SQLITE_READONLY: NO_FILE,
  SQLITE_NOTADB: NOT_A_DATABASE,
};

/**
 * Names address, cause and hint, never a password. AppErrors stay.
 * @param shown the address without credentials
 */
export function openingErrorFrom(error: unknown, shown: string): AppError {
  if (isAppError(error)) return error;
  const { code, hint } = explanationOf(error) ?? unavailableWith('');
  const message = `the control database ${shown} can't be opened: ${messageFromError(error)}`;
  return new AppError(code, hint === '' ? message : `${message}; ${hint}`, { cause: error });
}

function explanationOf(error: unknown): Explanation | undefined {
  if (!(error instanceof Error)) return undefined;
  const byMessage = EXPLANATIONS_BY_MESSAGE.find(([message]) => message.test(error.message))?.[1];
  if (byMessage !== undefined) return byMessage;
  const code = codeFromError(error);
  // A missing socket, not a file.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return NO_SOCKET;
  // SQLite's extended codes begin with the basic one.
  return EXPLANATIONS[code] ?? EXPLANATIONS[code.split('_').slice(0, 2).join('_')];
}
