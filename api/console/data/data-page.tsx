/** What the pages of data have in common. */
import type { ComponentChildren, JSX } from 'preact';
import { Notice } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/visitor.ts';
import type { Asked, Found } from './ask.ts';
import { RequestLine } from './request-line.tsx';

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
