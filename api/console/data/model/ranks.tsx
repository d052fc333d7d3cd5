import type { JSX } from 'preact';
import { formatNumber } from '../../../charts/format.ts';
import { RankChart } from '../../../charts/history-chart.tsx';
import { rankSeriesOfModel } from '../../../charts/history-series.ts';
import type { BodyOf } from '../../../data/answers/data-route.ts';
import type { modelRoute } from '../../../data/routes/current/model.ts';
import { Section, Table, withQuery } from '../../shell/parts.tsx';
import type { OrganizationPages } from '../../shell/visitor.ts';
import { Answered } from '../data-page.tsx';
import type { ChartSpan } from '../history/history-span.ts';
import type { ShownHistory } from './prices.tsx';

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
