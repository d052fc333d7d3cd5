/** The result of the page of costs. */
import type { JSX } from 'preact';
import { plainNumber } from '../../../runtime/plain-number.ts';
import type { Assumption } from '../../../schemas/cost.ts';
import { formatExact } from '../../charts/format.ts';
import type { BodyOf } from '../../data/responses/data-route.ts';
import type { costRoute } from '../../data/routes/cost.ts';
import { type Fact, Facts, Section, Table, withQuery } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/routes.ts';
import type { Fetched } from './fetch-route.ts';
import { modelPath } from './models.tsx';
import { conditionText, meterLabel } from './rates.ts';

export type Cost = BodyOf<typeof costRoute>;

export function CostResult({ cost, pages }: { readonly cost: Cost; readonly pages: OrganizationPages }): JSX.Element {
  const { currency, parts } = cost;
  return (
    <Section title="Cost">
      <Facts items={factsOf(cost, pages)} />
      <Table
        caption="Parts of the cost"
        columns={[
          ['Meter', 'head'],
          ['Quantity', 'number'],
          [`Rate, ${currency}`, 'number'],
          'Per',
          ['Condition', 'wide'],
          [`Cost, ${currency}`, 'number'],
          ...(parts.some(({ assumed }) => assumed.length > 0) ? [['Assumed', 'wide'] as const] : []),
        ]}
        rows={parts.map(({ meter, quantity, rate, cost: amount, assumed }) => [
          meterLabel(meter),
          formatExact(quantity),
          formatExact(plainNumber(rate.price)),
          `${rate.per === 1_000_000 ? '1M' : formatExact(rate.per)} ${rate.unit}${rate.per === 1 ? '' : 's'}`,
          conditionText(rate),
          formatExact(amount),
          assumed.map((name) => ASSUMPTION_TEXTS[name] ?? name).join('; '),
        ])}
        empty="All quantities are 0."
      />
    </Section>
  );
}

function factsOf(cost: Cost, pages: OrganizationPages): readonly Fact[] {
  const { provider, model_id: model, on, valid_from: since, source } = cost;
  const href = `${withQuery(modelPath(pages, model), { provider })}#prices`;
  return [
    ['Total', `${formatExact(cost.cost)} ${cost.currency}`],
    ['Model', <a href={href}>{model}</a>],
    ['Provider', provider],
    ['Day of the price', on],
    ['In force since', since ?? 'not known: the row of the last night was set aside'],
    ['Source of the price', SOURCE_TEXTS[source]],
  ];
}

const SOURCE_TEXTS: Readonly<Record<Cost['source'], string>> = {
  capture: 'captured',
  backfill: 'reconstructed',
};

const ASSUMPTION_TEXTS: Readonly<Record<string, string>> = {
  applies: 'the rate is for all tokens; it does not say so',
  order: 'cached tokens come first in the context',
  context: 'the context is no larger than its tokens, although some input is not counted in tokens',
  conditions: 'the price has no tiers and thresholds; none are known',
} satisfies Readonly<Record<Assumption, string>>;

/** Providers that are compared. */
export const OFFERS_MAX = 50;

/** A request at one provider. */
export interface Offer {
  readonly provider: string;
  readonly fetched: Fetched<Cost>;
}

interface OffersProps {
  readonly offers: readonly Offer[];
  readonly pages: OrganizationPages;
}

/** Nothing where there is nothing to compare. */
export function Offers({ offers, pages: { path, query } }: OffersProps): JSX.Element | null {
  if (offers.length < 2) return null;
  const currencies = [...new Set(offers.flatMap(({ fetched: { data } }) => data?.currency ?? []))];
  const [currency] = currencies.length === 1 ? currencies : [];
  const isLacking = offers.some(({ fetched }) => fetched.data === undefined);
  return (
    <Section title="Providers">
      {offers.length === OFFERS_MAX && (
        <p class="hint">{`At most ${OFFERS_MAX} providers are shown: the cheapest, and the first by id.`}</p>
      )}
      <Table
        caption="The same request at each provider"
        columns={[
          ['Provider', 'head'],
          [currency === undefined ? 'Cost' : `Cost, ${currency}`, 'number'],
          ...(isLacking ? [['No cost because', 'wide'] as const] : []),
        ]}
        rows={offers.map(({ provider, fetched: { data, problems = {} } }) => [
          <a href={withQuery(`${path}/data/cost`, { ...query, provider })}>{provider}</a>,
          data === undefined ? '' : `${formatExact(data.cost)}${currency === undefined ? ` ${data.currency}` : ''}`,
          Object.values(problems).join('; '),
        ])}
        empty=""
      />
    </Section>
  );
}
