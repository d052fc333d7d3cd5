import { parse } from 'tldts';
import { ownerIn, SHARED_HOSTS } from './shared-hosts.ts';

/**
 * The site of an address: whose pages are there, for the one organization that may hold it. It is the registrable domain; on a host that
 * many share, the domain with the part of the path or the name below it that names the owner, such as `github.com/acme`. Undefined where
 * the address names nobody.
 */
export function siteOf({ hostname, pathname }: Pick<URL, 'hostname' | 'pathname'>): string | undefined {
  const domain = registrableDomain(hostname);
  const shared = SHARED_HOSTS.get(domain ?? '');
  if (domain === undefined || shared === undefined) return domain;
  const below = shared.hasNamesBelow === true ? nameBelow(withoutDot(hostname), domain) : undefined;
  if (below !== undefined) return `${below}.${domain}`;
  const owner = ownerIn(shared, pathname);
  return owner === undefined ? undefined : `${domain}/${owner}`;
}

/**
 * The domain of a host that somebody can have registered, where suffixes under which anybody can have a name count as public ones, so that
 * `a.github.io` and `b.github.io` are two. Undefined for an address, and for a host that is a public suffix itself.
 */
export function registrableDomain(hostname: string): string | undefined {
  const { domain, isIp } = parse(withoutDot(hostname), { allowPrivateDomains: true });
  return isIp === true || domain === null ? undefined : domain;
}

/** The label in front of a domain; undefined where there is none but `www`. */
function nameBelow(hostname: string, domain: string): string | undefined {
  const label =
    hostname
      .toLowerCase()
      .slice(0, -domain.length - 1)
      .split('.')
      .at(-1) ?? '';
  return label === '' || label === 'www' ? undefined : label;
}

function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}
