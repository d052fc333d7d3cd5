import type { JSX } from 'preact';
import type { Found } from './search-index.ts';

export interface ResultsProps {
  readonly query: string;
  readonly found: readonly Found[];
}

/** What a search found, or that it found nothing. Everything that was asked is text. */
export function Results({ query, found }: ResultsProps): JSX.Element {
  if (query.trim() === '') {
    return (
      <>
        <h1>Search</h1>
        <p>Search for a word, a field, a header, a route or the code of an error.</p>
      </>
    );
  }
  return (
    <>
      <h1>Search</h1>
      <p>{found.length === 0 ? `Nothing was found for “${query}”.` : countedLine(query, found.length)}</p>
      {found.map(({ href, page, heading, excerpt }) => (
        <section class="found">
          <h2>
            <a href={href}>{heading}</a>
          </h2>
          {page !== heading && <p class="hint">{page}</p>}
          <p>{excerpt.map(({ text, isFound }) => (isFound ? <mark>{text}</mark> : <span>{text}</span>))}</p>
        </section>
      ))}
    </>
  );
}

/** A search that can't be made. */
export function Refusal({ reason }: { readonly reason: string }): JSX.Element {
  return (
    <>
      <h1>Search</h1>
      <p>{reason}</p>
    </>
  );
}

function countedLine(query: string, count: number): string {
  return `${count === 1 ? '1 place' : `${count} places`} for “${query}”, the best first.`;
}
