import { parse } from 'tldts';

/**
 * Held by one organization at most: the registrable domain, or on shared hosts the domain with the owner's path or
 * subdomain, such as `github.com/acme`. Undefined if the URL names no owner.
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
 * Suffixes under which anybody can have a name are public, so `a.github.io` and `b.github.io` differ. Undefined for IP
 * addresses and public suffixes.
 */
export function registrableDomain(hostname: string): string | undefined {
  const { domain, isIp } = parse(withoutDot(hostname), { allowPrivateDomains: true });
  return isIp === true || domain === null ? undefined : domain;
}

/** The label before a domain, except `www`. */
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

/** How URLs of a shared host name their owner. */
export interface SharedHost {
  /** Paths with `NAME` for the owner. */
  readonly paths: readonly string[];
  /** Optional first segments before these. */
  readonly before?: readonly string[];
  /** First segments of the host's own pages. */
  readonly own?: readonly string[];
  /** Whether subdomains name owners too, as in `acme.medium.com`. */
  readonly hasNamesBelow?: boolean;
}

const FIRST = ['NAME'];
const FIRST_OR_GROUP: SharedHost = {
  paths: FIRST,
  before: ['groups', 'users'],
  own: ['explore', 'help', 'search', '-'],
};
const BELOW_ONLY: SharedHost = { paths: [], hasNamesBelow: true };
const OWNERLESS: SharedHost = { paths: [] };

/**
 * Shared domains, besides those of the public suffix list such as `github.io` (specification "Declared pages"). On a
 * shared host missing here, the first organization holds the whole domain.
 */
export const SHARED_HOSTS: ReadonlyMap<string, SharedHost> = new Map<string, SharedHost>([
  // Code, models, packages.
  [
    'github.com',
    {
      paths: FIRST,
      before: ['orgs', 'sponsors', 'users'],
      own: ['apps', 'collections', 'explore', 'features', 'marketplace', 'search', 'settings', 'topics', 'trending'],
    },
  ],
  // In the public suffix list, but its subdomains name nobody.
  ['raw.githubusercontent.com', { paths: FIRST }],
  ['gist.githubusercontent.com', { paths: FIRST }],
  ['jsdelivr.net', { paths: ['gh/NAME', 'npm/NAME'] }],
  ['gitlab.com', FIRST_OR_GROUP],
  ['codeberg.org', { paths: FIRST, own: ['explore'] }],
  ['bitbucket.org', { paths: FIRST, own: ['account', 'product'] }],
  ['gitee.com', { paths: FIRST, own: ['explore', 'search'] }],
  ['sourceforge.net', { paths: ['projects/NAME', 'p/NAME', 'u/NAME'] }],
  [
    'huggingface.co',
    {
      paths: FIRST,
      before: ['blog', 'collections', 'datasets', 'spaces'],
      own: ['docs', 'learn', 'models', 'papers', 'posts'],
    },
  ],
  [
    'kaggle.com',
    { paths: FIRST, before: ['code', 'datasets', 'models'], own: ['competitions', 'discussions', 'learn'] },
  ],
  ['replicate.com', { paths: FIRST, own: ['collections', 'docs', 'explore'] }],
  ['replit.com', { paths: ['@NAME'] }],
  ['codepen.io', { paths: FIRST, own: ['search', 'tag', 'trending'] }],
  ['codesandbox.io', { paths: ['p/sandbox/NAME', 's/NAME', 'u/NAME'] }],
  ['observablehq.com', { paths: ['@NAME'] }],
  ['npmjs.com', { paths: ['package/NAME', '~NAME', 'org/NAME'] }],
  ['pypi.org', { paths: ['project/NAME', 'user/NAME', 'org/NAME'] }],
  ['crates.io', { paths: ['crates/NAME', 'users/NAME'] }],
  ['docker.com', { paths: ['r/NAME', 'u/NAME'] }],
  // Texts.
  ['medium.com', { paths: FIRST, own: ['m', 'me', 'p', 'search', 'tag', 'topic'], hasNamesBelow: true }],
  ['substack.com', { paths: ['@NAME'], hasNamesBelow: true }],
  ['dev.to', { paths: FIRST, own: ['search', 't', 'tags', 'top'] }],
  ['hashnode.com', { paths: ['@NAME'] }],
  ['hashnode.dev', BELOW_ONLY],
  ['wordpress.com', BELOW_ONLY],
  ['ghost.io', BELOW_ONLY],
  ['beehiiv.com', BELOW_ONLY],
  ['livejournal.com', BELOW_ONLY],
  ['tistory.com', BELOW_ONLY],
  ['hackernoon.com', { paths: ['u/NAME'] }],
  ['note.com', { paths: FIRST, own: ['hashtag', 'search'] }],
  ['zenn.dev', { paths: FIRST, own: ['articles', 'search', 'topics'] }],
  ['qiita.com', { paths: FIRST, own: ['search', 'tags'] }],
  ['velog.io', { paths: ['@NAME'] }],
  ['csdn.net', { paths: FIRST }],
  ['notion.so', { paths: FIRST }],
  // People and companies.
  ['x.com', { paths: FIRST, own: ['explore', 'hashtag', 'home', 'i', 'intent', 'search', 'share'] }],
  ['twitter.com', { paths: FIRST, own: ['explore', 'hashtag', 'home', 'i', 'intent', 'search', 'share'] }],
  ['bsky.app', { paths: ['profile/NAME'] }],
  ['mastodon.social', { paths: ['@NAME'] }],
  ['threads.com', { paths: ['@NAME'] }],
  ['threads.net', { paths: ['@NAME'] }],
  ['facebook.com', { paths: FIRST, own: ['groups', 'profile.php', 'search', 'share', 'watch'] }],
  ['instagram.com', { paths: FIRST, own: ['explore', 'p', 'reel'] }],
  ['tiktok.com', { paths: ['@NAME'] }],
  ['linkedin.com', { paths: ['company/NAME', 'in/NAME', 'school/NAME', 'showcase/NAME'] }],
  ['youtube.com', { paths: ['@NAME', 'c/NAME', 'channel/NAME', 'user/NAME'] }],
  ['reddit.com', { paths: ['user/NAME'] }],
  ['patreon.com', { paths: FIRST, own: ['explore', 'posts', 'search'] }],
  ['producthunt.com', { paths: ['@NAME', 'products/NAME', 'posts/NAME'] }],
  ['linktr.ee', { paths: FIRST }],
  ['about.me', { paths: FIRST }],
  ['pinterest.com', { paths: FIRST, own: ['ideas', 'pin', 'search'] }],
  ['t.me', { paths: FIRST, before: ['s'], own: ['joinchat'] }],
  ['vk.com', { paths: FIRST, own: ['feed', 'search'] }],
  ['twitch.tv', { paths: FIRST, own: ['directory', 'search', 'videos'] }],
  ['vimeo.com', { paths: FIRST, own: ['search', 'watch'] }],
  ['soundcloud.com', { paths: FIRST, own: ['discover', 'search'] }],
  ['behance.net', { paths: FIRST, own: ['gallery', 'search'] }],
  ['dribbble.com', { paths: FIRST, own: ['search', 'shots', 'tags'] }],
  ['flickr.com', { paths: ['people/NAME', 'photos/NAME'] }],
  ['quora.com', { paths: ['profile/NAME'] }],
  ['zhihu.com', { paths: ['org/NAME', 'people/NAME'] }],
  ['slideshare.net', { paths: FIRST, own: ['slideshow', 'search'] }],
  ['speakerdeck.com', { paths: FIRST, own: ['c', 'search'] }],
  ['tumblr.com', { paths: FIRST, own: ['explore', 'search', 'tagged'], hasNamesBelow: true }],
  // Documents, shops, sites.
  ['google.com', { paths: ['view/NAME', 'document/d/NAME', 'spreadsheets/d/NAME', 'presentation/d/NAME'] }],
  ['bandcamp.com', BELOW_ONLY],
  ['gumroad.com', BELOW_ONLY],
  ['itch.io', BELOW_ONLY],
  ['atlassian.net', BELOW_ONLY],
  ['zendesk.com', BELOW_ONLY],
  ['readme.io', BELOW_ONLY],
  ['mintlify.app', BELOW_ONLY],
  ['framer.site', BELOW_ONLY],
  ['glitch.me', BELOW_ONLY],
  ['neocities.org', BELOW_ONLY],
  ['shinyapps.io', BELOW_ONLY],
  ['sharepoint.com', BELOW_ONLY],
  ['softr.app', BELOW_ONLY],
  ['squarespace.com', BELOW_ONLY],
  ['super.site', BELOW_ONLY],
  ['tilda.ws', BELOW_ONLY],
  ['weebly.com', BELOW_ONLY],
  ['webnode.page', BELOW_ONLY],
  ['jimdofree.com', BELOW_ONLY],
  ['jimdosite.com', BELOW_ONLY],
  ['mystrikingly.com', BELOW_ONLY],
  // No owner in URLs.
  ['stackoverflow.com', OWNERLESS],
  ['stackexchange.com', OWNERLESS],
  ['wikipedia.org', OWNERLESS],
  ['ycombinator.com', OWNERLESS],
  ['arxiv.org', OWNERLESS],
  ['archive.org', OWNERLESS],
  ['discord.com', OWNERLESS],
  ['figma.com', OWNERLESS],
  ['airtable.com', OWNERLESS],
  ['pastebin.com', OWNERLESS],
  ['telegra.ph', OWNERLESS],
]);

function ownerIn({ paths, before = [], own = [] }: SharedHost, pathname: string): string | undefined {
  const segments = segmentsOf(pathname);
  if (segments === undefined) return undefined;
  const named = before.includes(segments[0] ?? '') ? segments.slice(1) : segments;
  if (own.includes(named[0] ?? '')) return undefined;
  const parts = paths
    .map((path) => path.split('/'))
    .find((path) => path.every((part, at) => matchesPart(part, named[at])));
  return parts && named.slice(0, parts.length).join('/');
}

/** Text for a person whose URL names no owner. */
export function describeSharedHost(domain: string, { paths, hasNamesBelow = false }: SharedHost): string {
  const below = hasNamesBelow ? [`https://NAME.${domain}/`] : [];
  const forms = [...below, ...paths.map((path) => `https://${domain}/${path}`)];
  if (forms.length === 0) return `${domain} is shared by many users, and its addresses do not name the owner of a page`;
  return `${domain} is shared by many users: declare a page whose address names you, such as ${forms.join(' or ')}`;
}

/** Lower case, since these hosts ignore case. Undefined if a segment can't be decoded or has a slash. */
function segmentsOf(pathname: string): readonly string[] | undefined {
  try {
    const segments = pathname.split('/').map((segment) => decodeURIComponent(segment).toLowerCase());
    return segments.some((segment) => /[/\\\s]/.test(segment))
      ? undefined
      : segments.filter((segment) => segment !== '');
  } catch {
    return undefined;
  }
}

function matchesPart(part: string, segment: string | undefined): boolean {
  if (segment === undefined) return false;
  const prefix = part.replace(/NAME$/, '');
  return prefix === part ? segment === part : segment.startsWith(prefix) && segment.length > prefix.length;
}
