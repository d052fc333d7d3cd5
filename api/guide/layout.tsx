import type { ComponentChildren, JSX } from 'preact';
import { renderPage } from '../server/pages/html.tsx';
import { ICON, ICON_TYPE } from '../server/pages/styles.ts';

export interface NavigationLink {
  readonly href: string;
  readonly label: string;
}

export interface NavigationPart {
  readonly title: string;
  readonly links: readonly NavigationLink[];
}

/** What all pages have in common. */
export interface Frame {
  /** The base path; empty for none. */
  readonly root: string;
  /** Path of the style sheet. */
  readonly stylesheet: string;
  readonly hasConsole: boolean;
  /** Longest search, in characters. */
  readonly queryLengthMax: number;
  readonly parts: readonly NavigationPart[];
}

export interface PageProps {
  readonly frame: Frame;
  readonly title: string;
  /** The path of the page, with the base path. */
  readonly path: string;
  /** What was searched for, to be searched again. */
  readonly query?: string;
  readonly children?: ComponentChildren;
}

/** A page as a whole. It runs no script: on a phone the navigation is folded, and beside the text where there is room. */
export function renderGuidePage({ frame, title, path, query = '', children }: PageProps): string {
  const { root, stylesheet, hasConsole, queryLengthMax, parts } = frame;
  const head = (
    <>
      <link rel="stylesheet" href={stylesheet} />
      <link rel="icon" type={ICON_TYPE} href={root + ICON} />
    </>
  );
  const body = (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={`${root}/`}>
          modelstats
        </a>
        <a class="here" href={`${root}/docs`}>
          Documentation
        </a>
        {hasConsole && <a href={`${root}/console`}>Console</a>}
        <search>
          <form action={`${root}/docs/search`}>
            <label class="unseen" for="q">
              Search the documentation
            </label>
            <input id="q" type="search" name="q" maxlength={queryLengthMax} placeholder="Search" value={query} />
            <button type="submit">Search</button>
          </form>
        </search>
      </header>
      <div class="columns">
        <details class="folded">
          <summary>Contents</summary>
          <Navigation parts={parts} path={path} label="Contents, folded" />
        </details>
        <aside>
          <Navigation parts={parts} path={path} label="Contents" />
        </aside>
        <main id="main" tabindex={-1}>
          {children}
        </main>
      </div>
    </>
  );
  return renderPage({ title: `${title} · modelstats`, head, children: body });
}

interface NavigationProps {
  readonly parts: readonly NavigationPart[];
  readonly path: string;
  readonly label: string;
}

function Navigation({ parts, path, label }: NavigationProps): JSX.Element {
  return (
    <nav aria-label={label}>
      {parts.map(({ title, links }) => (
        <>
          <p class="part">{title}</p>
          <ul>
            {links.map((link) => (
              <li>
                <a href={link.href} aria-current={link.href === path ? 'page' : undefined}>
                  {link.label}
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

/** Where the parts of a page begin. */
export function OnThisPage({ sections }: { readonly sections: readonly NavigationLink[] }): JSX.Element {
  return (
    <nav class="sections" aria-label="On this page">
      <ul>
        {sections.map(({ href, label }) => (
          <li>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Stands where the body of a page has its place. It is no word that a frame could hold besides. */
const BODY = '[the body of the page]';

/** A page around a body that is HTML already: rendered Markdown of ours, or the page of an error. */
export function framePage(frame: Frame, body: string, props: Omit<PageProps, 'frame'>): string {
  const html = renderGuidePage({ ...props, frame, children: BODY });
  const [before, after, ...others] = html.split(BODY);
  if (after === undefined || others.length > 0) throw new Error(`the frame of ${props.title} has no place for a body`);
  return `${before}${body}${after}`;
}

/** No script at all, and no style or picture that isn't ours; a form leads to the search alone. */
export const GUIDE_HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
} as const;

/** Of a page that says what can not be shown now. */
export const REFUSAL_HEADERS = { ...GUIDE_HEADERS, 'Cache-Control': 'no-store' } as const;
