/** Names the organization in a link to the service. */
export const FOR = 'for';

/** Recognizes URLs of this service: its host and port, over https or http, below its base path. */
export class OwnAddresses {
  /** Without a trailing slash. */
  readonly url: string;
  readonly #host: string;
  readonly #port: string;
  readonly #path: string;

  /** @param publicUrl with the base path, as from `publicUrlOf` */
  constructor(publicUrl: string) {
    const { href, hostname, port, pathname } = new URL(publicUrl);
    this.url = withoutSlash(href);
    this.#host = withoutDot(hostname);
    this.#port = port;
    this.#path = withoutSlash(pathname);
  }

  /** A trailing dot doesn't matter; URLs with credentials are not accepted. */
  has({ protocol, hostname, port, username, password, pathname }: URL): boolean {
    const isWeb = protocol === 'https:' || protocol === 'http:';
    const isHere = withoutDot(hostname) === this.#host && port === this.#port && `${username}${password}` === '';
    return isWeb && isHere && isBelow(pathname, this.#path);
  }

  /** The organization named by a link. */
  organizationOf(url: URL): string | undefined {
    return this.has(url) ? (url.searchParams.get(FOR) ?? undefined) : undefined;
  }

  isBadge(url: URL): boolean {
    return this.has(url) && isBelow(url.pathname, `${this.#path}/badges`) && url.pathname !== `${this.#path}/badges`;
  }

  isEmbed(url: URL): boolean {
    return this.has(url) && isBelow(url.pathname, `${this.#path}/embed`) && url.pathname !== `${this.#path}/embed`;
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function withoutSlash(text: string): string {
  return text.replace(/\/$/, '');
}

function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

/** Code for an organization's page that shows the badge in a link. */
export interface Snippet {
  readonly name: 'Markdown' | 'HTML' | 'React';
  readonly code: string;
}

const ALT = 'Data: modelstats';

/** A page with one is verified, only for that organization. @param publicUrl with the base path */
export function snippetsFor(publicUrl: string, organizationId: string): readonly Snippet[] {
  const base = new URL(publicUrl).href.replace(/\/$/, '');
  const href = `${base}/?${new URLSearchParams({ [FOR]: organizationId })}`;
  const badge = `${base}/badges/source.svg`;
  const picture = `<img src="${attribute(badge)}" alt="${ALT}"`;
  const link = `<a href="${attribute(href)}">`;
  return [
    { name: 'Markdown', code: `[![${ALT}](<${badge}>)](<${href}>)` },
    { name: 'HTML', code: `${link}${picture}></a>` },
    { name: 'React', code: `${link}${picture} /></a>` },
  ];
}

/** Escapes a URL for an attribute in HTML or JSX. */
function attribute(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
