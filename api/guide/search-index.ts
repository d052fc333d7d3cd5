import MiniSearch from 'minisearch';
import type { ErrorTable } from '../server/errors/http-error.ts';
import { GUIDE, type GuidePage } from './pages.ts';

export interface Place {
  /** With the base path and the anchor. */
  readonly href: string;
  /** Title. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  /** Ranks lowest. */
  readonly code: string;
}

export interface SearchResult {
  readonly href: string;
  readonly page: string;
  readonly heading: string;
  /** Around the first found word. */
  readonly excerpt: readonly Piece[];
}

export interface Piece {
  readonly text: string;
  readonly isFound: boolean;
}

const [WORDS_MAX, RESULTS_MAX, EXCERPT_LENGTH] = [8, 20, 220];
/** Queries with more words are matched exactly: similar words take most of a search's time. */
const FUZZY_WORDS_MAX = 3;

export class SearchIndex {
  readonly #places: readonly Place[];
  readonly #index: MiniSearch<Place & { readonly id: number }>;

  constructor(places: readonly Place[]) {
    this.#places = places;
    this.#index = new MiniSearch({ fields: ['heading', 'page', 'text', 'code'], tokenize: wordsOf });
    this.#index.addAll(places.map((place, id) => ({ ...place, id })));
  }

  /** Best first: places with all words, or if there are none, with some. */
  find(query: string): readonly SearchResult[] {
    const words = wordsOf(query).slice(0, WORDS_MAX);
    const options = {
      tokenize: () => words,
      boost: { heading: 4, page: 2, code: 0.2 },
      prefix: isLong,
      fuzzy: (word: string) => (word.length > 4 && words.length <= FUZZY_WORDS_MAX ? 0.2 : 0),
    };
    const all = this.#index.search(query, { ...options, combineWith: 'AND' });
    const found = all.length > 0 ? all : this.#index.search(query, options);
    return found.slice(0, RESULTS_MAX).flatMap(({ id, terms }) => {
      const place = this.#places[Number(id)];
      return place === undefined ? [] : [{ ...place, excerpt: excerptOf(place.text, terms) }];
    });
  }
}

/** A name such as `has_more` or `X-Quota-Used` gives itself and its parts. */
function wordsOf(text: string): string[] {
  const names = text.match(/[\p{L}\p{N}_]+(?:[-.][\p{L}\p{N}_]+)*/gu) ?? [];
  return names.flatMap((name) => {
    const parts = name.split(/[-._]+/).filter((part) => part !== '');
    return parts.length > 1 ? [name, ...parts] : [name];
  });
}

/** Shorter prefixes match too many words. */
function isLong(word: string): boolean {
  return word.length > 2;
}

/** @param terms in lower case */
function excerptOf(text: string, terms: readonly string[]): readonly Piece[] {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${terms.map(escapeForPattern).join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  const first = text.search(pattern);
  const earliest = Math.max(0, first - 60);
  const start = earliest === 0 ? 0 : text.indexOf(' ', earliest) + 1;
  const end = text.length <= start + EXCERPT_LENGTH ? text.length : text.lastIndexOf(' ', start + EXCERPT_LENGTH);
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
  return shown
    .split(pattern)
    .map((piece, index) => ({ text: piece, isFound: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** Sections of pages, and error codes. @param root the base path */
export function placesOf(
  pages: readonly GuidePage[],
  { root, errors }: { readonly root: string; readonly errors: ErrorTable },
): readonly Place[] {
  const places = pages.flatMap(({ path, title, sections }) =>
    sections.map(({ heading, anchor, depth, text, code }) => ({
      href: depth === 1 ? root + path : `${root}${path}#${anchor}`,
      page: title,
      heading,
      text,
      code,
    })),
  );
  const codes = Object.entries(errors).map(([name, { status, title, help }]) => ({
    href: `${root}${GUIDE}/errors/${name}`,
    page: 'Error codes',
    heading: name,
    text: `${status}. ${title}. ${help}`,
    code: '',
  }));
  return [...places, ...codes];
}
