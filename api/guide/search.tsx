/** The search of the documentation, and the page for unknown addresses below `/docs`. */
import type { JSX } from 'preact';
import type { BoundRoute, WholeResponse } from '../server/bind-route.ts';
import { etagOf, findTagUnchanged } from '../server/conditional.ts';
import { HttpError } from '../server/errors/http-error.ts';
import type { ShowMissing } from '../server/pages/error-pages.ts';
import { pathOf } from '../server/request-checks.ts';
import { HTML_TYPE } from '../server/response-headers.ts';
import type { BaseUrlOf } from '../server/urls.ts';
import type { Content } from './content.ts';
import { GUIDE_HEADERS, REFUSAL_HEADERS, renderGuidePage } from './layout.tsx';
import { GUIDE, QUERY_LENGTH_MAX } from './pages.ts';
import type { SearchIndex, SearchResult } from './search-index.ts';

export interface SearchDeps {
  /** The base path. */
  readonly root: string;
  readonly load: () => Promise<Content>;
  readonly baseUrlOf: BaseUrlOf;
  /** Counts a search; rejects with 429 above the limit. */
  readonly limit: (address: string) => Promise<void>;
}

/** `/docs/search?q=`. Responses aren't compressed, because anybody may search. */
export function searchRoute({ root, load, baseUrlOf, limit }: SearchDeps): BoundRoute {
  const path = `${root}${GUIDE}/search`;
  const pageOf = async (children: JSX.Element, query = '') =>
    renderGuidePage({ frame: (await load()).frame, title: 'Search', path, query, children });
  const refusal = async (status: number, reason: string, headers = {}): Promise<WholeResponse> => ({
    status,
    headers: { ...headers, ...REFUSAL_HEADERS, 'Content-Type': HTML_TYPE },
    body: await pageOf(<Refusal reason={reason} />),
  });
  return {
    path: `${GUIDE}/search`,
    compress: false,
    respond: async (request) => {
      const { q = '' } = request.query as Readonly<Record<string, unknown>>; // Text, or a list of texts.
      if (typeof q !== 'string') return refusal(422, 'Give the parameter q only once.');
      if (q.length > QUERY_LENGTH_MAX) return refusal(422, `Search for at most ${QUERY_LENGTH_MAX} characters.`);
      try {
        await limit(request.ip);
      } catch (error) {
        if (!isRateLimited(error)) throw error;
        return refusal(error.status, `${error.message}. Search again in a minute.`, error.options.headers);
      }
      const { index, withAddress } = await load();
      const found = index.find(q).map((one) => mapExcerpt(one, (text) => withAddress(text, baseUrlOf(request))));
      const html = await pageOf(<Results query={q} found={found} />, q);
      const etag = etagOf(html);
      const unchanged = findTagUnchanged(request.headers['if-none-match'], etag);
      const headers = { ...GUIDE_HEADERS, ETag: unchanged ?? `"${etag}"` };
      if (unchanged !== undefined) return { status: 304, headers, body: undefined };
      return { status: 200, headers: { ...headers, 'Content-Type': HTML_TYPE }, body: html };
    },
  };
}

function mapExcerpt(one: SearchResult, change: (text: string) => string): SearchResult {
  return { ...one, excerpt: one.excerpt.map((piece) => ({ ...piece, text: change(piece.text) })) };
}

/** False for a failure to check the limit. */
function isRateLimited(thrown: unknown): thrown is HttpError {
  return thrown instanceof HttpError && thrown.code === 'rate_limit_exceeded';
}

interface ResultsProps {
  readonly query: string;
  readonly found: readonly SearchResult[];
}

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
      <p>{found.length === 0 ? `No results for “${query}”.` : countedLine(query, found.length)}</p>
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

function Refusal({ reason }: { readonly reason: string }): JSX.Element {
  return (
    <>
      <h1>Search</h1>
      <p>{reason}</p>
    </>
  );
}

function countedLine(query: string, count: number): string {
  return `${count === 1 ? '1 result' : `${count} results`} for “${query}”, best first.`;
}

const [SHOWN_MAX, PLACES_MAX] = [200, 5];

/** Suggests places by the words of the address. Above the limit callers get the error envelope. */
export function missingPage({ root, load, limit }: Omit<SearchDeps, 'baseUrlOf'>): ShowMissing {
  return async (request) => {
    try {
      await limit(request.ip);
    } catch (error) {
      if (isRateLimited(error)) return undefined;
      throw error;
    }
    const { frame, index } = await load();
    const path = pathOf(request.url);
    const words = decoded(path).slice(`${root}${GUIDE}/`.length).slice(0, QUERY_LENGTH_MAX);
    const children = <Missing path={path.slice(0, SHOWN_MAX)} places={nearestOf(index, words)} />;
    const props = { frame, title: 'No such page', path, query: plainWords(words) };
    return { html: renderGuidePage({ ...props, children }), headers: REFUSAL_HEADERS };
  };
}

/** By the last part of an address, or if that finds none, by all of it. */
function nearestOf(index: SearchIndex, words: string): readonly SearchResult[] {
  const last = words.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const found = index.find(plainWords(last));
  return (found.length > 0 ? found : index.find(plainWords(words))).slice(0, PLACES_MAX);
}

function plainWords(words: string): string {
  return words
    .replace(/\.(html?|md)$/i, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Only for the words: the address is shown as sent, because an encoded slash is not a plain one. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function Missing({ path, places }: { readonly path: string; readonly places: readonly SearchResult[] }): JSX.Element {
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        No page has the address <code>{path}</code>.
      </p>
      {places.length > 0 && (
        <>
          <p>Similar pages:</p>
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
      <p>Use the search at the top, or choose a page from the contents.</p>
    </>
  );
}
