import { plainNumber, plainNumbers } from '../../../../runtime/plain-number.ts';
import { listOf, nameInText } from '../sentences.ts';

/** What a model's price at a provider is; null: not told. */
export interface Price {
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  readonly currency: string;
}

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
