import type { ComponentChildren, JSX } from 'preact';
import { type PageResponse, page } from './response.ts';

/** A short page. @param status default: 200 */
export function narrowPage(title: string, children: ComponentChildren, status?: number): PageResponse {
  const body = (
    <div class="narrow">
      <h1>{title}</h1>
      {children}
    </div>
  );
  return page(title, body, status);
}

/** In UTC. */
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

export function Section({ id, title, children }: SectionProps): JSX.Element {
  return (
    <section class="card" id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Heading, empty over actions, and the kind of cells: `head` names the row. */
export type Column = string | readonly [heading: string, kind: 'head' | 'number' | 'long' | 'wide' | 'actions'];

export interface TableProps {
  /** For screen readers. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** One cell per column. */
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Shown without rows. */
  readonly empty: string;
}

/** Scrolls by itself if the page is too narrow. */
export function Table({ caption, columns, rows, empty }: TableProps): JSX.Element {
  if (rows.length === 0) return <p class="none">{empty}</p>;
  const all = columns.map((column) => (typeof column === 'string' ? ([column, undefined] as const) : column));
  return (
    <section class="table" tabindex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {all.map(([heading, kind]) =>
              heading === '' ? (
                <td></td>
              ) : (
                <th scope="col" class={kind === 'number' ? kind : undefined}>
                  {heading}
                </th>
              ),
            )}
          </tr>
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

export type Fact = readonly [label: string, value: string | JSX.Element];

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

/** With a copy button if scripts run. */
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

/** About the whole page. */
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
  /** By the value of `?done=`. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Confirms the action of the previous form, as named in the address. */
export function Done({ query: { done = '' }, texts }: DoneProps): JSX.Element | null {
  if (!Object.hasOwn(texts, done)) return null;
  return (
    <Notice kind="good">
      <p>{texts[done]}</p>
    </Notice>
  );
}

export function Badge({ kind, text }: { readonly kind: 'good' | 'bad' | 'plain'; readonly text: string }): JSX.Element {
  return <span class={`badge ${kind}`}>{text}</span>;
}

export interface ChoicesProps {
  /** For screen readers. */
  readonly label: string;
  readonly links: readonly { readonly href: string; readonly text: ComponentChildren; readonly isShown: boolean }[];
  /** Default: `true`. */
  readonly current?: 'page' | 'true';
}

/** Links, one of which is current. */
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

/** htmx attributes that replace a part of this page with that of another. @param part its selector */
export function inPlace(href: string, part: string) {
  return { 'hx-get': href, 'hx-select': part, 'hx-target': part, 'hx-swap': 'outerHTML', 'hx-push-url': 'true' };
}

/** Undefined and empty parameters are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') given.set(name, value);
  const text = given.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** One page of a long list. */
export interface Part<T> {
  readonly shown: readonly T[];
  /** Items before it. */
  readonly from: number;
  readonly size: number;
  /** All items. */
  readonly total: number;
}

/** The page at `?from=`; the first if that is no number. */
export function partOf<T>(
  all: readonly T[],
  { query, size }: { readonly query: Readonly<Record<string, string>>; readonly size: number },
): Part<T> {
  const from = Math.max(0, Math.trunc(Number(query['from'] ?? 0)) || 0);
  return { shown: all.slice(from, from + size), from, size, total: all.length };
}

export interface PagerProps {
  /** For screen readers. */
  readonly label: string;
  readonly here: string;
  readonly part: Part<unknown>;
  readonly before: string;
  readonly after: string;
}

/** Links to the pages before and after, if any. */
export function Pager({ label, here, part: { from, size, total }, before, after }: PagerProps): JSX.Element | null {
  if (from === 0 && total <= size) return null;
  const first = { href: withQuery(here, { from: from > size ? String(from - size) : undefined }), text: before };
  const next = { href: withQuery(here, { from: String(from + size) }), text: after };
  return <PageLinks label={label} before={from > 0 && first} after={from + size < total && next} />;
}

export interface PageLinksProps {
  readonly label: string;
  /** False if there is none. */
  readonly before?: PageLink | false;
  readonly after: PageLink | false;
}

interface PageLink {
  readonly href: string;
  readonly text: string;
}

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
