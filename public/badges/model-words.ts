/** What a badge says of a model (specification "Badges"): pure functions of what the API's routes answer. */
import { formatMoney, formatNumber } from '../../charts/format.ts';
import { isolated, plainText } from './badge-text.ts';

export interface Rank {
  readonly category: string;
  readonly rank: number;
}

export interface Category {
  readonly id: string;
  readonly model_count: number;
}

export interface Score {
  readonly benchmark_id: string;
  readonly value: number;
}

export interface Benchmark {
  readonly id: string;
  readonly name: string;
  readonly model_count: number;
}

export interface Price {
  readonly provider: string;
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  readonly currency: string;
}

/** What a badge says behind the name, and whether that is a figure: else it says that there is none. */
export interface Words {
  readonly message: string;
  readonly isFigure: boolean;
}

/** `#3 of 214 in coding`; where no category is asked for, that in which it stands best, of several the first by id. */
export function wordsOfRank(ranks: readonly Rank[], categories: readonly Category[], asked: string | undefined): Words {
  const [best] = ranks
    .filter(({ category }) => asked === undefined || category === asked)
    .toSorted((a, b) => a.rank - b.rank || byText(a.category, b.category));
  if (best === undefined) return noFigure(asked === undefined ? 'not ranked' : `not ranked in ${quoted(asked)}`);
  const count = categories.find(({ id }) => id === best.category)?.model_count;
  const of = count === undefined ? '' : ` of ${formatNumber(count)}`;
  return figure(`#${formatNumber(best.rank)}${of} in ${quoted(best.category)}`);
}

/**
 * `88.4 on Aider Polyglot`; where no benchmark is asked for, that in which most models have a score, for it is the one that most
 * people know and can compare by; of several the first by id.
 */
export function wordsOfScore(
  scores: readonly Score[],
  benchmarks: readonly Benchmark[],
  asked: string | undefined,
): Words {
  const known = new Map(benchmarks.map((benchmark) => [benchmark.id, benchmark]));
  const countOf = ({ benchmark_id: id }: Score) => known.get(id)?.model_count ?? 0;
  const [best] = scores
    .filter(({ benchmark_id: id }) => asked === undefined || id === asked)
    .toSorted((a, b) => countOf(b) - countOf(a) || byText(a.benchmark_id, b.benchmark_id));
  const nameOf = (id: string) => quoted(known.get(id)?.name ?? id);
  if (best === undefined) return noFigure(asked === undefined ? 'no score' : `no score on ${nameOf(asked)}`);
  return figure(`${formatNumber(best.value)} on ${nameOf(best.benchmark_id)}`);
}

/**
 * `$3 / $15 per 1M`: input and output; where no provider is asked for, the lowest for input, and its provider where several sell it.
 * Amounts of different currencies can't be compared: those in US dollars come first, then the others by their code.
 */
export function wordsOfPrice(prices: readonly Price[], asked: string | undefined): Words {
  const [best] = prices
    .filter(({ provider }) => asked === undefined || provider === asked)
    .filter((price) => price.input_per_million !== null || price.output_per_million !== null)
    .toSorted(
      (a, b) =>
        Number(a.currency !== DOLLARS) - Number(b.currency !== DOLLARS) ||
        byText(a.currency, b.currency) ||
        byAmount(a.input_per_million, b.input_per_million) ||
        byAmount(a.output_per_million, b.output_per_million) ||
        byText(a.provider, b.provider),
    );
  if (best === undefined) return noFigure(asked === undefined ? 'no price' : `no price at ${quoted(asked)}`);
  const isOneOfSome = asked !== undefined || prices.length > 1;
  return figure(`${amountsOf(best)} per 1M${isOneOfSome ? ` at ${quoted(best.provider)}` : ''}`);
}

const DOLLARS = 'USD';

function amountsOf({ input_per_million: input, output_per_million: output, currency }: Price): string {
  const isDollars = currency === DOLLARS;
  const written = (amount: number) => {
    const money = formatMoney(amount).replace(/\.00$/, '');
    return isDollars ? money : money.replace('$', '');
  };
  const unit = isDollars ? '' : ` ${quoted(currency)}`;
  if (input === null || output === null)
    return `${written(input ?? output ?? 0)}${unit} ${input === null ? 'output' : 'input'}`;
  return `${written(input)} / ${written(output)}${unit}`;
}

/** What others call a thing, within a message. */
function quoted(name: string): string {
  return isolated(plainText(name));
}

function figure(message: string): Words {
  return { message, isFigure: true };
}

function noFigure(message: string): Words {
  return { message, isFigure: false };
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function byAmount(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}
