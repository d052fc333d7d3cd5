/** What pages are put together from. */
import type { ComponentChildren, JSX } from 'preact';

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

export interface TableProps {
  /** What the table holds, for those who don't see it. */
  readonly caption: string;
  /** What each column has; empty for the one with what can be done. */
  readonly columns: readonly string[];
  /** A `<tr>` each. */
  readonly rows: readonly JSX.Element[];
  /** What is said where there is none. */
  readonly empty: string;
}

/** A table that scrolls by itself where the page is too narrow for it. */
export function Table({ caption, columns, rows, empty }: TableProps): JSX.Element {
  if (rows.length === 0) return <p class="none">{empty}</p>;
  return (
    <section class="table" tabindex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>{columns.map((column) => (column === '' ? <td></td> : <th scope="col">{column}</th>))}</tr>
        </thead>
        <tbody>{rows.map((row) => row)}</tbody>
      </table>
    </section>
  );
}

export interface FactsProps {
  /** What it is called, and its value as HTML. */
  readonly items: readonly (readonly [label: string, html: JSX.Element])[];
}

/** Facts with their names. */
export function Facts({ items }: FactsProps): JSX.Element {
  return (
    <dl class="facts">
      {items.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
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
  return (
    <nav class="pager" aria-label={label}>
      {from > 0 && (
        <a href={withQuery(here, { from: from > size ? String(from - size) : undefined })} rel="prev">
          {before}
        </a>
      )}
      {from + size < total && (
        <a href={withQuery(here, { from: String(from + size) })} rel="next">
          {after}
        </a>
      )}
    </nav>
  );
}
