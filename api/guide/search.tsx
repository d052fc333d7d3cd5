/** The search of the documentation, and the page for addresses below `/docs` that have none. */
import type { FastifyRequest } from 'fastify';
import type { JSX } from 'preact';
import type { BoundRoute, WholeResponse } from '../server/bind-route.ts';
import { etagOf, findTagUnchanged } from '../server/conditional.ts';
import { HttpError } from '../server/errors/http-error.ts';
import type { ShowMissing } from '../server/pages/error-pages.ts';
import { pathOf } from '../server/request-checks.ts';
import { HTML_TYPE } from '../server/response-headers.ts';
import { type Frame, GUIDE_HEADERS, REFUSAL_HEADERS, renderGuidePage } from './layout.tsx';
import { GUIDE } from './pages.ts';
import { type Found, QUERY_LENGTH_MAX, type SearchIndex } from './search-index.ts';

export interface SearchDeps {
  readonly frame: Frame;
  readonly index: SearchIndex;
  /** Puts the address of the service into a text. */
  readonly withAddress: (text: string, request: FastifyRequest) => string;
  /** Counts a search of a client address; rejects with 429 above the limit. */
  readonly limit: (address: string) => Promise<void>;
}

/** `/docs/search?q=`: a page of results. Anybody may search, so responses aren't compressed. */
export function searchRoute({ frame, index, withAddress, limit }: SearchDeps): BoundRoute {
  const path = `${frame.root}${GUIDE}/search`;
  const pageOf = (children: JSX.Element, query = '') =>
    renderGuidePage({ frame, title: 'Search', path, query, children });
  const refusal = (status: number, reason: string, headers = {}): WholeResponse => ({
    status,
    headers: { ...headers, ...REFUSAL_HEADERS, 'Content-Type': HTML_TYPE },
    body: pageOf(<Refusal reason={reason} />),
  });
  return {
    path: `${GUIDE}/search`,
    compress: false,
    respond: async (request) => {
      const { q = '' } = request.query as Readonly<Record<string, unknown>>; // As Fastify reads a query: text, or a list of texts.
      if (typeof q !== 'string') return refusal(422, 'Give q once.');
      if (q.length > QUERY_LENGTH_MAX) return refusal(422, `Search for at most ${QUERY_LENGTH_MAX} characters.`);
      await limit(request.ip);
      const found = index.find(q).map((one) => inPlace(one, (text) => withAddress(text, request)));
      const html = pageOf(<Results query={q} found={found} />, q);
      const etag = etagOf(html);
      const unchanged = findTagUnchanged(request.headers['if-none-match'], etag);
      const headers = { ...GUIDE_HEADERS, ETag: unchanged ?? `"${etag}"` };
      if (unchanged !== undefined) return { status: 304, headers, body: undefined };
      return { status: 200, headers: { ...headers, 'Content-Type': HTML_TYPE }, body: html };
    },
    refuse: (thrown) => {
      if (!isTooOften(thrown)) return undefined;
      return refusal(thrown.status, `${thrown.message}. Wait for a minute, and search again.`, thrown.options.headers);
    },
  };
}

function inPlace(one: Found, change: (text: string) => string): Found {
  return { ...one, excerpt: one.excerpt.map((piece) => ({ ...piece, text: change(piece.text) })) };
}

/** False if the limit could not be checked. */
function isTooOften(thrown: unknown): thrown is HttpError {
  return thrown instanceof HttpError && thrown.code === 'rate_limit_exceeded';
}

interface ResultsProps {
  readonly query: string;
  readonly found: readonly Found[];
}

/** The results of a search. The query is shown as text. */
function Results({ query, found }: ResultsProps): JSX.Element {
  if (query.trim() === '') {
    return (
      <>
        <h1>Search</h1>
        <p>Search for a word, a field, a header, a route or an error code.</p>
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

/** A search that is refused. */
function Refusal({ reason }: { readonly reason: string }): JSX.Element {
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

/** Most characters of the address that are shown, and most suggested places. */
const [SHOWN_MAX, PLACES_MAX] = [200, 5];

/** Suggests places by the words of the address. Above the limit the caller gets the error envelope, as programs do. */
export function missingPage({ frame, index, limit }: Omit<SearchDeps, 'withAddress'>): ShowMissing {
  return async (request) => {
    try {
      await limit(request.ip);
    } catch (error) {
      if (isTooOften(error)) return undefined;
      throw error;
    }
    const path = pathOf(request.url);
    const words = decoded(path).slice(`${frame.root}${GUIDE}/`.length).slice(0, QUERY_LENGTH_MAX);
    const children = <Missing path={path.slice(0, SHOWN_MAX)} places={nearestOf(index, words)} />;
    const props = { frame, title: 'No such page', path, query: plainWords(words) };
    return { html: renderGuidePage({ ...props, children }), headers: REFUSAL_HEADERS };
  };
}

/** Places for the last part of an address, or if there are none, for all of it. */
function nearestOf(index: SearchIndex, words: string): readonly Found[] {
  const last = words.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const found = index.find(plainWords(last));
  return (found.length > 0 ? found : index.find(plainWords(words))).slice(0, PLACES_MAX);
}

/** The words of an address, without the ending of a file. */
function plainWords(words: string): string {
  return words
    .replace(/\.(html?|md)$/i, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** An encoded slash makes another address than a plain one, so the address is shown as it was sent and only its words are decoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function Missing({ path, places }: { readonly path: string; readonly places: readonly Found[] }): JSX.Element {
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        Nothing is at <code>{path}</code>.
      </p>
      {places.length > 0 && (
        <>
          <p>The nearest pages:</p>
          <ul>
            {places.map(({ href, page, heading }) => (
              <li>
                <a href={href}>{heading}</a>
                {page !== heading && <span class="hint">{` ${page}`}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
      <p>The search at the top finds every section, and the contents name every page.</p>
    </>
  );
}
