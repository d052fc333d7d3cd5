import type { Day } from '../../../runtime/day.ts';

/** Names of feeds and entries (RFC 4151): an authority, a day on which the name was its own, and what is named. */
export interface Tags {
  /** Of a feed: its path without the format, such as `feeds/models`. */
  readonly feed: (path: string) => string;
  /** Of an entry: the night, a path inside it, and the first event that it tells. */
  readonly entry: (day: Day, path: string, seq: number) => string;
}

/** A day that no service of this kind is older than; a feed has no day of its own. */
const FEEDS_SINCE = '2026-01-01';

/** The names below a base URL, `scheme://host[:port]/prefix`. Scheme and port don't count: the same feed stays the same over https. */
export function tagsOf(baseUrl: string): Tags {
  const { hostname, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/^\/|\/$/g, '');
  const begin = prefix === '' ? '' : `${prefix}/`;
  const tag = (day: Day, name: string) => `tag:${authorityOf(hostname)},${day}:${begin}${name}`;
  return {
    feed: (path) => tag(FEEDS_SINCE, path),
    entry: (day, path, seq) => tag(day, `${path}/${seq}`),
  };
}

/** A host as the authority of a tag, which is a domain name: an IPv6 address is made one. */
function authorityOf(hostname: string): string {
  return hostname.startsWith('[') ? `ip6-${hostname.slice(1, -1).replaceAll(':', 'x')}` : hostname;
}

/** A part of a tag's path, or of a URL's: an id in any script. */
export function pathPart(id: string): string {
  return encodeURIComponent(id);
}
