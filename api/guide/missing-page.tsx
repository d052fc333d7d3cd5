import type { JSX } from 'preact';
import type { ShowMissing } from '../server/pages/error-pages.ts';
import { pathOf } from '../server/request-checks.ts';
import { findRefusal, type SearchDeps } from './bind-search.ts';
import { REFUSAL_HEADERS } from './frame-page.ts';
import { renderGuidePage } from './layout.tsx';
import { GUIDE } from './pages.ts';
import { type Found, QUERY_LENGTH_MAX, type SearchIndex } from './search-index.ts';

/** Of the address that is shown, in characters, and of places that may have been meant. */
const [SHOWN_MAX, PLACES_MAX] = [200, 5];

/** Shows people where they may have wanted to go, by the words of the address. An address that asks too often is told as programs are. */
export function missingPage({ frame, index, limit }: Omit<SearchDeps, 'withAddress'>): ShowMissing {
  return async (request) => {
    if ((await findRefusal(limit, request)) !== undefined) return undefined;
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
