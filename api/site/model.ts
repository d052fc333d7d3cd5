import type { RecordOf } from '../../schemas/datasets.ts';
import type { BodyOf } from '../data/responses/data-route.ts';
import type { modelRoute } from '../data/routes/models.ts';
import { benchmarksRoute } from '../data/routes/scores.ts';
import { queryProblem, type RequestProblem } from '../server/errors/http-error.ts';
import type { FetchPublic } from './public-route.ts';

export const METRICS = ['rank', 'score', 'price'] as const;
export type Metric = (typeof METRICS)[number];

/** Default: the first available. */
const ORDER: readonly Metric[] = ['rank', 'price', 'score'];

/** The parameter that narrows each metric. */
const NARROWED_BY = { rank: 'category', score: 'benchmark', price: 'provider' } as const;

/** A metric with the id of its category, benchmark or provider. */
export interface ShownMetric {
  readonly metric: Metric;
  readonly series: string;
}

export interface RequestedMetric {
  readonly metric?: Metric | undefined;
  readonly category?: string | undefined;
  readonly benchmark?: string | undefined;
  readonly provider?: string | undefined;
}

/** Parameters for other metrics, which would have no effect. */
export function findMetricProblems(requested: RequestedMetric): readonly RequestProblem[] {
  const metric = requested.metric ?? narrowedMetric(requested);
  return METRICS.flatMap((other) => {
    const name = NARROWED_BY[other];
    if (other === metric || requested[name] === undefined) return [];
    return [queryProblem(name, requested[name], { msg: `Only with metric=${other}`, type: 'metric_mismatch' })];
  });
}

/**
 * As requested; default: the best category, the cheapest provider, or the benchmark with the most models.
 *
 * @param benchmarks all, those with the most models first
 */
export function shownMetricOf(
  model: Figures,
  benchmarks: readonly Benchmark[],
  requested: RequestedMetric,
): ShownMetric | undefined {
  const measured = new Set(model.scores.map(({ benchmark_id: id }) => id));
  const available: Readonly<Record<Metric, string | undefined>> = {
    rank: sortByRank(model.rankings)[0]?.category,
    score: benchmarks.find(({ id }) => measured.has(id))?.id,
    price: cheapest(model.pricing)?.provider,
  };
  const metric = requested.metric ?? narrowedMetric(requested) ?? ORDER.find((one) => available[one] !== undefined);
  const series = metric && (requested[NARROWED_BY[metric]] ?? available[metric]);
  return series === undefined || metric === undefined ? undefined : { metric, series };
}

function narrowedMetric(requested: RequestedMetric): Metric | undefined {
  return ORDER.find((metric) => requested[NARROWED_BY[metric]] !== undefined);
}

export type ModelDetail = BodyOf<typeof modelRoute>;

/** Fields that embeds and badges use. */
export type Ranking = Pick<RecordOf<'rankings'>, 'category' | 'rank'>;
export type Price = Pick<RecordOf<'pricing'>, 'provider' | 'input_per_million' | 'output_per_million' | 'currency'>;

/** Fields that select the metric. */
export interface Figures {
  readonly rankings: readonly Ranking[];
  readonly scores: readonly Pick<RecordOf<'scores'>, 'benchmark_id'>[];
  readonly pricing: readonly Price[];
}

/** Best first, then by category. */
export function sortByRank(rankings: readonly Ranking[]): readonly Ranking[] {
  return rankings.toSorted((a, b) => a.rank - b.rank || byText(a.category, b.category));
}

/** By input price, output price, provider. Currencies are not compared: US dollars first, then by code. */
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

/** A missing price might be high. */
function amountOf(price: number | null): number {
  return price ?? Number.MAX_VALUE;
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export type Benchmark = Pick<RecordOf<'benchmarks'>, 'id' | 'name' | 'model_count'>;

/** The API's maximum. */
const PAGE = '200';

/** Those with the most models first, as they are best known. */
export async function fetchBenchmarks(fetchRoute: FetchPublic): Promise<readonly Benchmark[]> {
  const found: Benchmark[] = [];
  let cursor: string | undefined;
  do {
    const page: BodyOf<typeof benchmarksRoute> = await fetchRoute(benchmarksRoute, { query: { limit: PAGE, cursor } });
    found.push(...page.benchmarks);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found.toSorted((a, b) => b.model_count - a.model_count); // The sort is stable: ties stay in the order of ids.
}

export interface RankedModel {
  readonly id: string;
  readonly name: string;
  readonly rank: number;
}

/** Models that share a name are named by their ids. */
export function withDistinctNames(models: readonly RankedModel[]): readonly RankedModel[] {
  const byName = Map.groupBy(models, ({ name }) => name);
  return models.map((model) => ((byName.get(model.name)?.length ?? 0) > 1 ? { ...model, name: model.id } : model));
}
