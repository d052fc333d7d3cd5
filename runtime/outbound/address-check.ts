import { isIP } from 'node:net';
import { type AllowedNetwork, isReachable } from './public-address.ts';

export interface UrlRules {
  /** Networks that may be reached although they are not public. */
  readonly allow: readonly AllowedNetwork[];
  /** https alone, unless told otherwise. */
  readonly protocols?: readonly OutboundProtocol[] | undefined;
}

export type OutboundProtocol = 'https:' | 'http:';

export const URL_CHARACTERS_MAX = 2048;
/** Ports below belong to services of systems, such as mail; none of them is a web server but these. */
const [UNPRIVILEGED_PORT, HTTPS_PORT, HTTP_PORT] = [1024, 443, 80];
const LOCAL_NAME = /(?:^|\.)localhost$/;

/**
 * Why no request goes to this URL, in words for whoever supplied it; undefined where nothing is wrong with it. Names are not resolved
 * here: what a name leads to is checked whenever a connection is opened. Specification "Outbound requests".
 */
export function findUrlProblem(text: string, rules: UrlRules): string | undefined {
  const checked = checkUrl(text, rules);
  return 'problem' in checked ? checked.problem : undefined;
}

/** The URL as it will be requested, or why it will not be. */
export function checkUrl(
  text: string,
  { allow, protocols = ['https:'] }: UrlRules,
): { readonly url: URL } | { readonly problem: string } {
  if (text.length > URL_CHARACTERS_MAX) return { problem: `the URL is longer than ${URL_CHARACTERS_MAX} characters` };
  const url = URL.parse(text);
  if (url === null) return { problem: 'the URL is not valid' };
  const problem =
    findProtocolProblem(url, protocols) ?? findUserProblem(url) ?? findPortProblem(url) ?? findHostProblem(url, allow);
  return problem === undefined ? { url } : { problem };
}

function findProtocolProblem({ protocol }: URL, protocols: readonly OutboundProtocol[]): string | undefined {
  if (protocols.some((known) => known === protocol)) return undefined;
  return `the URL must begin with ${protocols.map((known) => `${known}//`).join(' or ')}`;
}

function findUserProblem({ username, password }: URL): string | undefined {
  return username === '' && password === '' ? undefined : 'the URL must hold no user and no password';
}

function findPortProblem({ protocol, port }: URL): string | undefined {
  const number = port === '' ? usualPort(protocol) : Number(port);
  if (number === HTTPS_PORT || number >= UNPRIVILEGED_PORT || number === usualPort(protocol)) return undefined;
  return `port ${number} is not open to requests: use ${usualPort(protocol)}, or ${UNPRIVILEGED_PORT} or higher`;
}

function usualPort(protocol: string): number {
  return protocol === 'https:' ? HTTPS_PORT : HTTP_PORT;
}

function findHostProblem({ hostname }: URL, allow: readonly AllowedNetwork[]): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isReachable(address, allow) ? undefined : `${address} is not a public address`;
  const name = hostname.replace(/\.+$/, '');
  const isOwn = LOCAL_NAME.test(name) || !name.includes('.');
  // With an allowed network a name of one's own may be meant; what it leads to is checked like any other.
  return isOwn && allow.length === 0 ? `${hostname} is not a public name` : undefined;
}
