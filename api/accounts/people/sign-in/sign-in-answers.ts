import { isAPIError } from 'better-auth/api';
import type { Origin } from '../people.ts';
import { ADDRESS_HEADER } from './auth.ts';

/** Of a User-Agent header: the rest tells nobody anything. */
const USER_AGENT_MAX = 300;

/** Who signs in, as better-auth reads it: it takes the session's address and browser from there. No cookie: the session is new. */
export function headersOf({ address, userAgent = '' }: Origin): Headers {
  const printable = userAgent.slice(0, USER_AGENT_MAX).replace(/[^\x20-\x7e]/g, '?');
  return new Headers({ [ADDRESS_HEADER]: address, 'user-agent': printable });
}

const SESSION_COOKIE = /^(__Host-)?modelstats_session=/;

/** The values of Set-Cookie for the session's cookie; better-auth clears others as well, which we never set. */
export function sessionCookies(headers: Headers): readonly string[] {
  return headers.getSetCookie().filter((cookie) => SESSION_COOKIE.test(cookie));
}

/** What better-auth answered; undefined where it refused. What failed, fails here as well. */
export async function orRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAPIError(error) && error.statusCode < 500) return undefined;
    throw error;
  }
}
