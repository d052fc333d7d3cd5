import { TEXTS_SEPARATOR } from '../../view/schema.ts';
import type { View } from '../../view/view.ts';

interface ModelTexts {
  readonly model: number;
  /** Id, name and aliases in lower case, separated by a character that occurs in none of them. */
  readonly search: string;
}

/** Numbers of the models with a text in id, name or alias, whatever its case. */
export function modelsNamedLike(view: View, part: string): readonly number[] {
  if (part.includes(TEXTS_SEPARATOR)) return [];
  const searched = lowerCase(part);
  return view
    .computed(loadTexts)
    .filter(({ search }) => search.includes(searched))
    .map(({ model }) => model);
}

/** In memory, since no index serves a part of a word as short as one letter: a tenth of a millisecond per thousand models. */
function loadTexts(view: View): readonly ModelTexts[] {
  return view.rows<ModelTexts>('SELECT model, search FROM model_names');
}

/** As DuckDB lowered the models' texts: character by character, none becoming two. */
function lowerCase(text: string): string {
  return Array.from(text, (character) => {
    const lower = character.toLowerCase();
    return [...lower].length === 1 ? lower : character;
  }).join('');
}
