/** What pages are put together from. */
import type { ComponentChildren, JSX } from 'preact';
import { type PageResponse, page } from './response.ts';

/** A page of a few lines below its title. @param status default: 200 */
export function narrowPage(title: string, children: ComponentChildren, status?: number): PageResponse {
  const body = (
    <div class="narrow">
      <h1>{title}</h1>
      {children}
    </div>
  );
  return page(title, body, status);
}

/** An instant, in UTC as everything here. */
export function Instant({ at }: { readonly at: Date | null }): JSX.Element {
  if (at === null) return <span class="none">never</span>;
  const [day = '', time = ''] = at.toISOString().split('T');
  return <time datetime={at.toISOString()}>{`${day} ${time.slice(0, 5)} UTC`}</time>;
}

export interface SectionProps {
  readonly id?: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** A part of a page with a heading of its own. */
export function Section({ id, title, children }: SectionProps): JSX.Element {
  return (
    <section class="card" id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** What stands above a column, empty over what can be done, and the kind of its cells: `head` for the one that names the row. */
export type Column = string | readonly [heading: string, kind: 'head' | 'number' | 'long' | 'wide' | 'actions'];

export interface TableProps {
  /** What the table holds, for those who don't see it. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** A row has a cell for each column. */
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** What is said where there is none. */
  readonly empty: string;
}

/** A table that scrolls by itself where the page is too narrow for it. */
export function Table({ caption, columns, rows, empty }: TableProps): JSX.Element {
  if (rows.length === 0) return <p class="none">{empty}</p>;
  const all = columns.map((column) => (typeof column === 'string' ? ([column, undefined] as const) : column));
  return (
    <section class="table" tabindex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>{all.map(([heading]) => (heading === '' ? <td></td> : <th scope="col">{heading}</th>))}</tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {all.map(([, kind], at) =>
                kind === 'head' ? <th scope="row">{cells[at]}</th> : <td class={kind}>{cells[at]}</td>,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What something is called, and its value: text, or an element of its own. */
export type Fact = readonly [label: string, value: string | JSX.Element];

/** Facts with their names. */
export function Facts({ items }: { readonly items: readonly Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {items.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{typeof value === 'string' ? <span>{value}</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Text to be copied, with a button for it where scripts run. */
export function Copyable({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="copyable">
      <pre tabindex={0}>{text}</pre>
      <button type="button" class="quiet" data-copy="" hidden>
        Copy
      </button>
    </div>
  );
}

/** Says something about the whole page. */
export function Notice({ kind, children }: NoticeProps): JSX.Element {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

export interface NoticeProps {
  readonly kind: 'good' | 'bad' | 'plain';
  readonly children?: ComponentChildren;
}

export interface DoneProps {
  readonly query: Readonly<Record<string, string>>;
  /** What is said, by what `?done=` names. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Says that what was asked for with the form before was done; nothing where the address names nothing of it. */
export function Done({ query: { done = '' }, texts }: DoneProps): JSX.Element | null {
  if (!Object.hasOwn(texts, done)) return null;
  return (
    <Notice kind="good">
      <p>{texts[done]}</p>
    </Notice>
  );
}

/** A word about the state of something. */
export function Badge({ kind, text }: { readonly kind: 'good' | 'bad' | 'plain'; readonly text: string }): JSX.Element {
  return <span class={`badge ${kind}`}>{text}</span>;
}

export interface ChoicesProps {
  /** What is chosen, for those who don't see it. */
  readonly label: string;
  readonly links: readonly { readonly href: string; readonly text: ComponentChildren; readonly isShown: boolean }[];
  /** What is said of the one that is shown; default: that it is the one. */
  readonly current?: 'page' | 'true';
}

/** Links of which one leads to what is shown. */
export function Choices({ label, links, current = 'true' }: ChoicesProps): JSX.Element {
  return (
    <nav class="choices" aria-label={label}>
      {links.map(({ href, text, isShown }) => (
        <a href={href} aria-current={isShown ? current : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** Attributes by which htmx shows a part of another page in place of the same part of this one. @param part its selector */
export function inPlace(href: string, part: string) {
  return { 'hx-get': href, 'hx-select': part, 'hx-target': part, 'hx-swap': 'outerHTML', 'hx-push-url': 'true' };
}

/** A link to the same page with other parameters; those that are undefined or empty are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') given.set(name, value);
  const text = given.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The part of a long list that a page shows, so that no page grows with what there is. */
export interface Part<T> {
  readonly shown: readonly T[];
  /** How many stand before it. */
  readonly from: number;
  readonly size: number;
  /** How many there are in all. */
  readonly total: number;
}

/** The part that `?from=` names, which begins at the list's beginning where that is no number. */
export function partOf<T>(
  all: readonly T[],
  { query, size }: { readonly query: Readonly<Record<string, string>>; readonly size: number },
): Part<T> {
  const from = Math.max(0, Math.trunc(Number(query['from'] ?? 0)) || 0);
  return { shown: all.slice(from, from + size), from, size, total: all.length };
}

export interface PagerProps {
  /** What is paged, for those who don't see it. */
  readonly label: string;
  readonly here: string;
  readonly part: Part<unknown>;
  readonly before: string;
  readonly after: string;
}

/** Links to the parts before and after; nothing where there are none. */
export function Pager({ label, here, part: { from, size, total }, before, after }: PagerProps): JSX.Element | null {
  if (from === 0 && total <= size) return null;
  const first = { href: withQuery(here, { from: from > size ? String(from - size) : undefined }), text: before };
  const next = { href: withQuery(here, { from: String(from + size) }), text: after };
  return <PageLinks label={label} before={from > 0 && first} after={from + size < total && next} />;
}

export interface PageLinksProps {
  readonly label: string;
  /** Where there is nothing before it, or after it: false. */
  readonly before?: PageLink | false;
  readonly after: PageLink | false;
}

interface PageLink {
  readonly href: string;
  readonly text: string;
}

/** Links from a part of a list to those around it. */
export function PageLinks({ label, before = false, after }: PageLinksProps): JSX.Element {
  return (
    <nav class="pager" aria-label={label}>
      {before && (
        <a href={before.href} rel="prev">
          {before.text}
        </a>
      )}
      {after && (
        <a href={after.href} rel="next">
          {after.text}
        </a>
      )}
    </nav>
  );
}
