/** A model as `GET /v1/models/{id}` answers it, as far as it is shown. */
export interface ModelDetail {
  readonly id: string;
  readonly name: string;
  readonly organization: string | null;
  readonly release_date: string | null;
  readonly context_length: number | null;
  readonly rankings: readonly Ranking[];
  readonly scores: readonly { readonly benchmark_id: string }[];
  readonly pricing: readonly Price[];
}

export interface Ranking {
  readonly category: string;
  readonly rank: number;
}

export interface Price {
  readonly provider: string;
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  readonly currency: string;
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
