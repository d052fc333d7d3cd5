import type { JSX } from 'preact';
import { METERS, type Meter, TIERS } from '../../../schemas/rates.ts';
import { costRoute } from '../../data/routes/cost.ts';
import { pricingRoute } from '../../data/routes/pricing.ts';
import { HttpError } from '../../server/errors/http-error.ts';
import type { PageDeps } from '../console-deps.ts';
import { Choice, Field } from '../shell/fields.tsx';
import { Notice } from '../shell/parts.tsx';
import { formPage } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { type Cost, CostResult, OFFERS_MAX, type Offer, Offers } from './cost-result.tsx';
import { DataPage, FetchedData } from './data-page.tsx';
import { type Fetched, type FetchRoute, fetcherFor } from './fetch-route.ts';
import { meterLabel } from './rates.ts';

/** What a request costs: a form, and the API's response to it. */
export function costPageRoute(deps: PageDeps): OrganizationRoute {
  return forMembers.page('/data/cost', async (pages) => {
    // Others link to the form with a model filled in.
    const isAsked = METERS.some((meter) => pages.query[meter] !== undefined) || !pages.offers('pricing');
    const found: Found = isAsked ? await findCost(pages, fetcherFor(pages, deps)) : { offers: [] };
    return formPage('Cost', <CostPage pages={pages} found={found} />, { problems: found.fetched?.problems });
  });
}

interface Found {
  /** Undefined: nothing is asked yet. */
  readonly fetched?: Fetched<Cost>;
  /** The same request at each provider; empty if one was named. */
  readonly offers: readonly Offer[];
}

type Query = Readonly<Record<string, string | undefined>>;

async function findCost({ query: given }: OrganizationPages, fetchRoute: FetchRoute): Promise<Found> {
  const query: Query = Object.fromEntries(Object.keys(costRoute.query.shape).map((name) => [name, given[name]]));
  const fetched = await fetchCost(query, fetchRoute);
  const isValid = Object.keys(fetched.problems ?? {}).every((name) => name === 'model');
  const isCompared = isValid && hasText(query['model']) && !hasText(query['provider']);
  return { fetched, offers: isCompared ? await compareProviders(query, fetched, fetchRoute) : [] };
}

/** Forms send empty parameters, which are none. */
function hasText(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** An id that the API doesn't know is a problem of its field. */
async function fetchCost(query: Query, fetchRoute: FetchRoute): Promise<Fetched<Cost>> {
  try {
    return await fetchRoute(costRoute, { query });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 404 || error.options.param == null) throw error;
    return { refusal: error.message, problems: { [error.options.param]: error.message }, url: '' };
  }
}

/** Cheapest first, by currency where prices are in several; then those without a cost, by id. */
async function compareProviders(
  query: Query,
  { data: cheapest }: Fetched<Cost>,
  fetchRoute: FetchRoute,
): Promise<readonly Offer[]> {
  const prices = await fetchRoute(pricingRoute, { query: { model: query['model'], limit: String(OFFERS_MAX) } });
  const sellers = (prices.data?.pricing ?? []).map(({ provider }) => provider);
  const missing = (cheapest?.missing ?? []).map(({ provider }) => provider);
  const known = cheapest === undefined ? sellers : [cheapest.provider, ...sellers];
  const providers = [...new Set([...known, ...missing])].slice(0, OFFERS_MAX).sort();
  const offers = await Promise.all(
    providers.map(async (provider) => ({ provider, fetched: await fetchCost({ ...query, provider }, fetchRoute) })),
  );
  return offers.sort(compareOffers);
}

function compareOffers({ fetched: { data: a } }: Offer, { fetched: { data: b } }: Offer): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1;
  return a.cost - b.cost;
}

function CostPage({ pages, found }: { readonly pages: OrganizationPages; readonly found: Found }): JSX.Element {
  const { fetched, offers } = found;
  const problems = fetched?.problems;
  const comparison = <Offers offers={offers} pages={pages} />;
  return (
    <DataPage pages={pages} title="Cost">
      {problems !== undefined && (
        <Notice kind="bad">
          <p>This request has no cost. The fields below say why.</p>
        </Notice>
      )}
      <CostForm pages={pages} problems={problems} />
      {fetched === undefined || problems !== undefined ? (
        comparison
      ) : (
        <FetchedData
          fetched={fetched}
          show={({ data }) => (
            <>
              <CostResult cost={data} pages={pages} />
              {comparison}
            </>
          )}
        />
      )}
    </DataPage>
  );
}

const TIER_OPTIONS = [{ value: '', label: 'standard' }, ...TIERS.map((tier) => ({ value: tier, label: tier }))];

const HINTS: Readonly<Record<string, string>> = {
  model: 'As listed under Models',
  provider: 'Empty: all are compared',
  on: 'Empty: today',
  region: 'As the provider names it',
  units: 'Such as image_out:image',
  input: 'Tokens that are not cached',
  output: 'Tokens',
  cache_read: 'Tokens',
  cache_write: 'Tokens',
  cache_write_1h: 'Tokens kept for an hour',
  reasoning: 'Tokens, if charged apart',
  image_in: 'Tokens or images',
  image_out: 'Tokens or images',
  audio_in: 'Tokens or seconds',
  audio_out: 'Tokens or seconds',
  video_out: 'Tokens or seconds',
  request: 'If each is charged',
  search: 'Web searches',
};

/** The other meters are folded away. */
const MAIN_METERS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const satisfies readonly Meter[];
const FOLDED_METERS = METERS.filter((meter) => !MAIN_METERS.some((main) => main === meter));

interface CostFormProps {
  readonly pages: OrganizationPages;
  readonly problems: Fetched<Cost>['problems'];
}

function CostForm({ pages: { path, query }, problems }: CostFormProps): JSX.Element {
  const field = (name: string) => ({
    of: { form: query, problems },
    name,
    required: false,
    ...(HINTS[name] === undefined ? {} : { hint: HINTS[name] }),
  });
  const quantity = (meter: Meter) => (
    <Field {...field(meter)} label={meterLabel(meter)} type="number" step="any" required={meter === 'input'} />
  );
  const isFilled = (name: string) => problems?.[name] !== undefined || hasText(query[name]);
  return (
    <form method="get" action={`${path}/data/cost`} class="form large">
      <div class="form row">
        <Field {...field('model')} label="Id of the model" required />
        <Field {...field('provider')} label="Provider" />
        <Field {...field('on')} label="Day" type="date" />
        <Choice
          label="Tier"
          name="tier"
          options={TIER_OPTIONS}
          chosen={query['tier']}
          hint="Of service"
          problem={problems?.['tier']}
        />
      </div>
      <div class="form row">{MAIN_METERS.map(quantity)}</div>
      <details class="more" open={[...FOLDED_METERS, 'region', 'units'].some(isFilled)}>
        <summary>Other meters, units and region</summary>
        <div class="form row">
          {FOLDED_METERS.map(quantity)}
          <Field {...field('units')} label="Units" />
          <Field {...field('region')} label="Region" />
        </div>
      </details>
      <button type="submit">Compute</button>
    </form>
  );
}
