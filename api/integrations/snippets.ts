import { FOR } from './page/own-addresses.ts';

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
