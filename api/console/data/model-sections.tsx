/** Sections of a model's page: current values, and a chart of one series. */
import type { JSX } from 'preact';
import { formatMoney, formatNumber } from '../../charts/format.ts';
import { HistoryChart, priceSeries, RankChart, rankSeriesOfModel, scoreSeries } from '../../charts/history-chart.tsx';
import type { BodyOf } from '../../data/responses/data-route.ts';
import type { modelRoute } from '../../data/routes/models.ts';
import { inPlace, Section, Table, withQuery } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/routes.ts';
import { FetchedData } from './data-page.tsx';
import type { Fetched } from './fetch-route.ts';
import type { ChartSpan, History } from './history.tsx';
import { numberOrNone } from './models.tsx';

export type ModelDetail = BodyOf<typeof modelRoute>;

export interface ShownHistory {
  readonly series: string;
  readonly fetched: Fetched<History>;
}

export interface ModelSectionProps {
  readonly pages: OrganizationPages;
  readonly model: ModelDetail;
  /** Undefined without a current series. */
  readonly history: ShownHistory | undefined;
  readonly span: ChartSpan;
}

export function Prices({ pages, model, history, span }: ModelSectionProps): JSX.Element {
  const currency = model.pricing.find(({ provider }) => provider === history?.series)?.currency ?? 'USD';
  return (
    <Section title="Prices" id="prices">
      {history !== undefined && (
        <FetchedData
          fetched={history.fetched}
          show={({ data }) => (
            <HistoryChart
              id="price-history"
              title={`Price at ${history.series}`}
              unit={`${currency} per 1 M tokens`}
              kind="money"
              series={priceSeries(data.points)}
              {...span}
            />
          )}
        />
      )}
      <Table
        caption="Prices now"
        columns={[['Provider', 'head'], ['Input', 'number'], ['Output', 'number'], 'Currency', 'Since', 'Source']}
        rows={model.pricing.map((price) => [
          seriesLink(pages, {
            parameter: 'provider',
            series: price.provider,
            section: 'prices',
            shown: history?.series,
          }),
          moneyOf(price.input_per_million),
          moneyOf(price.output_per_million),
          price.currency,
          price.effective_from,
          typeof price.source === 'string' && sourceLink(pages, price.source),
        ])}
        empty="No known provider offers it."
      />
      <p>
        <a href={withQuery(`${pages.path}/data/cost`, { model: model.id })}>Cost of a request</a>
      </p>
    </Section>
  );
}

/** The price's source, linked to its terms. */
function sourceLink({ path }: OrganizationPages, source: string): JSX.Element {
  return <a href={`${path}/data/sources#${encodeURIComponent(source)}`}>{source}</a>;
}

function moneyOf(value: number | null): string {
  return value === null ? '' : formatMoney(value);
}

/** One benchmark per chart, because their scales differ. */
export function Scores({ pages, model, history, span }: ModelSectionProps): JSX.Element {
  return (
    <Section title="Scores" id="scores">
      {history !== undefined && (
        <FetchedData
          fetched={history.fetched}
          show={({ data }) => (
            <HistoryChart
              id="score-history"
              title={`Score in ${history.series}`}
              unit="score"
              series={scoreSeries(history.series, data.points)}
              fromZero={false}
              {...span}
            />
          )}
        />
      )}
      <Table
        caption="Scores now"
        columns={[['Benchmark', 'head'], ['Score', 'number'], 'Measured by', 'Measured']}
        rows={model.scores.map(({ benchmark_id: series, value, source, measured_at: measured }) => [
          seriesLink(pages, { parameter: 'benchmark', series, section: 'scores', shown: history?.series }),
          formatNumber(value),
          source,
          measured,
        ])}
        empty="No scores."
      />
    </Section>
  );
}

export function Ranks({ pages, model, history, span }: ModelSectionProps): JSX.Element {
  return (
    <Section title="Ranks" id="ranks">
      {history !== undefined && (
        <FetchedData
          fetched={history.fetched}
          show={({ data }) => (
            <RankChart
              id="rank-history"
              title="Rank by category"
              series={rankSeriesOfModel(data.points, model.rankings)}
              {...span}
            />
          )}
        />
      )}
      <Table
        caption="Ranks now"
        columns={[
          ['Category', 'head'],
          ['Rank', 'number'],
          ['Skill', 'number'],
        ]}
        rows={model.rankings.map(({ category, rank, trueskill_mu: skill }) => [
          <a href={withQuery(`${pages.path}/data/rankings`, { category })}>{category}</a>,
          formatNumber(rank),
          numberOrNone(skill),
        ])}
        empty="Not ranked."
      />
    </Section>
  );
}

interface Series {
  /** The parameter that selects the series, and its value. */
  readonly parameter: 'provider' | 'benchmark';
  readonly series: string;
  /** Id of the section that shows it. */
  readonly section: string;
  /** The series shown now. */
  readonly shown: string | undefined;
}

/** Selects the series of a section's chart: in place with scripts, otherwise by loading the page. */
function seriesLink({ url, query }: OrganizationPages, { parameter, series, section, shown }: Series): JSX.Element {
  const [path = ''] = url.split('?', 1);
  const here = withQuery(path, { ...query, [parameter]: series });
  return (
    <a
      href={`${here}#${section}`}
      {...inPlace(here, `#${section}`)}
      aria-current={series === shown ? 'true' : undefined}
    >
      {series}
    </a>
  );
}
