/** What the pages of data have in common. */
import type { ComponentChildren, JSX } from 'preact';
import { Copyable, Notice } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/visitor.ts';
import type { Asked, Found } from './ask.ts';

const PAGES = [
  { to: '/data/models', label: 'Models' },
  { to: '/data/rankings', label: 'Rankings' },
  { to: '/data/changes', label: 'Changes' },
  { to: '/data/snapshots', label: 'Snapshots' },
  { to: '/data/sources', label: 'Sources' },
] as const;

export interface DataPageProps {
  readonly pages: OrganizationPages;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** A page of data below its heading and the links to the others. */
export function DataPage({ pages, title, children }: DataPageProps): JSX.Element {
  return (
    <>
      <nav class="choices" aria-label="Data">
        {PAGES.map(({ to, label }) => (
          <a href={pages.path + to} aria-current={pages.url.startsWith(pages.path + to) ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <h1>{title}</h1>
      {children}
    </>
  );
}

/** What was found, with the request that gives the same, or why there is nothing. */
export function Answered<T>({ asked, show }: AnsweredProps<T>): JSX.Element {
  if (asked.refusal !== undefined)
    return (
      <Notice kind="plain">
        <p>{`${asked.refusal}.`}</p>
      </Notice>
    );
  return (
    <>
      {show(asked)}
      <RequestLine url={asked.url} />
    </>
  );
}

export interface AnsweredProps<T> {
  readonly asked: Asked<T>;
  readonly show: (found: Found<T>) => JSX.Element;
}

/** The request that gives what a page shows, to be pasted into a terminal. */
export function RequestLine({ url }: { readonly url: string }): JSX.Element {
  return (
    <details class="request">
      <summary>The same by the API</summary>
      <Copyable text={curlLine(url)} />
    </details>
  );
}

/** @param key what stands for the key: a shell variable unless told */
export function curlLine(url: string, key = '$MODELSTATS_KEY'): string {
  return `curl -H "Authorization: Bearer ${key}" "${url}"`;
}
