/** What a badge says of a model (specification "Badges"): pure functions of what the API's routes answer. */

import type { RecordOf } from '../../../schemas/datasets.ts';
import { formatMoney, formatNumber } from '../../charts/format.ts';
import type { BodyOf } from '../../data/answers/data-route.ts';
import type { categoriesRoute } from '../../data/routes/current/categories.ts';
import type { Benchmark } from '../model/benchmarks.ts';
import { cheapest, type Price, type Ranking, standings } from '../model/model-detail.ts';
import { isolated, plainText } from '../text/plain-text.ts';

type Category = BodyOf<typeof categoriesRoute>['categories'][number];

export type Score = Pick<RecordOf<'scores'>, 'benchmark_id' | 'value'>;

/** What a badge says behind the name, and whether that is a figure: else it says that there is none. */
export interface Words {
  readonly message: string;
  readonly isFigure: boolean;
}

/** `#3 of 214 in coding`; where no category is asked for, that in which it stands best, of several the first by id. */
export function wordsOfRank(
  ranks: readonly Ranking[],
  categories: readonly Category[],
  asked: string | undefined,
): Words {
  const [best] = standings(ranks.filter(({ category }) => asked === undefined || category === asked));
  if (best === undefined) return noFigure(asked === undefined ? 'not ranked' : `not ranked in ${quoted(asked)}`);
  const count = categories.find(({ id }) => id === best.category)?.model_count;
  const of = count === undefined ? '' : ` of ${formatNumber(count)}`;
  return figure(`#${formatNumber(best.rank)}${of} in ${quoted(best.category)}`);
}

/**
 * `88.4 on Aider Polyglot`; where no benchmark is asked for, that in which most models have a score, for it is the one that most
 * people know and can compare by; of several the first by id.
 *
 * @param benchmarks all of them, in that order
 */
export function wordsOfScore(
  scores: readonly Score[],
  benchmarks: readonly Benchmark[],
  asked: string | undefined,
): Words {
  const measured = new Map(scores.map((one) => [one.benchmark_id, one]));
  const benchmark = benchmarks.find(({ id }) => (asked === undefined ? measured.has(id) : id === asked));
  const score = measured.get(asked ?? benchmark?.id ?? '');
  const name = quoted(benchmark?.name ?? asked ?? '');
  if (score === undefined) return noFigure(asked === undefined ? 'no score' : `no score on ${name}`);
  return figure(`${formatNumber(score.value)} on ${name}`);
}

/**
 * `$3 / $15 per 1M`: input and output; where no provider is asked for, the lowest for input, and its provider where several sell it.
 * Amounts of different currencies can't be compared: those in US dollars come first, then the others by their code.
 */
export function wordsOfPrice(prices: readonly Price[], asked: string | undefined): Words {
  const best = cheapest(prices.filter(({ provider }) => asked === undefined || provider === asked));
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
