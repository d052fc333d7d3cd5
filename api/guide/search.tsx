/** What finds places in the documentation: its search, and the page that people see where there is nothing. */
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
  /** A text with the address of the service in place of the one that pages show. */
  readonly withAddress: (text: string, request: FastifyRequest) => string;
  /** Counts a search of an address; rejects with 429 where it asks too often. */
  readonly limit: (address: string) => Promise<void>;
}

/** `/docs/search?q=`: a page of what was found. Anybody may ask, so nothing is packed for it. */
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

/** False where an address could not be counted. */
function isTooOften(thrown: unknown): thrown is HttpError {
  return thrown instanceof HttpError && thrown.code === 'rate_limit_exceeded';
}

interface ResultsProps {
  readonly query: string;
  readonly found: readonly Found[];
}

/** What a search found, or that it found nothing. Everything that was asked is text. */
function Results({ query, found }: ResultsProps): JSX.Element {
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

/** Of the address that is shown, in characters, and of places that may have been meant. */
const [SHOWN_MAX, PLACES_MAX] = [200, 5];

/** Shows people where they may have wanted to go, by the words of the address. An address that asks too often is told as programs are. */
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

/** Places for the last word of an address, or where there is none for all of it. */
function nearestOf(index: SearchIndex, words: string): readonly Found[] {
  const last = words.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const found = index.find(plainWords(last));
  return (found.length > 0 ? found : index.find(plainWords(words))).slice(0, PLACES_MAX);
}

/** Words that an address joins, apart, without what files end in. */
function plainWords(words: string): string {
  return words
    .replace(/\.(html?|md)$/i, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** What was sent with encoded slashes is another address than with plain ones, so only words are shown decoded. */
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
          <p>These come nearest to it:</p>
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
