import type { JSX } from 'preact';
import { formatNumber } from '../../charts/format.ts';
import { HistoryChart, RankChart, rankSeriesOfModel, scoreSeries } from '../../charts/history-chart.tsx';
import type { BodyOf } from '../../data/answers/data-route.ts';
import type { modelRoute } from '../../data/routes/current/models.ts';
import { Section, Table, withQuery } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/visitor.ts';
import { Answered } from './data-page.tsx';
import type { ChartSpan } from './history.tsx';
import { SeriesLink, type ShownHistory } from './model-prices.tsx';

export interface ScoresProps {
  readonly pages: OrganizationPages;
  readonly scores: BodyOf<typeof modelRoute>['scores'];
  /** In one benchmark; undefined where it has no score. */
  readonly history: ShownHistory | undefined;
  readonly span: ChartSpan;
}

/** A model's scores, and how that in one benchmark went. Benchmarks have scales of their own, so a chart shows one. */
export function Scores({ pages, scores, history, span }: ScoresProps): JSX.Element {
  return (
    <Section title="Scores" id="scores">
      {history !== undefined && (
        <Answered
          asked={history.asked}
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
        columns={['Benchmark', 'Score', 'Measured by', 'Measured']}
        rows={scores.map((score) => (
          <tr>
            <th scope="row">
              <SeriesLink
                pages={pages}
                parameter="benchmark"
                series={score.benchmark_id}
                section="scores"
                isShown={score.benchmark_id === history?.series}
              />
            </th>
            <td class="number">{formatNumber(score.value)}</td>
            <td>{score.source ?? ''}</td>
            <td>{score.measured_at ?? ''}</td>
          </tr>
        ))}
        empty="No scores."
      />
    </Section>
  );
}

export interface RanksProps {
  readonly pages: OrganizationPages;
  readonly rankings: BodyOf<typeof modelRoute>['rankings'];
  /** In all categories; undefined where it is ranked in none. */
  readonly history: ShownHistory | undefined;
  readonly span: ChartSpan;
}

/** Where a model stands, and how it came there. */
export function Ranks({ pages, rankings, history, span }: RanksProps): JSX.Element {
  return (
    <Section title="Ranks" id="ranks">
      {history !== undefined && (
        <Answered
          asked={history.asked}
          show={({ data }) => (
            <RankChart
              id="rank-history"
              title="Rank by category"
              series={rankSeriesOfModel(data.points, rankings)}
              {...span}
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
              <a href={withQuery(`${pages.path}/data/rankings`, { category: ranking.category })}>{ranking.category}</a>
            </th>
            <td class="number">{formatNumber(ranking.rank)}</td>
            <td class="number">{ranking.trueskill_mu === null ? '' : formatNumber(ranking.trueskill_mu)}</td>
          </tr>
        ))}
        empty="It is ranked nowhere."
      />
    </Section>
  );
}
