/**
 * How addresses of services may be shown: in messages, logs and answers. Whoever prints an address of the configuration prints it
 * by {@link shownAddress}, and whoever hands one to a driver checks {@link isClearAddress} first, since a driver's own message
 * tells the host, and in an unclear address a part of the password may be taken for it.
 */

const ADDRESS =
  /^(?<scheme>[a-z][a-z0-9+.-]*:\/\/)(?:(?<user>[^@/?#\s]*)@)?(?<host>[^@/?#\s]*)(?<path>\/[^@?#]*)?(?:[?#][^@\s]*)?$/i;
/** Several hosts, with ports, are possible; for PostgreSQL the folder of a socket too, percent-encoded. */
const HOSTS = /^(?:(?:[\w.-]+|\[[0-9a-f:.]+\]|(?:%2f[\w.-]+)+)(?::\d{1,5})?(?:,|$))*$/i;
/** The path of a file, or a scheme and what can hold no password. A word alone may be a password in the wrong place. */
const HARMLESS = /^(?:|[\w.~-]*\/[\w./~-]*|[a-z][a-z0-9+.-]*:(?:\/\/)?[^:@?#]*)$/i;
/** These name a place on this machine, and never a password; with a host they are no such place. */
const LOCAL = /^(?:sqlite|file):(?!\/\/[^/])/i;

/**
 * Scheme, host and path of an address, without user, password and query: `postgres://…@host/db`. Of an address whose parts can't
 * be told for sure, the scheme alone.
 */
export function shownAddress(address: string): string {
  if (LOCAL.test(address) || HARMLESS.test(address)) return address;
  const { scheme, user, host = '', path = '' } = ADDRESS.exec(address)?.groups ?? {};
  if (scheme === undefined || !HOSTS.test(host)) return `${/^[a-z][a-z0-9+.-]*:\/\//i.exec(address)?.[0] ?? ''}…`;
  return `${scheme}${user === undefined ? '' : '…@'}${host}${path}`;
}

/** Whether it is clear which part of an address is user and password; reserved characters in them are percent-encoded then. */
export function isClearAddress(address: string): boolean {
  if (LOCAL.test(address)) return true;
  const { host, user = '' } = ADDRESS.exec(address)?.groups ?? {};
  return host !== undefined && HOSTS.test(host) && urlFromAddress(address) !== undefined && isDecodable(user);
}

/** An address as a URL, also where it names a user and no host, as drivers take it for a socket; undefined where it is none. */
export function urlFromAddress(address: string): URL | undefined {
  const url = address.replace(/^([a-z][a-z0-9+.-]*:\/\/[^@/?#]*@)(?=[/?#]|$)/i, '$1localhost');
  return URL.canParse(url) ? new URL(url) : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** What to do about an unclear address. */
export const UNCLEAR_ADDRESS =
  'reserved characters of user and password must be percent-encoded, such as %40 for @ and %2F for /';
