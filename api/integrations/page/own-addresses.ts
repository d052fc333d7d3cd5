/** The parameter by which a link to the service names the organization that shows it. */
export const FOR = 'for';

/** Tells which addresses lead to this service: its host and port, over https or http, below its base path. */
export class OwnAddresses {
  /** Where people find the service, without a slash at the end. */
  readonly url: string;
  readonly #host: string;
  readonly #port: string;
  readonly #path: string;

  /** @param publicUrl with the base path, as `publicUrlOf` gives it */
  constructor(publicUrl: string) {
    const { href, hostname, port, pathname } = new URL(publicUrl);
    this.url = withoutSlash(href);
    this.#host = withoutDot(hostname);
    this.#port = port;
    this.#path = withoutSlash(pathname);
  }

  /** A name that is written with the dot of the root is the same; one with a user or a password leads nobody here in good faith. */
  has({ protocol, hostname, port, username, password, pathname }: URL): boolean {
    const isWeb = protocol === 'https:' || protocol === 'http:';
    const isHere = withoutDot(hostname) === this.#host && port === this.#port && `${username}${password}` === '';
    return isWeb && isHere && isBelow(pathname, this.#path);
  }

  /** The organization that a link says it is for; undefined where it names none. */
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

/** What an organization puts on its page: each shows the badge in a link to the service. */
export interface Snippet {
  readonly name: 'Markdown' | 'HTML' | 'React';
  readonly code: string;
}

const ALT = 'Data: modelstats';

/**
 * The snippets of an organization; a page that shows one of them is verified, and counts for nobody else.
 * @param publicUrl of the service, with the base path
 */
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

/** An address in an attribute of HTML or JSX; what a URL's own text holds beside is harmless there. */
function attribute(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
