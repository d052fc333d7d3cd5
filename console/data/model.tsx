import { HISTORY_MONTHS_FULL } from '../../accounts/plans/plans.ts';
import { modelRoute } from '../../api/routes/current/model.ts';
import { modelHistoryRoute } from '../../api/routes/history/model-history.ts';
import { formatMoney, formatNumber } from '../charts/format.ts';
import { HistoryChart } from '../charts/history-chart.tsx';
import { RankChart } from '../charts/rank-chart.tsx';
import type { PageDeps } from '../console-deps.ts';
import { page } from '../shell/answer.ts';
import { Facts, Section, Table } from '../shell/parts.tsx';
import type { OrganizationRoute } from '../shell/routes.ts';
import type { OrganizationPages } from '../shell/visitor.ts';
import { type Asked, askFor } from './ask.ts';
import { Answered, DataPage, withQuery } from './data-page.tsx';
import { intervalsFrom } from './intervals.ts';
import { type Model, modelPath } from './models.tsx';

interface ModelDetail extends Model {
  readonly scores: readonly Score[];
  readonly rankings: readonly Ranking[];
  readonly pricing: readonly Price[];
}

interface Score {
  readonly benchmark_id: string;
  readonly value: number;
  readonly source: string | null;
  readonly measured_at: string | null;
}

interface Ranking {
  readonly category: string;
  readonly rank: number;
  readonly trueskill_mu: number | null;
}

interface Price {
  readonly provider: string;
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  readonly currency: string;
  readonly effective_from: string | null;
}

/** A model's history of a kind, as the API answers it. */
export interface History {
  readonly points: readonly HistoryPoint[];
  readonly window: { readonly from: string; readonly to: string; readonly plan_limit_from: string | null };
}

export interface HistoryPoint {
  readonly date: string;
  readonly value: number | null;
  readonly category_id?: string | null;
  readonly model_id?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** As many as a chart tells apart. */
const SERIES_MAX = 6;

/** One model: what is said of it now, and how its prices, scores and ranks became so. */
export function modelPageRoute(deps: PageDeps): OrganizationRoute {
  return {
    kind: 'organization',
    method: 'GET',
    path: '/data/models/:model',
    answer: async (pages) => {
      const { params, query } = pages;
      const id = params['model'] ?? '';
      const ask = askFor(pages, deps);
      const model = await ask<ModelDetail>(modelRoute, { params: { id } });
      const [provider, benchmark] = [
        chosen(query['provider'], model.data?.pricing, 'provider'),
        chosen(query['benchmark'], model.data?.scores, 'benchmark_id'),
      ];
      const history = (kind: string, narrowed: Readonly<Record<string, string>>) =>
        ask<History>(modelHistoryRoute, { params: { model_id: id }, query: { kind, ...narrowed } });
      const [prices, scores, ranks] = await Promise.all([
        provider === undefined ? undefined : history('pricing', { provider }),
        benchmark === undefined ? undefined : history('score', { benchmark_id: benchmark }),
        model.data?.rankings.length ? history('ranking', {}) : undefined,
      ]);
      const body = <ModelPage pages={pages} model={model} histories={{ provider, prices, benchmark, scores, ranks }} />;
      return page(model.data?.name ?? id, body);
    },
  };
}

/** What the query names where there is such a record, else the first one. */
function chosen<K extends string>(
  wanted: string | undefined,
  records: readonly Readonly<Record<K, string>>[] | undefined,
  key: K,
): string | undefined {
  return records?.find((record) => record[key] === wanted)?.[key] ?? records?.[0]?.[key];
}

interface Histories {
  readonly provider: string | undefined;
  readonly prices: Asked<History> | undefined;
  readonly benchmark: string | undefined;
  readonly scores: Asked<History> | undefined;
  readonly ranks: Asked<History> | undefined;
}

interface ModelPageProps {
  readonly pages: OrganizationPages;
  readonly model: Asked<ModelDetail>;
  readonly histories: Histories;
}

function ModelPage({ pages, model, histories }: ModelPageProps): JSX.Element {
  return (
    <DataPage pages={pages} title={model.data?.name ?? 'A model'}>
      <Answered
        asked={model}
        show={({ data }) => (
          <>
            <Facts items={factsOf(data)} />
            <Prices pages={pages} prices={data.pricing} histories={histories} />
            <Scores pages={pages} scores={data.scores} histories={histories} />
            <Ranks pages={pages} rankings={data.rankings} ranks={histories.ranks} />
          </>
        )}
      />
    </DataPage>
  );
}

function factsOf(model: ModelDetail): readonly (readonly [string, JSX.Element])[] {
  return [
    ['Id', <code safe>{model.id}</code>],
    ['Made by', <span safe>{model.organization ?? 'unknown'}</span>],
    ['Released', <span safe>{model.release_date ?? 'unknown'}</span>],
    [
      'Context',
      <span safe>{model.context_length === null ? 'unknown' : `${formatNumber(model.context_length)} tokens`}</span>,
    ],
    ['Served by', <span safe>{model.inference?.join(', ') || 'nobody we know of'}</span>],
    ['Last changed', <span safe>{model.updated_at}</span>],
  ];
}

function Prices({
  pages,
  prices,
  histories,
}: {
  readonly pages: OrganizationPages;
  readonly prices: readonly Price[];
  readonly histories: Histories;
}): JSX.Element {
  const { provider } = histories;
  const currency = prices.find((price) => price.provider === provider)?.currency ?? 'USD';
  return (
    <Section title="Prices" id="prices">
      {histories.prices !== undefined && (
        <Answered
          asked={histories.prices}
          show={({ data }) => (
            <HistoryChart
              id="price-history"
              title={`Price by ${provider}`}
              unit={`${currency} per 1 M tokens`}
              kind="money"
              series={[
                {
                  name: 'Input',
                  intervals: intervalsFrom(data.points, ({ payload }) => numberOf(payload['input_per_million'])),
                },
                {
                  name: 'Output',
                  intervals: intervalsFrom(data.points, ({ payload }) => numberOf(payload['output_per_million'])),
                },
              ]}
              {...spanOf(pages, data)}
            />
          )}
        />
      )}
      <Table
        caption="Prices now"
        columns={['Provider', 'Input', 'Output', 'Currency', 'Since']}
        rows={prices.map((price) => (
          <tr>
            <th scope="row">
              <SeriesLink
                pages={pages}
                query={{ provider: price.provider }}
                anchor="prices"
                isShown={price.provider === provider}
                text={price.provider}
              />
            </th>
            <td class="number" safe>
              {moneyOf(price.input_per_million)}
            </td>
            <td class="number" safe>
              {moneyOf(price.output_per_million)}
            </td>
            <td safe>{price.currency}</td>
            <td safe>{price.effective_from ?? ''}</td>
          </tr>
        ))}
        empty="Nobody sells it, as far as we know."
      />
    </Section>
  );
}

function Scores({
  pages,
  scores,
  histories,
}: {
  readonly pages: OrganizationPages;
  readonly scores: readonly Score[];
  readonly histories: Histories;
}): JSX.Element {
  const { benchmark } = histories;
  return (
    <Section title="Scores" id="scores">
      {histories.scores !== undefined && (
        <Answered
          asked={histories.scores}
          show={({ data }) => (
            <HistoryChart
              id="score-history"
              title={`Score in ${benchmark}`}
              unit="score"
              series={[{ name: benchmark ?? '', intervals: intervalsFrom(data.points, ({ value }) => value) }]}
              fromZero={false}
              {...spanOf(pages, data)}
            />
          )}
        />
      )}
      <Table
        caption="Scores now"
        columns={['Benchmark', 'Score', 'Measured by', 'Measured']}
        rows={scores.map((score) => (
          <tr>
            <th scope="row">
              <SeriesLink
                pages={pages}
                query={{ benchmark: score.benchmark_id }}
                anchor="scores"
                isShown={score.benchmark_id === benchmark}
                text={score.benchmark_id}
              />
            </th>
            <td class="number" safe>
              {formatNumber(score.value)}
            </td>
            <td safe>{score.source ?? ''}</td>
            <td safe>{score.measured_at ?? ''}</td>
          </tr>
        ))}
        empty="No scores."
      />
    </Section>
  );
}

function Ranks({
  pages,
  rankings,
  ranks,
}: {
  readonly pages: OrganizationPages;
  readonly rankings: readonly Ranking[];
  readonly ranks: Asked<History> | undefined;
}): JSX.Element {
  return (
    <Section title="Ranks" id="ranks">
      {ranks !== undefined && (
        <Answered
          asked={ranks}
          show={({ data }) => (
            <RankChart
              id="rank-history"
              title="Rank by category"
              series={rankSeries(data, rankings)}
              {...spanOf(pages, data)}
            />
          )}
        />
      )}
      <Table
        caption="Ranks now"
        columns={['Category', 'Rank', 'Skill']}
        rows={rankings.map((ranking) => (
          <tr>
            <th scope="row">
              <a href={withQuery(`${pages.path}/data/rankings`, { category: ranking.category })} safe>
                {ranking.category}
              </a>
            </th>
            <td class="number" safe>
              {formatNumber(ranking.rank)}
            </td>
            <td class="number" safe>
              {ranking.trueskill_mu === null ? '' : formatNumber(ranking.trueskill_mu)}
            </td>
          </tr>
        ))}
        empty="It is ranked nowhere."
      />
    </Section>
  );
}

/** The categories in which it stands best, up to as many as a chart tells apart. */
function rankSeries({ points }: History, rankings: readonly Ranking[]) {
  const best = rankings.toSorted((a, b) => a.rank - b.rank).slice(0, SERIES_MAX);
  const byCategory = Map.groupBy(points, ({ category_id: category }) => category ?? '');
  return best.map(({ category }) => ({
    name: category,
    intervals: intervalsFrom(byCategory.get(category) ?? [], ({ value }) => value),
  }));
}

interface SeriesLinkProps {
  readonly pages: OrganizationPages;
  readonly query: Readonly<Record<string, string>>;
  /** The section that shows it. */
  readonly anchor: string;
  readonly isShown: boolean;
  readonly text: string;
}

/** Shows another series in a chart: without a script by a link to the page itself. */
function SeriesLink({ pages, query, anchor, isShown, text }: SeriesLinkProps): JSX.Element {
  const { provider, benchmark } = pages.query;
  const here = `${withQuery(modelPath(pages, pages.params['model'] ?? ''), { provider, benchmark, ...query })}`;
  return (
    <a
      href={`${here}#${anchor}`}
      hx-get={here}
      hx-select={`#${anchor}`}
      hx-target={`#${anchor}`}
      hx-swap="outerHTML"
      hx-push-url="true"
      aria-current={isShown ? 'true' : undefined}
      safe
    >
      {text}
    </a>
  );
}

/** The days that a chart shows, and where the plan's window begins. */
export function spanOf({ organization }: OrganizationPages, { window }: History) {
  const months = organization.terms.historyMonths;
  const from = window.plan_limit_from;
  return {
    from: window.from,
    to: window.to,
    ...(from === null || months >= HISTORY_MONTHS_FULL ? {} : { window: { from, months } }),
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function moneyOf(value: number | null): string {
  return value === null ? '' : formatMoney(value);
}
