import type { ComponentChildren, JSX } from 'preact';
import { Choices, Copyable, Notice, withQuery } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/routes.ts';
import type { Fetched, Found } from './fetch-route.ts';

const PAGES = [
  { to: '/data/models', text: 'Models' },
  { to: '/data/prices', text: 'Prices' },
  { to: '/data/cost', text: 'Cost' },
  { to: '/data/rankings', text: 'Rankings' },
  { to: '/data/lifecycle', text: 'Lifecycle' },
  { to: '/data/changes', text: 'Changes' },
  { to: '/data/snapshots', text: 'Snapshots' },
  { to: '/data/sources', text: 'Sources' },
] as const;

export interface DataPageProps {
  readonly pages: OrganizationPages;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** A page of data with links to the others. */
export function DataPage({ pages, title, children }: DataPageProps): JSX.Element {
  return (
    <>
      <Choices
        label="Data"
        links={PAGES.map(({ to, text }) => {
          const href = pages.path + to;
          return { href, text, isShown: pages.url.startsWith(href) };
        })}
        current="page"
      />
      <h1>{title}</h1>
      {children}
    </>
  );
}

/** Data with its API request, or the refusal. */
export function FetchedData<T>({ fetched, show }: FetchedDataProps<T>): JSX.Element {
  if (fetched.refusal !== undefined)
    return (
      <Notice kind="plain">
        <p>{`${fetched.refusal}.`}</p>
      </Notice>
    );
  return (
    <>
      {show(fetched)}
      <RequestLine url={fetched.url} />
    </>
  );
}

export interface FetchedDataProps<T> {
  readonly fetched: Fetched<T>;
  readonly show: (found: Found<T>) => JSX.Element;
}

interface ListPagerProps {
  readonly label: string;
  /** Address of the list. */
  readonly here: string;
  readonly filters: Readonly<Record<string, string | undefined>>;
  /** Of the page that is shown; undefined: it is the first. */
  readonly cursor: string | undefined;
  /** Cursor of the next page; null: it is the last. */
  readonly next: string | null;
}

/** To the first and the next page of a list that has cursors. */
export function ListPager({ label, here, filters, cursor, next }: ListPagerProps): JSX.Element {
  return (
    <nav class="pager" aria-label={label}>
      {cursor !== undefined && <a href={withQuery(here, filters)}>First page</a>}
      {next !== null && (
        <a href={withQuery(here, { ...filters, cursor: next })} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

/** The equivalent API request as a command. */
export function RequestLine({ url }: { readonly url: string }): JSX.Element {
  return (
    <details class="request">
      <summary>API request</summary>
      <Copyable text={curlLine(url)} />
    </details>
  );
}

/** @param key default: a shell variable */
export function curlLine(url: string, key = '$MODELSTATS_KEY'): string {
  return `curl -H "Authorization: Bearer ${key}" "${url}"`;
}
