import type { RecordOf } from '../../schemas/datasets.ts';
import type { BodyOf } from '../data/responses/data-route.ts';
import type { modelRoute } from '../data/routes/models.ts';
import { benchmarksRoute } from '../data/routes/scores.ts';
import { queryProblem, type RequestProblem } from '../server/errors/http-error.ts';
import type { AskPublic } from './public-route.ts';

/** What a chart of a model can show. */
export const METRICS = ['rank', 'score', 'price'] as const;
export type Metric = (typeof METRICS)[number];

/** Which metric is shown where none is asked for: the first that there is. */
const ORDER: readonly Metric[] = ['rank', 'price', 'score'];

/** The parameter that narrows each metric. */
const NARROWED_BY = { rank: 'category', score: 'benchmark', price: 'provider' } as const;

/** A metric, and of which category, benchmark or provider: its id. */
export interface ShownMetric {
  readonly metric: Metric;
  readonly series: string;
}

export interface WantedMetric {
  readonly metric?: Metric | undefined;
  readonly category?: string | undefined;
  readonly benchmark?: string | undefined;
  readonly provider?: string | undefined;
}

/** What narrows another metric than the one that is asked for: the chart would not show what it seems to. */
export function findMetricProblems(wanted: WantedMetric): readonly RequestProblem[] {
  const metric = wanted.metric ?? narrowedMetric(wanted);
  return METRICS.flatMap((other) => {
    const name = NARROWED_BY[other];
    if (other === metric || wanted[name] === undefined) return [];
    return [queryProblem(name, wanted[name], { msg: `Only with metric=${other}`, type: 'metric_mismatch' })];
  });
}

/**
 * What the chart of a model shows: what is asked for by name, else the category in which it stands best, the provider with the lowest
 * price, that of its benchmarks in which most models have a score. Undefined where there is nothing of the metric.
 *
 * @param benchmarks all of them, those first in which most models have a score
 */
export function shownMetricOf(
  model: Figures,
  benchmarks: readonly Benchmark[],
  wanted: WantedMetric,
): ShownMetric | undefined {
  const measured = new Set(model.scores.map(({ benchmark_id: id }) => id));
  const there: Readonly<Record<Metric, string | undefined>> = {
    rank: standings(model.rankings)[0]?.category,
    score: benchmarks.find(({ id }) => measured.has(id))?.id,
    price: cheapest(model.pricing)?.provider,
  };
  const metric = wanted.metric ?? narrowedMetric(wanted) ?? ORDER.find((one) => there[one] !== undefined);
  const series = metric && (wanted[NARROWED_BY[metric]] ?? there[metric]);
  return series === undefined || metric === undefined ? undefined : { metric, series };
}

function narrowedMetric(wanted: WantedMetric): Metric | undefined {
  return ORDER.find((metric) => wanted[NARROWED_BY[metric]] !== undefined);
}

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

export type Benchmark = Pick<RecordOf<'benchmarks'>, 'id' | 'name' | 'model_count'>;

/** As many as the API lists at once. */
const PAGE = '200';

/** All benchmarks, those first in which most models have a score: they are known best, and compare with most. */
export async function askBenchmarks(ask: AskPublic): Promise<readonly Benchmark[]> {
  const found: Benchmark[] = [];
  let cursor: string | undefined;
  do {
    const page: BodyOf<typeof benchmarksRoute> = await ask(benchmarksRoute, { query: { limit: PAGE, cursor } });
    found.push(...page.benchmarks);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found.toSorted((a, b) => b.model_count - a.model_count); // Which leaves equal ones by id, as they come.
}

/** A model with its place in a category. */
export interface RankedModel {
  readonly id: string;
  readonly name: string;
  readonly rank: number;
}

/** The same with names that no two of them share: those that do are called by their ids. */
export function namesApart(models: readonly RankedModel[]): readonly RankedModel[] {
  const byName = Map.groupBy(models, ({ name }) => name);
  return models.map((model) => ((byName.get(model.name)?.length ?? 0) > 1 ? { ...model, name: model.id } : model));
}
