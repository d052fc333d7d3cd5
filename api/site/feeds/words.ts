/** Sentences about data, safe in any feed reader. */

import { plainNumber, plainNumbers } from '../../../runtime/plain-number.ts';
import type { RecordOf } from '../../../schemas/datasets.ts';
import { isolated, plainText } from '../plain-text.ts';

/** Ids have no more; longer names would fill a reader's list. */
const LENGTH_MAX = 200;

/** One line without control characters, right-to-left text isolated. */
export function nameInText(text: string): string {
  const characters = [...plainText(text)];
  const isLong = characters.length > LENGTH_MAX;
  return isolated(isLong ? `${characters.slice(0, LENGTH_MAX - 1).join('')}…` : characters.join(''));
}

/** `a`, `a and b`, `a, b and c`; beyond `max` `a, b and 7 more`. */
export function listOf(items: readonly string[], { max, count = items.length }: ListOptions): string {
  const shown = items.slice(0, max);
  const more = count - shown.length;
  const parts = more > 0 ? [...shown, `${more.toLocaleString('en-US')} more`] : shown;
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

interface ListOptions {
  /** Listed items. */
  readonly max: number;
  /** The total, if not all are given. */
  readonly count?: number;
}

/** A model's price at a provider; null: not listed. */
export type Price = Pick<RecordOf<'pricing'>, 'input_per_million' | 'output_per_million' | 'currency'>;

/** Providers per sentence. */
const PROVIDERS_MAX = 8;
const UNIT = 'per 1 M tokens';

/** `claude-x: input price at anthropic from $3 to $2.50 per 1 M tokens (−17 %)`. */
export function priceChangeSentence(
  modelId: string,
  providers: readonly string[],
  { before, after }: { readonly before: Price; readonly after: Price },
): string {
  const model = nameInText(modelId);
  const at = `at ${providerList(providers)}`;
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
  if (is === null) return `${model}: ${what} is no longer listed (it was ${money(was, before.currency)} ${UNIT})`;
  if (was === null) return `${model}: ${what} is ${money(is, after.currency)} ${UNIT} (it was not listed before)`;
  const change = changeOf('', [before, after], column);
  const inPercent = change === '' ? '' : ` (${change})`;
  const [from, to] = plainNumbers(was, is);
  return `${model}: ${what} from ${written(from, before.currency)} to ${written(to, after.currency)} ${UNIT}${inPercent}`;
}

/** A price of one meter; per million tokens, or per one of another unit. */
export interface MeterPrice {
  readonly meter: string;
  readonly unit: string;
  readonly currency: string;
  readonly before: number;
  readonly after: number;
}

/** `claude-x: cache read price at anthropic from $0.30 to $0.25 per 1 M tokens (−17 %)`. */
export function meterPriceSentence(
  modelId: string,
  providers: readonly string[],
  { meter, unit, currency, before, after }: MeterPrice,
): string {
  const what = `${nameInText(meter).replaceAll('_', ' ')} price at ${providerList(providers)}`;
  const [from, to] = plainNumbers(before, after);
  const per = unit === 'token' ? UNIT : `per ${nameInText(unit)}`;
  const inPercent = before === 0 ? '' : ` (${percentText(before, after)})`;
  return `${nameInText(modelId)}: ${what} from ${written(from, currency)} to ${written(to, currency)} ${per}${inPercent}`;
}

/** `claude-x: now offered by anthropic at $3 / $15 per 1 M tokens`. */
export function offerSentence(modelId: string, providers: readonly string[], price: Price): string {
  const hasPrice = price.input_per_million !== null || price.output_per_million !== null;
  const at = hasPrice ? ` at ${bothPrices(price)} ${UNIT}` : '';
  return `${nameInText(modelId)}: now offered by ${providerList(providers)}${at}`;
}

/** `claude-x: no longer offered by anthropic`. */
export function endedOfferSentence(modelId: string, providers: readonly string[]): string {
  return `${nameInText(modelId)}: no longer offered by ${providerList(providers)}`;
}

export function providerList(providers: readonly string[]): string {
  return listOf(providers.map(nameInText), { max: PROVIDERS_MAX });
}

/** Input and output, `$3 / $15`; a dash if not listed. */
function bothPrices({ input_per_million: input, output_per_million: output, currency }: Price): string {
  return `${money(input, currency)} / ${money(output, currency)}`;
}

const DIGITS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

/** Without floating-point noise; a dash if not listed. */
function money(amount: number | null, currency: string): string {
  return amount === null ? '–' : written(plainNumber(amount), currency);
}

/** With all digits, and two decimals for cents: `$3`, `$2.50`, `$0.0375`, `3 EUR`. */
function written(amount: number, currency: string): string {
  const digits = DIGITS.format(amount);
  const text = /\.\d$/.test(digits) ? `${digits}0` : digits;
  return currency === 'USD' ? `$${text}` : `${text} ${nameInText(currency)}`;
}

const PERCENT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const SMALL_PERCENT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 1 });

/** `−17 %` after its label; empty if undefined. */
function changeOf(
  what: string,
  [before, after]: readonly [Price, Price],
  column: 'input_per_million' | 'output_per_million',
) {
  const [was, is] = [before[column], after[column]];
  if (before.currency !== after.currency || was === null || is === null || was === 0 || was === is) return '';
  return `${what}${percentText(was, is)}`;
}

/** `−17 %`; `was` is not zero. */
function percentText(was: number, is: number): string {
  const percent = (Math.abs(is - was) / was) * 100;
  return `${is < was ? '−' : '+'}${(percent < 1 ? SMALL_PERCENT : PERCENT).format(percent)} %`;
}

export interface ModelFacts {
  readonly name: string;
  readonly organization: string | null;
}

/** `Claude X (claude-x) by Anthropic, offered by anthropic and bedrock`. */
export function newModelPhrase(modelId: string, facts: ModelFacts, providers: readonly string[]): string {
  const by = facts.organization === null ? '' : ` by ${nameInText(facts.organization)}`;
  const offered = providers.length === 0 ? '' : `, offered by ${providerList(providers)}`;
  return `${modelPhrase(modelId, facts)}${by}${offered}`;
}

/** `Claude X (claude-x)`; only the id if the name adds nothing. */
export function modelPhrase(modelId: string, facts: ModelFacts | undefined): string {
  const [id, name] = [nameInText(modelId), nameInText(facts?.name ?? '')];
  return name === '' || name === id ? id : `${name} (${id})`;
}

/** Rank or score before and after a night; null: none. */
export interface Move {
  readonly before: number | null;
  readonly after: number | null;
}

/** `gpt-y went from 4 to 2 in coding`, `gpt-y came in at 3`, `gpt-y is no longer ranked (it was 4)`. */
export function moveSentence(modelId: string, { before, after }: Move, category?: string): string {
  const [model, place] = [nameInText(modelId), category === undefined ? '' : ` in ${nameInText(category)}`];
  if (after === null) return `${model} is no longer ranked${place}${before === null ? '' : ` (it was ${before})`}`;
  return before === null ? `${model} came in at ${after}${place}` : `${model} went from ${before} to ${after}${place}`;
}

const SCORE = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });

/**
 * `claude-x: new score 71.2 in gpqa`, `claude-x: score from 70 to 71.2 in gpqa`, `claude-x: no longer scored in gpqa`.
 */
export function scoreSentence(modelId: string, benchmark: string, { before, after }: Move): string {
  const [model, place] = [nameInText(modelId), `in ${nameInText(benchmark)}`];
  if (after === null)
    return `${model}: no longer scored ${place}${before === null ? '' : ` (it was ${score(before)})`}`;
  if (before === null) return `${model}: new score ${score(after)} ${place}`;
  const [was, is] = [score(before), score(after)];
  if (was !== is) return `${model}: score from ${was} to ${is} ${place}`;
  // Values that differ only later get all digits.
  const [from, to] = plainNumbers(before, after);
  return `${model}: score from ${from} to ${to} ${place}`;
}

function score(value: number): string {
  return SCORE.format(value).replace('-', '−');
}

/** Items of a title: `a, b, c and 9 more`. */
export function titleList(items: readonly string[], count = items.length): string {
  return listOf(items, { max: TITLE_ITEMS_MAX, count });
}

const TITLE_ITEMS_MAX = 3;
