/** What every page to embed has around its content. */
import type { ComponentChildren, JSX } from 'preact';
import type { Day } from '../../../runtime/day.ts';
import { formatDay } from '../../charts/format.ts';
import { renderPage } from '../../server/pages/html.tsx';
import { EMBED_STYLES, type Theme } from './frame.ts';

/** Any site may frame these pages, and nothing runs in them: what slips into one as text can do nothing there. */
export const EMBED_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
  'X-Frame-Options': '',
} as const;

/**
 * From `/embed/<kind>/<id>` up to the base path. Style sheets are asked for so, as the policy allows those of the very host that a page came
 * from, which need not be the base URL's.
 */
export const UP_FROM_HERE = '../..';

export interface EmbedPageProps {
  readonly title: string;
  /** Undefined: as the reader wants it. */
  readonly theme: Theme | undefined;
  /** What stands before this service's own paths: `scheme://host/prefix`, or a relative path. */
  readonly base: string;
  /** Of the style sheets. */
  readonly version: string;
  /** The page's own address, for programs that ask how to embed it; left out: they can't. */
  readonly url?: string;
  /** As of which day the data are; left out: there are none. */
  readonly day?: Day;
  readonly children?: ComponentChildren;
}

/** A page as a whole. */
export function renderEmbed({ title, theme, base, version, url, day, children }: EmbedPageProps): string {
  const head = (
    <>
      <meta name="robots" content="noindex" />
      {url !== undefined && (
        <link
          rel="alternate"
          type="application/json+oembed"
          href={`${base}/oembed?url=${encodeURIComponent(url)}`}
          title={title}
        />
      )}
      <link rel="stylesheet" href={`${UP_FROM_HERE}/${EMBED_STYLES}/${theme ?? 'auto'}.css?v=${version}`} />
    </>
  );
  const body = (
    <>
      <main>{children}</main>
      <footer>
        <span>
          Data: <Outwards href={`${base}/`} text="modelstats" />
        </span>
        {day !== undefined && <time datetime={day}>{`as of ${formatDay(day)}`}</time>}
      </footer>
    </>
  );
  return renderPage({ title: `${title} · modelstats`, colorScheme: theme ?? 'light dark', head, children: body });
}

/** A link that leaves the frame: what it leads to needs more room. */
export function Outwards({ href, text }: { readonly href: string; readonly text: string }): JSX.Element {
  return (
    <a href={href} target="_blank" rel="noopener">
      {text}
    </a>
  );
}

/** Says what went wrong, in the frame itself. */
export function Failure({ title, help }: { readonly title: string; readonly help: string }): JSX.Element {
  return (
    <>
      <h1 dir="auto">{title}</h1>
      <p class="note">{help}</p>
    </>
  );
}
