/** What the pages of data have in common. */
import type { ComponentChildren, JSX } from 'preact';
import { Choices, Copyable, Notice } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/routes.ts';
import type { Asked, Found } from './ask.ts';

const PAGES = [
  { to: '/data/models', text: 'Models' },
  { to: '/data/rankings', text: 'Rankings' },
  { to: '/data/changes', text: 'Changes' },
  { to: '/data/snapshots', text: 'Snapshots' },
  { to: '/data/sources', text: 'Sources' },
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
