import { TEXTS_SEPARATOR } from '../../view/schema.ts';
import type { View } from '../../view/view.ts';

interface ModelTexts {
  readonly model: number;
  /** Id, name and aliases in lower case, separated by a character that occurs in none of them. */
  readonly search: string;
}

/** Numbers of the models with a text in id, name or alias, whatever its case. */
export function modelsNamedLike(view: View, part: string): readonly number[] {
  return numbersWith(part, view.computed(loadTexts));
}

/** The same of models that are gone, which have no alias. */
export function removedNamedLike(view: View, part: string): readonly number[] {
  return numbersWith(part, view.computed(loadRemovedTexts));
}

function numbersWith(part: string, texts: readonly ModelTexts[]): readonly number[] {
  if (part.includes(TEXTS_SEPARATOR)) return [];
  const searched = lowerCase(part);
  return texts.filter(({ search }) => search.includes(searched)).map(({ model }) => model);
}

/** In memory, since no index serves a part of a word as short as one letter: a tenth of a millisecond per thousand models. */
function loadTexts(view: View): readonly ModelTexts[] {
  return view
    .rows<ModelTexts>('SELECT model, search FROM model_names')
    .map(({ model, search }) => ({ model, search: lowerCase(search) }));
}

function loadRemovedTexts(view: View): readonly ModelTexts[] {
  return view
    .rows<{ readonly model: number; readonly id: string; readonly name: string }>(
      'SELECT model, id, name FROM all_models WHERE is_removed',
    )
    .map(({ model, id, name }) => ({ model, search: lowerCase(`${id}${TEXTS_SEPARATOR}${name}`) }));
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
