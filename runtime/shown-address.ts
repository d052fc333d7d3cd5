/**
 * Displays addresses of services in messages, logs and responses. Print a configured address only by {@link
 * shownAddress}. Check {@link isClearAddress} before giving one to a driver: drivers print the host, which in an
 * unclear address may be part of the password.
 */

const ADDRESS =
  /^(?<scheme>[a-z][a-z0-9+.-]*:\/\/)(?:(?<user>[^@/?#\s]*)@)?(?<host>[^@/?#\s]*)(?<path>\/[^@?#]*)?(?:[?#][^@\s]*)?$/i;
/** One or more hosts with ports; for PostgreSQL also the folder of a socket, percent-encoded. */
const HOSTS = /^(?:(?:[\w.-]+|\[[0-9a-f:.]+\]|(?:%2f[\w.-]+)+)(?::\d{1,5})?(?:,|$))*$/i;
/** A file path, or a scheme and characters that can hold no password. A single word may be a misplaced password. */
const HARMLESS = /^(?:|[\w.~-]*\/[\w./~-]*|[a-z][a-z0-9+.-]*:(?:\/\/)?[^:@?#]*)$/i;
/** A place on this machine, without a password or host. */
const LOCAL = /^(?:sqlite|file):(?!\/\/[^/])/i;

/**
 * Scheme, host and path, without user, password and query: `postgres://…@host/db`. Only the scheme if the parts are
 * unclear.
 */
export function shownAddress(address: string): string {
  if (LOCAL.test(address) || HARMLESS.test(address)) return address;
  const { scheme, user, host = '', path = '' } = ADDRESS.exec(address)?.groups ?? {};
  if (scheme === undefined || !HOSTS.test(host)) return `${/^[a-z][a-z0-9+.-]*:\/\//i.exec(address)?.[0] ?? ''}…`;
  return `${scheme}${user === undefined ? '' : '…@'}${host}${path}`;
}

/** Whether user and password can be distinguished from the rest; then their reserved characters are percent-encoded. */
export function isClearAddress(address: string): boolean {
  if (LOCAL.test(address)) return true;
  const { host, user = '' } = ADDRESS.exec(address)?.groups ?? {};
  return host !== undefined && HOSTS.test(host) && urlFromAddress(address) !== undefined && isDecodable(user);
}

/** An address as a URL, also one with a user and no host, which drivers take for a socket. */
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

export const UNCLEAR_ADDRESS =
  'reserved characters of user and password must be percent-encoded, such as %40 for @ and %2F for /';
