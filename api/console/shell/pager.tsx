/** Long lists in parts, so that no page grows with what there is. */
import type { JSX } from 'preact';
import { withQuery } from './parts.tsx';

/** The part of a list that a page shows. */
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
