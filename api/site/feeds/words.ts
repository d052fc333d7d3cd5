/** Names of the data on their way into sentences that any reader shows. */

import { plainNumber, plainNumbers } from '../../../runtime/plain-number.ts';
import type { RecordOf } from '../../../schemas/datasets.ts';
import { isolated, plainText } from '../plain-text.ts';

/** Characters of a name; ids have at most 200. Longer: a name fills the list of a reader. */
const LENGTH_MAX = 200;

/** A name or an id inside a sentence: on one line, without controls; what reads from right to left leaves its surroundings alone. */
export function nameInText(text: string): string {
  const characters = [...plainText(text)];
  const isLong = characters.length > LENGTH_MAX;
  return isolated(isLong ? `${characters.slice(0, LENGTH_MAX - 1).join('')}…` : characters.join(''));
}

/** `a`, `a and b`, `a, b and c`; of more than `max` the first ones, `a, b and 7 more`. */
export function listOf(words: readonly string[], { max, count = words.length }: ListOptions): string {
  const shown = words.slice(0, max);
  const more = count - shown.length;
  const parts = more > 0 ? [...shown, `${more.toLocaleString('en-US')} more`] : shown;
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

interface ListOptions {
  /** Words at most. */
  readonly max: number;
  /** How many there are in all, where not all are given. */
  readonly count?: number;
}

/** What a model's price at a provider is; null: not told. */
export type Price = Pick<RecordOf<'pricing'>, 'input_per_million' | 'output_per_million' | 'currency'>;

/** Providers that a sentence names. */
const PROVIDERS_MAX = 8;
const UNIT = 'per 1 M tokens';

/** `claude-x: input price at anthropic from $3 to $2.50 per 1 M tokens (−17 %)`. */
export function priceChangeWords(
  modelId: string,
  providers: readonly string[],
  { before, after }: { readonly before: Price; readonly after: Price },
): string {
  const model = nameInText(modelId);
  const at = `at ${providerWords(providers)}`;
  const [input, output] = [before.input_per_million, before.output_per_million];
  const hasInput = input !== after.input_per_million;
  const hasOutput = output !== after.output_per_million;
  if (before.currency !== after.currency || (hasInput && hasOutput)) {
    const percents = [
      changeOf('input ', [before, after], 'input_per_million'),
      changeOf('output ', [before, after], 'output_per_million'),
    ].filter((percent) => percent !== '');
    const inPercent = percents.length === 0 ? '' : ` (${percents.join(', ')})`;
    return `${model}: price ${at} from ${bothPrices(before)} to ${bothPrices(after)} ${UNIT}${inPercent}`;
  }
  const column = hasInput ? 'input_per_million' : 'output_per_million';
  const what = `${hasInput ? 'input' : 'output'} price ${at}`;
  const [was, is] = [before[column], after[column]];
  if (is === null) return `${model}: ${what} is no longer told (it was ${money(was, before.currency)} ${UNIT})`;
  if (was === null) return `${model}: ${what} is ${money(is, after.currency)} ${UNIT} (it was not told before)`;
  const change = changeOf('', [before, after], column);
  const inPercent = change === '' ? '' : ` (${change})`;
  const [from, to] = plainNumbers(was, is);
  return `${model}: ${what} from ${written(from, before.currency)} to ${written(to, after.currency)} ${UNIT}${inPercent}`;
}

/** `claude-x: now offered by anthropic at $3 / $15 per 1 M tokens`. */
export function offerWords(modelId: string, providers: readonly string[], price: Price): string {
  const hasPrice = price.input_per_million !== null || price.output_per_million !== null;
  const at = hasPrice ? ` at ${bothPrices(price)} ${UNIT}` : '';
  return `${nameInText(modelId)}: now offered by ${providerWords(providers)}${at}`;
}

/** `claude-x: no longer offered by anthropic`. */
export function endedOfferWords(modelId: string, providers: readonly string[]): string {
  return `${nameInText(modelId)}: no longer offered by ${providerWords(providers)}`;
}

export function providerWords(providers: readonly string[]): string {
  return listOf(providers.map(nameInText), { max: PROVIDERS_MAX });
}

/** Input and output: `$3 / $15`; what is not told is a dash. */
function bothPrices({ input_per_million: input, output_per_million: output, currency }: Price): string {
  return `${money(input, currency)} / ${money(output, currency)}`;
}

const DIGITS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

/** An amount without noise; what is not told is a dash. */
function money(amount: number | null, currency: string): string {
  return amount === null ? '–' : written(plainNumber(amount), currency);
}

/** An amount in all its digits, with cents where it has any: `$3`, `$2.50`, `$0.0375`, `3 EUR`. */
function written(amount: number, currency: string): string {
  const digits = DIGITS.format(amount);
  const text = /\.\d$/.test(digits) ? `${digits}0` : digits;
  return currency === 'USD' ? `$${text}` : `${text} ${nameInText(currency)}`;
}

const PERCENT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const SMALL_PERCENT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 1 });

/** `−17 %` with what it is of in front; empty where that can't be said. */
function changeOf(
  what: string,
  [before, after]: readonly [Price, Price],
  column: 'input_per_million' | 'output_per_million',
) {
  const [was, is] = [before[column], after[column]];
  if (before.currency !== after.currency || was === null || is === null || was === 0 || was === is) return '';
  const percent = (Math.abs(is - was) / was) * 100;
  return `${what}${is < was ? '−' : '+'}${(percent < 1 ? SMALL_PERCENT : PERCENT).format(percent)} %`;
}

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
