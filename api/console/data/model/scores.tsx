import type { JSX } from 'preact';
import { formatNumber } from '../../../charts/format.ts';
import { HistoryChart } from '../../../charts/history-chart.tsx';
import { scoreSeries } from '../../../charts/history-series.ts';
import type { BodyOf } from '../../../data/answers/data-route.ts';
import type { modelRoute } from '../../../data/routes/current/model.ts';
import { Section, Table } from '../../shell/parts.tsx';
import type { OrganizationPages } from '../../shell/visitor.ts';
import { Answered } from '../data-page.tsx';
import type { ChartSpan } from '../history/history-span.ts';
import type { ShownHistory } from './prices.tsx';
import { SeriesLink } from './series-link.tsx';

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
