import type { JSX } from 'preact';
import { comparedPrice, comparedUnitOf, METERS, type Rate } from '../../../schemas/rates.ts';
import { formatPrice } from '../../charts/format.ts';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { pricingRoute } from '../../data/routes/pricing.ts';
import type { PageDeps } from '../console-deps.ts';
import { Choice, Field } from '../shell/fields.tsx';
import { inPlace, Table } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DataPage, FetchedData, ListPager } from './data-page.tsx';
import { type Fetched, fetcherFor } from './fetch-route.ts';
import { modelPath } from './models.tsx';
import { conditionText, meterLabel, perText, ratesShownFor, rateText } from './rates.ts';

type Prices = BodyOf<typeof pricingRoute>;

const SORTS = [
  { value: 'model_id', label: 'by model' },
  { value: 'price', label: 'cheapest first' },
  { value: '-price', label: 'most expensive first' },
  { value: '-updated_at', label: 'last changed first' },
] as const;
const FILTERS = ['model', 'provider', 'meter', 'min_price', 'max_price', 'sort'] as const;
const METER_OPTIONS = [
  { value: '', label: 'any' },
  ...METERS.map((meter) => ({ value: meter, label: meterLabel(meter) })),
];

/** Current prices, with the API's filters. */
export function pricesPageRoute(deps: PageDeps): OrganizationRoute {
  return forMembers.page('/data/prices', async (pages) => {
    const query = { ...filtersOf(pages), limit: '50', cursor: pages.query['cursor'] };
    const fetched = await fetcherFor(pages, deps)(pricingRoute, { query });
    return page('Prices', pricesPage(pages, fetched));
  });
}

function filtersOf({ query }: OrganizationPages): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(FILTERS.map((name) => [name, query[name]]));
}

function pricesPage(pages: OrganizationPages, fetched: Fetched<Prices>): JSX.Element {
  const { path, query } = pages;
  const filter = { of: { form: query }, required: false };
  const here = `${path}/data/prices`;
  return (
    <DataPage pages={pages} title="Prices">
      <form
        method="get"
        action={here}
        class="form row filters"
        {...inPlace(here, '#found')}
        hx-trigger="submit, change"
      >
        <Field {...filter} label="Id of the model" name="model" type="search" />
        <Field {...filter} label="Provider" name="provider" />
        <Choice label="Meter" name="meter" options={METER_OPTIONS} chosen={query['meter']} />
        <Field {...filter} label="Price from" name="min_price" type="number" step="any" />
        <Field {...filter} label="Price to" name="max_price" type="number" step="any" />
        <Choice label="Order" name="sort" options={SORTS} chosen={query['sort'] ?? 'model_id'} />
        <button type="submit">Show</button>
      </form>
      <div id="found" aria-live="polite">
        <FetchedData fetched={fetched} show={({ data }) => <Found data={data} pages={pages} />} />
      </div>
    </DataPage>
  );
}

function Found({ data, pages }: { readonly data: Prices; readonly pages: OrganizationPages }): JSX.Element {
  const { pricing, total, next_cursor: next } = data;
  const here = `${pages.path}/data/prices`;
  const meter = METERS.find((name) => name === pages.query['meter']) ?? 'input';
  return (
    <>
      <p>{total === 1 ? '1 price' : `${total.toLocaleString('en')} prices`}</p>
      <Table
        caption="Prices"
        columns={[
          ['Model', 'head'],
          'Provider',
          [`${meterLabel(meter)}, per ${perText(comparedUnitOf(meter))}`, 'number'],
          ['Other rates, per 1M tokens', 'wide'],
          'Changed',
        ]}
        rows={pricing.map((price) => {
          const { compared, others, conditional } = ratesShownFor(price, meter);
          return [
            <a href={modelPath(pages, price.model_id)}>{price.model_id}</a>,
            price.provider,
            compared === undefined ? '' : formatPrice(comparedPrice(compared), price.currency),
            <OtherRates plain={others} conditional={conditional} currency={price.currency} />,
            <time datetime={price.updated_at}>{price.updated_at.slice(0, 10)}</time>,
          ];
        })}
        empty="No price matches these filters."
      />
      <ListPager
        label="More prices"
        here={here}
        filters={filtersOf(pages)}
        cursor={pages.query['cursor']}
        next={next}
      />
    </>
  );
}

/** Rates per price: a record has up to 200. */
const [PLAIN_SHOWN_MAX, CONDITIONAL_SHOWN_MAX] = [12, 6];

interface OtherRatesProps {
  readonly plain: readonly Rate[];
  readonly conditional: readonly Rate[];
  readonly currency: string;
}

function OtherRates({ plain, conditional, currency }: OtherRatesProps): JSX.Element {
  const texts = plain.map((rate) => rateText(rate, currency));
  const conditions = conditional.map((rate) => `${conditionText(rate)}: ${rateText(rate, currency)}`);
  return (
    <>
      <span>{firstOf(texts, PLAIN_SHOWN_MAX).join(', ')}</span>
      {conditions.length > 0 && (
        <details class="more">
          <summary>{`${conditions.length} with a condition`}</summary>
          <ul>
            {firstOf(conditions, CONDITIONAL_SHOWN_MAX).map((text) => (
              <li>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Says how many others there are. */
function firstOf(texts: readonly string[], max: number): readonly string[] {
  return texts.length <= max ? texts : [...texts.slice(0, max), `and ${texts.length - max} more`];
}
