import type { RecordOf } from '../../../schemas/datasets.ts';
import type { BodyOf } from '../../data/answers/data-route.ts';
import type { modelRoute } from '../../data/routes/current/model.ts';

export type ModelDetail = BodyOf<typeof modelRoute>;

/** What of a ranking and of a price pages and badges show. */
export type Ranking = Pick<RecordOf<'rankings'>, 'category' | 'rank'>;
export type Price = Pick<RecordOf<'pricing'>, 'provider' | 'input_per_million' | 'output_per_million' | 'currency'>;

/** What of a model the metric of its chart is chosen by. */
export interface Figures {
  readonly rankings: readonly Ranking[];
  readonly scores: readonly Pick<RecordOf<'scores'>, 'benchmark_id'>[];
  readonly pricing: readonly Price[];
}

/** The best rank first; of equal ones by category. */
export function standings(rankings: readonly Ranking[]): readonly Ranking[] {
  return rankings.toSorted((a, b) => a.rank - b.rank || byText(a.category, b.category));
}

/**
 * The lowest input price, of equal ones that with the lowest output price, then by provider; undefined where nobody names one. Amounts
 * of different currencies can't be compared: those in US dollars come first, then the others by their code.
 */
export function cheapest(pricing: readonly Price[]): Price | undefined {
  const [lowest] = pricing
    .filter(({ input_per_million: input, output_per_million: output }) => input !== null || output !== null)
    .toSorted(
      (a, b) =>
        Number(a.currency !== 'USD') - Number(b.currency !== 'USD') ||
        byText(a.currency, b.currency) ||
        amountOf(a.input_per_million) - amountOf(b.input_per_million) ||
        amountOf(a.output_per_million) - amountOf(b.output_per_million) ||
        byText(a.provider, b.provider),
    );
  return lowest;
}

/** What is not named may be anything. */
function amountOf(price: number | null): number {
  return price ?? Number.MAX_VALUE;
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
