/** What every page to embed has around its content. */
import type { Children } from '@kitajs/html';
import type { Day } from '../../../runtime/day.ts';
import { formatDay } from '../../charts/format.ts';
import { EMBED_STYLES, type Theme } from './styles.ts';

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
  readonly children?: Children;
}

/** A page as a whole. */
export function EmbedPage({ title, theme, base, version, url, day, children }: EmbedPageProps): JSX.Element {
  return (
    <>
      {'<!doctype html>'}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title safe>{`${title} · modelstats`}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content={theme ?? 'light dark'} />
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
        </head>
        <body>
          <main>{children}</main>
          <footer>
            <span>
              Data: <Outwards href={`${base}/`} text="modelstats" />
            </span>
            {day !== undefined && <time datetime={day} safe>{`as of ${formatDay(day)}`}</time>}
          </footer>
        </body>
      </html>
    </>
  );
}

/** A link that leaves the frame: what it leads to needs more room. */
export function Outwards({ href, text }: { readonly href: string; readonly text: string }): JSX.Element {
  return (
    <a href={href} target="_blank" rel="noopener" safe>
      {text}
    </a>
  );
}

/** Says what went wrong, in the frame itself. */
export function Failure({ title, help }: { readonly title: string; readonly help: string }): JSX.Element {
  return (
    <>
      <h1 dir="auto" safe>
        {title}
      </h1>
      <p class="note" safe>
        {help}
      </p>
    </>
  );
}
