import { TEXTS_SEPARATOR } from '../../view/schema.ts';
import type { View } from '../../view/view.ts';

interface ModelTexts {
  readonly model: number;
  /** Id, name and aliases in lower case, separated by a character that occurs in none of them. */
  readonly search: string;
  /** How many serve it. */
  readonly sellers: number;
  /** Of all categories; null: not ranked. */
  readonly bestRank: number | null;
}

/** `all_models`: also those that are gone, which have no alias. */
export type SearchedModels = 'models' | 'all_models';

/** Numbers of the models with a text in id, name or alias, whatever its case. */
export function modelsNamedLike(view: View, part: string, from: SearchedModels = 'models'): readonly number[] {
  return textsWith(view, lowerCase(part), from).map(({ model }) => model);
}

/** The same models, each with its relevance: a whole number, the smaller the better (specification "Models"). */
export function relevanceOf(
  view: View,
  part: string,
  from: SearchedModels,
): readonly (readonly [model: number, relevance: number])[] {
  const searched = lowerCase(part);
  return textsWith(view, searched, from).map((texts) => [
    texts.model,
    tierOf(texts.search, searched) * TIER + popularityOf(texts),
  ]);
}

function textsWith(view: View, searched: string, from: SearchedModels): readonly ModelTexts[] {
  if (searched.includes(TEXTS_SEPARATOR)) return [];
  const texts = [view.computed(loadTexts), ...(from === 'all_models' ? [view.computed(loadRemovedTexts)] : [])];
  return texts.flatMap((some) => some.filter(({ search }) => search.includes(searched)));
}

/** Where a part stands best: 0 is a whole text, 1 begins one, 2 begins a word, 3 is within one. */
function tierOf(search: string, part: string): number {
  let best = 3;
  for (let at = search.indexOf(part); at !== -1; at = search.indexOf(part, at + 1)) {
    const end = at + part.length;
    if (at === 0 || search[at - 1] === TEXTS_SEPARATOR) {
      if (end === search.length || search[end] === TEXTS_SEPARATOR) return 0;
      best = 1;
    } else if (best > 2 && !IN_WORD.test(search.slice(Math.max(0, at - 2), at))) best = 2;
  }
  return best;
}

const IN_WORD = /[\p{L}\p{M}\p{N}]$/u;

/** Greater than any popularity. */
const TIER = 1e12;
/** More sellers, or worse ranks, count as these. */
const SELLERS_MAX = 99_999;
const RANK_MAX = 9_999_999;

/** The smaller the better: more sellers, then a better rank. */
export function popularityOf({ sellers, bestRank }: Pick<ModelTexts, 'sellers' | 'bestRank'>): number {
  return (SELLERS_MAX - Math.min(sellers, SELLERS_MAX)) * (RANK_MAX + 1) + Math.min(bestRank ?? RANK_MAX, RANK_MAX);
}

/**
 * Numbers of the first models with every word in id, name or alias, the most popular first: letters anywhere, numbers whole.
 *
 * @param words in lower case; none finds nothing
 */
export function modelsWithWords(view: View, words: readonly string[], limit: number): readonly number[] {
  const found: number[] = [];
  if (words.length === 0) return found;
  const rarest = [...new Set(words)]
    .map((word) => ({ word, isNumber: DIGIT.test(word) }))
    .sort((one, other) => other.word.length - one.word.length);
  for (const { model, search } of view.computed(textsByPopularity)) {
    if (!rarest.every(({ word, isNumber }) => (isNumber ? hasNumber(search, word) : search.includes(word)))) continue;
    found.push(model);
    if (found.length === limit) break;
  }
  return found;
}

function hasNumber(search: string, word: string): boolean {
  for (let at = search.indexOf(word); at !== -1; at = search.indexOf(word, at + 1)) {
    if (!DIGIT.test(search[at - 1] ?? '') && !DIGIT.test(search[at + word.length] ?? '')) return true;
  }
  return false;
}

const DIGIT = /^\p{N}/u;

function textsByPopularity(view: View): readonly ModelTexts[] {
  return view
    .computed(loadTexts)
    .toSorted((one, other) => popularityOf(one) - popularityOf(other) || one.model - other.model);
}

/** In memory, since no index serves a part of a word as short as one letter: a tenth of a millisecond per thousand models. */
function loadTexts(view: View): readonly ModelTexts[] {
  return view
    .rows<ModelTexts>('SELECT model, search, sellers, best_rank AS bestRank FROM model_names')
    .map((texts) => ({ ...texts, search: lowerCase(texts.search) }));
}

function loadRemovedTexts(view: View): readonly ModelTexts[] {
  return view
    .rows<Omit<ModelTexts, 'bestRank'>>(
      `SELECT model, concat(id, '${TEXTS_SEPARATOR}', name) AS search, coalesce(json_array_length(line, '$.inference'), 0) AS sellers
       FROM all_models WHERE is_removed`,
    )
    .map((texts) => ({ ...texts, search: lowerCase(texts.search), bestRank: null }));
}

/**
 * Character by character, as DuckDB lowered the models' texts: İ becomes i, and no Σ a final one. Node knows newer letters than
 * DuckDB, so those texts are lowered again.
 */
function lowerCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return Array.from(text, (character) => [...character.toLowerCase()][0] ?? character).join('');
}

/** Most texts, which are lowered twenty times as fast as others. */
const ASCII = /^\p{ASCII}*$/u;
