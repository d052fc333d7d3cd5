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

/** What all pages share. */
export interface Frame {
  /** The base path; empty for none. */
  readonly root: string;
  /** Path. */
  readonly stylesheet: string;
  /** Path of `copy-code.js`. */
  readonly script: string;
  readonly hasConsole: boolean;
  /** In characters. */
  readonly queryLengthMax: number;
  readonly parts: readonly NavigationPart[];
}

export interface PageProps {
  readonly frame: Frame;
  readonly title: string;
  /** With the base path. */
  readonly path: string;
  /** In the search field. */
  readonly query?: string;
  /** Adds copy buttons to code; default: false, and the page runs no script. */
  readonly hasScript?: boolean;
  readonly children?: ComponentChildren;
}

/** On a phone the navigation is folded. */
export function renderGuidePage({ frame, title, path, query = '', hasScript = false, children }: PageProps): string {
  const { root, stylesheet, script, hasConsole, queryLengthMax, parts } = frame;
  const head = (
    <>
      <link rel="stylesheet" href={stylesheet} />
      <link rel="icon" type={ICON_TYPE} href={root + ICON} />
      {hasScript && <script defer src={script} />}
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

/** Placeholder for the body of a page. */
const BODY = '[the body of the page]';

/** @param body trusted HTML: rendered Markdown, or an error page */
export function framePage(frame: Frame, body: string, props: Omit<PageProps, 'frame'>): string {
  const html = renderGuidePage({ ...props, frame, children: BODY });
  const [before, after, ...others] = html.split(BODY);
  if (after === undefined || others.length > 0)
    throw new Error(`the frame of ${props.title} has no single placeholder for a body`);
  return `${before}${body}${after}`;
}

/** No script; styles, pictures and forms only from and to this service. */
export const GUIDE_HEADERS = headersWith([]);

/** For pages with code: also allows our script. */
export const SCRIPT_HEADERS = headersWith(["script-src 'self'"]);

export const REFUSAL_HEADERS = { ...GUIDE_HEADERS, 'Cache-Control': 'no-store' } as const;

function headersWith(scripts: readonly string[]) {
  const policy = [
    "default-src 'none'",
    ...scripts,
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    'Cache-Control': 'public, max-age=300',
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
  } as const;
}
