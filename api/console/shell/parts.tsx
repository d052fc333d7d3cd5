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
