import { parse } from 'tldts';

/**
 * The site of a host: its registrable domain, where suffixes under which anybody can have a name count as public ones, so that
 * `a.github.io` and `b.github.io` are two. Undefined for an address, and for a host that is a public suffix itself.
 */
export function siteOf(hostname: string): string | undefined {
  const { domain, isIp } = parse(hostname.replace(/\.$/, ''), { allowPrivateDomains: true });
  return isIp === true || domain === null ? undefined : domain;
}
