/**
 * URLs for links and logs. Keys, passwords and signatures are removed from logged URLs, even when percent-encoded
 * several times.
 */
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

/** A name, IPv4 address or bracketed IPv6 address, with or without a port. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
/** A name that needs no URL parser, which is ten times slower. */
const PLAIN_NAME = /^(?:\w+(?:-\w+)*\.)*[a-z]\w*(?:-\w+)*(?::\d{1,4})?$/i;

/** Whether a Host header is valid also in a URL: `a.1` and `a:99999` are not. */
export function isHost(text: string | undefined): boolean {
  return text !== undefined && HOST.test(text) && (PLAIN_NAME.test(text) || URL.canParse(`http://${text}`));
}

/** `scheme://host/prefix` of a request. */
export type BaseUrlOf = (request: FastifyRequest) => string;

/**
 * Public `scheme://host/prefix` for links; only the prefix if the Host header is invalid, so that none gets into a
 * link.
 */
export function baseUrlFrom({
  publicUrl,
  basePath,
}: {
  readonly publicUrl: string | undefined;
  readonly basePath: string;
}): BaseUrlOf {
  if (publicUrl !== undefined) return () => publicUrl + basePath;
  return (request) => {
    const host = request.host || localHost(request);
    const scheme = request.protocol === 'https' ? 'https' : 'http';
    return isHost(host) ? `${scheme}://${host}${basePath}` : basePath;
  };
}

/** The local address of a request without a Host header. */
function localHost({ socket }: FastifyRequest): string {
  const { localAddress = '', localPort } = socket;
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** Suffix of query parameters with a secret value. */
const SECRET =
  /(key|token|secret|passw(or)?d|passphrase|pwd|signature|sig|auth|authorization|bearer|credentials?|session(_?id)?|jwt)$/i;
/** Separates parts of a text that may be a key. */
const PARTS = /[^\s"'`<>(){}[\],;:&?=/\\#|]+/g;

/**
 * A URL for the log, without keys, signatures, user and password.
 * @param keyPrefix in lower case
 */
export function loggedUrl(url: string, keyPrefix: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(url) ?? [];
  const shown = scheme === '' ? rest : rest.replace(/^[^/?#]*@/, '…@');
  const at = shown.indexOf('?');
  if (at === -1) return scheme + withoutKeys(shown, keyPrefix);
  const query = shown.slice(at + 1).replaceAll(/[^&;]+/g, (parameter) => withoutSecret(parameter, keyPrefix));
  return `${scheme}${withoutKeys(shown.slice(0, at), keyPrefix)}?${query}`;
}

export type ShowUrl = (url: string) => string;

/** {@link loggedUrl}, caching the URLs that need no change. */
export function urlShower(keyPrefix: string, charactersMax = 1 << 20): ShowUrl {
  const plain = new LRUCache<string, true>({ maxSize: charactersMax, sizeCalculation: (_, url) => url.length + 100 });
  return (url) => {
    if (plain.get(url) === true) return url;
    const shown = loggedUrl(url, keyPrefix);
    if (shown === url) plain.set(url, true);
    return shown;
  };
}

/** Removes API keys, however percent-encoded. */
export function withoutKeys(text: string, keyPrefix: string): string {
  if (!mayHaveKey(text, keyPrefix)) return text;
  return text.replaceAll(PARTS, (part) => (hasKey(part, keyPrefix) ? '…' : part));
}

function withoutSecret(parameter: string, keyPrefix: string): string {
  const [name = ''] = parameter.split('=', 1);
  if (name === parameter) return withoutKeys(parameter, keyPrefix);
  const plainName = decoded(name);
  if (plainName === undefined || SECRET.test(plainName)) return `${withoutKeys(name, keyPrefix)}=…`;
  // As a whole: encoded, it may contain parameters.
  if (hasKey(parameter, keyPrefix)) return '…';
  return containsSecret(parameter.slice(name.length + 1)) ? `${name}=…` : parameter;
}

/** True for a URL that contains a secret parameter, such as a return address. */
function containsSecret(value: string): boolean {
  const plain = decoded(value);
  if (plain === undefined) return true;
  const parameters = plain.split(/[?&;#]/).slice(1);
  return parameters.some((parameter) => parameter.includes('=') && SECRET.test(parameter.split('=', 1)[0] ?? ''));
}

/** A cheap check, false for most texts. */
function mayHaveKey(text: string, keyPrefix: string): boolean {
  return text.includes('%') || text.toLowerCase().includes(keyPrefix);
}

function hasKey(text: string, keyPrefix: string): boolean {
  if (!mayHaveKey(text, keyPrefix)) return false;
  const plain = decoded(text);
  return plain === undefined || plain.toLowerCase().includes(keyPrefix);
}

/** More encoding than happens by mistake. */
const ROUNDS_MAX = 8;
/** Keys and parameter names are ASCII; the rest may be malformed. */
const ENCODED = /%([0-7][0-9a-f])/gi;

/** Undoes repeated percent-encoding; undefined if excessive. */
function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  let plain = text;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const next = plain.replaceAll(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (next === plain) return plain;
    plain = next;
  }
  return undefined;
}
