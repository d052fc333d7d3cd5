import { plainNumbers } from '../../../../runtime/plain-number.ts';
import { listOf, nameInText } from '../sentences.ts';
import { providerWords } from './price-words.ts';

/** What is told of a model beside its id. */
export interface ModelFacts {
  readonly name: string;
  readonly organization: string | null;
}

/** `Claude X (claude-x) by Anthropic, offered by anthropic and bedrock`. */
export function newModelWords(modelId: string, facts: ModelFacts, providers: readonly string[]): string {
  const by = facts.organization === null ? '' : ` by ${nameInText(facts.organization)}`;
  const offered = providers.length === 0 ? '' : `, offered by ${providerWords(providers)}`;
  return `${modelWords(modelId, facts)}${by}${offered}`;
}

/** `Claude X (claude-x)`; the id alone where the name says no more, or isn't known. */
export function modelWords(modelId: string, facts: ModelFacts | undefined): string {
  const [id, name] = [nameInText(modelId), nameInText(facts?.name ?? '')];
  return name === '' || name === id ? id : `${name} (${id})`;
}

/** A place in a ranking, before and after a night; null: none. */
export interface Move {
  readonly before: number | null;
  readonly after: number | null;
}

/** `gpt-y went from 4 to 2 in coding`, `gpt-y came in at 3`, `gpt-y is no longer ranked (it was 4)`. */
export function moveWords(modelId: string, { before, after }: Move, category?: string): string {
  const [model, place] = [nameInText(modelId), category === undefined ? '' : ` in ${nameInText(category)}`];
  if (after === null) return `${model} is no longer ranked${place}${before === null ? '' : ` (it was ${before})`}`;
  return before === null ? `${model} came in at ${after}${place}` : `${model} went from ${before} to ${after}${place}`;
}

const SCORE = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });

/** `claude-x: 71.2 in gpqa, for the first time`, `claude-x: from 70 to 71.2 in gpqa`, `claude-x: no score in gpqa any more`. */
export function scoreWords(modelId: string, benchmark: string, { before, after }: Move): string {
  const [model, place] = [nameInText(modelId), `in ${nameInText(benchmark)}`];
  if (after === null)
    return `${model}: no score ${place} any more${before === null ? '' : ` (it was ${score(before)})`}`;
  if (before === null) return `${model}: new score ${score(after)} ${place}`;
  const [was, is] = [score(before), score(after)];
  if (was !== is) return `${model}: score from ${was} to ${is} ${place}`;
  // What differs behind the sixth digit is told in all that it has.
  const [from, to] = plainNumbers(before, after);
  return `${model}: score from ${from} to ${to} ${place}`;
}

function score(value: number): string {
  return SCORE.format(value).replace('-', '−');
}

/** `a, b, c and 9 more`: what a title names. */
export function titleList(words: readonly string[], count = words.length): string {
  return listOf(words, { max: TITLE_WORDS_MAX, count });
}

/** Things that a title names. */
const TITLE_WORDS_MAX = 3;
