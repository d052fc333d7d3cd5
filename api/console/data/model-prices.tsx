import type { JSX } from 'preact';
import { formatMoney } from '../../charts/format.ts';
import { HistoryChart, priceSeries } from '../../charts/history-chart.tsx';
import type { BodyOf } from '../../data/answers/data-route.ts';
import type { modelRoute } from '../../data/routes/current/models.ts';
import { Section, Table, withQuery } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/visitor.ts';
import type { Asked } from './ask.ts';
import { Answered } from './data-page.tsx';
import type { ChartSpan, History } from './history.tsx';

/** The history that a section shows, and of which of its series. */
export interface ShownHistory {
  readonly series: string;
  readonly asked: Asked<History>;
}

export interface PricesProps {
  readonly pages: OrganizationPages;
  readonly prices: BodyOf<typeof modelRoute>['pricing'];
  /** One provider's; undefined where nobody sells the model. */
  readonly history: ShownHistory | undefined;
  readonly span: ChartSpan;
}

/** What a model costs, and what it cost at one provider. */
export function Prices({ pages, prices, history, span }: PricesProps): JSX.Element {
  const currency = prices.find(({ provider }) => provider === history?.series)?.currency ?? 'USD';
  return (
    <Section title="Prices" id="prices">
      {history !== undefined && (
        <Answered
          asked={history.asked}
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
        columns={['Provider', 'Input', 'Output', 'Currency', 'Since', 'Source']}
        rows={prices.map((price) => (
          <tr>
            <th scope="row">
              <SeriesLink
                pages={pages}
                parameter="provider"
                series={price.provider}
                section="prices"
                isShown={price.provider === history?.series}
              />
            </th>
            <td class="number">{moneyOf(price.input_per_million)}</td>
            <td class="number">{moneyOf(price.output_per_million)}</td>
            <td>{price.currency}</td>
            <td>{price.effective_from ?? ''}</td>
            <td>{typeof price.source === 'string' && <SourceLink pages={pages} source={price.source} />}</td>
          </tr>
        ))}
        empty="Nobody sells it, as far as we know."
      />
    </Section>
  );
}

/** Whose word a price is, with its terms behind the link. */
function SourceLink({ pages, source }: SourceLinkProps): JSX.Element {
  return <a href={`${pages.path}/data/sources#${encodeURIComponent(source)}`}>{source}</a>;
}

interface SourceLinkProps {
  readonly pages: OrganizationPages;
  readonly source: string;
}

function moneyOf(value: number | null): string {
  return value === null ? '' : formatMoney(value);
}

export interface SeriesLinkProps {
  readonly pages: OrganizationPages;
  /** The parameter that names the series, and its value. */
  readonly parameter: 'provider' | 'benchmark';
  readonly series: string;
  /** The id of the section that shows it. */
  readonly section: string;
  readonly isShown: boolean;
}

/** Shows another series in a section's chart: in place where scripts run, else as the page itself. */
export function SeriesLink({ pages, parameter, series, section, isShown }: SeriesLinkProps): JSX.Element {
  const [path = ''] = pages.url.split('?', 1);
  const here = withQuery(path, { ...pages.query, [parameter]: series });
  return (
    <a
      href={`${here}#${section}`}
      hx-get={here}
      hx-select={`#${section}`}
      hx-target={`#${section}`}
      hx-swap="outerHTML"
      hx-push-url="true"
      aria-current={isShown ? 'true' : undefined}
    >
      {series}
    </a>
  );
}
