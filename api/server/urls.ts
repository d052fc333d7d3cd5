/**
 * What of a request the log may have. Keys, passwords and signatures don't belong into URLs but get there, also percent-encoded,
 * once or several times, which is undone before they are looked for.
 */
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

/** A name, an IPv4 address or an IPv6 address in brackets, with or without a port. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
/** A name in which nothing can be wrong that only a parser of URLs sees: most are, and parsing takes some ten times as long. */
const PLAIN_NAME = /^(?:\w+(?:-\w+)*\.)*[a-z]\w*(?:-\w+)*(?::\d{1,4})?$/i;

/** True for what a Host header may say, and an address may be made of: `a.1` and `a:99999` are in no URL. */
export function isHost(text: string | undefined): boolean {
  return text !== undefined && HOST.test(text) && (PLAIN_NAME.test(text) || URL.canParse(`http://${text}`));
}

/** `scheme://host/prefix` of a request. */
export type BaseUrlOf = (request: FastifyRequest) => string;

/**
 * `scheme://host/prefix` as callers see it, for links in answers. A request whose Host header is no host gets the prefix
 * alone: nothing that isn't one finds its way into a link.
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

/** Where a request without a Host header arrived. */
function localHost({ socket }: FastifyRequest): string {
  const { localAddress = '', localPort } = socket;
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** How the name of a query parameter ends whose value opens something, or would if it were believed here. */
const SECRET =
  /(key|token|secret|passw(or)?d|passphrase|pwd|signature|sig|auth|authorization|bearer|credentials?|session(_?id)?|jwt)$/i;
/** What a text that may hold a key is divided into: a key has none of these. */
const PARTS = /[^\s"'`<>(){}[\],;:&?=/\\#|]+/g;

/**
 * A request's URL as the log may have it: without keys and signatures, and without user and password before a host.
 *
 * @param keyPrefix how a key begins, in lower case
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

/** {@link loggedUrl} that remembers the URLs that nothing is cut out of, up to so many characters: most are asked for again. */
export function urlShower(keyPrefix: string, charactersMax = 1 << 20): ShowUrl {
  const plain = new LRUCache<string, true>({ maxSize: charactersMax, sizeCalculation: (_, url) => url.length + 100 });
  return (url) => {
    if (plain.get(url) === true) return url;
    const shown = loggedUrl(url, keyPrefix);
    if (shown === url) plain.set(url, true);
    return shown;
  };
}

/** A text without the API keys in it, however they are percent-encoded. */
export function withoutKeys(text: string, keyPrefix: string): string {
  if (!mayHaveKey(text, keyPrefix)) return text;
  return text.replaceAll(PARTS, (part) => (hasKey(part, keyPrefix) ? '…' : part));
}

function withoutSecret(parameter: string, keyPrefix: string): string {
  const [name = ''] = parameter.split('=', 1);
  if (name === parameter) return withoutKeys(parameter, keyPrefix);
  const plainName = decoded(name);
  if (plainName === undefined || SECRET.test(plainName)) return `${withoutKeys(name, keyPrefix)}=…`;
  // Whole, whatever is in it: encoded, it may hold parameters of its own.
  if (hasKey(parameter, keyPrefix)) return '…';
  return holdsSecret(parameter.slice(name.length + 1)) ? `${name}=…` : parameter;
}

/** True of a value that is a URL with a secret in it, such as that of a page to come back to. */
function holdsSecret(value: string): boolean {
  const plain = decoded(value);
  if (plain === undefined) return true;
  const parameters = plain.split(/[?&;#]/).slice(1);
  return parameters.some((parameter) => parameter.includes('=') && SECRET.test(parameter.split('=', 1)[0] ?? ''));
}

/** False of most texts, at little cost. */
function mayHaveKey(text: string, keyPrefix: string): boolean {
  return text.includes('%') || text.toLowerCase().includes(keyPrefix);
}

function hasKey(text: string, keyPrefix: string): boolean {
  if (!mayHaveKey(text, keyPrefix)) return false;
  const plain = decoded(text);
  return plain === undefined || plain.toLowerCase().includes(keyPrefix);
}

/** More than anybody encodes by mistake. */
const ROUNDS_MAX = 8;
/** Of ASCII, which is all that keys and names of parameters have; the rest may be malformed. */
const ENCODED = /%([0-7][0-9a-f])/gi;

/** The text with its percent-encoding undone as often as it was done; undefined where that is beyond all measure. */
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
