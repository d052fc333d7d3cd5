import type { JSX } from 'preact';
import { z } from 'zod';
import { notFound } from '../../server/errors/http-error.ts';
import { ENDPOINT_MODES, ENDPOINTS_MAX, type Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import { TOPICS } from '../../webhooks/topics/topics.ts';
import type { PageDeps } from '../console-deps.ts';
import { Checks, Choice, Field, Form, Problems } from '../shell/fields.tsx';
import { Badge, Copyable, Done, Instant, Notice, Section, Table } from '../shell/parts.tsx';
import { formPage, page, textOf } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

/** Ids of a filter, as a form has them: separated by white space or commas. */
const Ids = z
  .string()
  .max(20_000, 'These are too many.')
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((id) => id !== ''));
const PlainNumber = z
  .string()
  .default('')
  .refine((text) => text === '' || Number.isFinite(Number(text)), 'Say a number.')
  .transform((text) => (text === '' ? undefined : Number(text)));

const EndpointForm = z.object({
  url: z.string({ error: 'Say its address.' }).trim().min(1, 'Say its address.'),
  description: z.string().trim().default(''),
  topics: z.union([z.array(z.enum(TOPICS)), z.enum(TOPICS).transform((topic) => [topic])], {
    error: 'Choose at least one.',
  }),
  mode: z.enum(ENDPOINT_MODES).default('each'),
  models: Ids,
  benchmarks: Ids,
  categories: Ids,
  providers: Ids,
  min_price_change_percent: PlainNumber,
  max_rank: PlainNumber,
});

const MODE_CHOICES = [
  { value: 'each', label: 'one delivery per event' },
  { value: 'digest', label: 'one per topic and night' },
] as const;

/** An organization's endpoints, and registering one. */
export function endpointsRoutes({ webhooks }: Pick<PageDeps, 'webhooks'>): readonly OrganizationRoute[] {
  const endpointsAs = ({ actor }: OrganizationPages) => webhooks.endpointsAs(actor);
  const showNew = (pages: OrganizationPages) => formPage('Register an endpoint', newEndpointPage(pages), pages);
  return [
    forMembers.page('/webhooks', async (pages) => {
      const endpoints = await endpointsAs(pages).list(pages.organization.id);
      return page('Webhooks', endpointsPage(pages, endpoints));
    }),
    forMembers.page('/webhooks/new', showNew),
    forMembers.form('/webhooks/new', {
      fields: EndpointForm,
      show: showNew,
      work: async (pages, fields) => {
        const { url, description, topics, mode } = fields;
        const [organizationId, filters] = [pages.organization.id, filtersFrom(fields)];
        const wanted = { organizationId, url, description, topics, mode, filters };
        const { endpoint, secret } = await endpointsAs(pages).add(wanted);
        const body = <SecretPage pages={pages} endpoint={endpoint} secret={secret} isNew={true} />;
        return page('Your new endpoint', body);
      },
    }),
  ];
}

function filtersFrom(fields: z.infer<typeof EndpointForm>) {
  const { models, benchmarks, categories, providers, min_price_change_percent: percent, max_rank: rank } = fields;
  return {
    ...(models.length === 0 ? {} : { models }),
    ...(benchmarks.length === 0 ? {} : { benchmarks }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(providers.length === 0 ? {} : { providers }),
    ...(percent === undefined ? {} : { min_price_change_percent: percent }),
    ...(rank === undefined ? {} : { max_rank: rank }),
  };
}

function endpointsPage(pages: OrganizationPages, endpoints: readonly Endpoint[]): JSX.Element {
  const { path, organization } = pages;
  const mayRegister = organization.terms.features.includes('webhooks');
  return (
    <>
      <h1>Webhooks</h1>
      <Done query={pages.query} texts={{ removed: 'The endpoint was removed.' }} />
      {!mayRegister && (
        <Notice kind="plain">
          <p>{`The ${organization.terms.displayName} plan has no webhooks. With one that has, your servers are told of each change as it is published.`}</p>
        </Notice>
      )}
      <Section title="Endpoints">
        <Table
          caption="Endpoints"
          columns={[['Address', 'head'], 'State', 'Topics', ['Failures in a row', 'number'], 'Since']}
          rows={endpoints.map((endpoint) => [
            <>
              <a href={`${path}/webhooks/${endpoint.id}`}>{endpoint.url}</a>
              {endpoint.description !== '' && <p class="hint">{endpoint.description}</p>}
            </>,
            <EndpointState endpoint={endpoint} />,
            endpoint.topics.join(', '),
            String(endpoint.consecutiveFailures),
            <Instant at={endpoint.createdAt} />,
          ])}
          empty="None yet."
        />
        {mayRegister && endpoints.length < ENDPOINTS_MAX && (
          <p>
            <a class="button" href={`${path}/webhooks/new`}>
              Register an endpoint
            </a>
          </p>
        )}
      </Section>
    </>
  );
}

const STATE_KINDS = { registered: 'plain', active: 'good', revoked: 'bad', suspended: 'bad', removed: 'bad' } as const;

export function EndpointState({ endpoint }: { readonly endpoint: Endpoint }): JSX.Element {
  return <Badge kind={STATE_KINDS[endpoint.state]} text={endpoint.state} />;
}

function newEndpointPage(pages: OrganizationPages): JSX.Element {
  const { path, token, form } = pages;
  const field = { of: pages, required: false, autocomplete: 'off' };
  return (
    <>
      <h1>Register an endpoint</h1>
      <p>It is asked at once whether it is there: it becomes active when it answers the ping with a 2xx.</p>
      <Problems of={pages} />
      <Form action={`${path}/webhooks/new`} token={token}>
        <Field {...field} label="Address" name="url" type="url" required={true} hint="https, and public." />
        <Field {...field} label="Description" name="description" maxlength={200} />
        <Checks
          legend="Topics"
          name="topics"
          options={TOPICS.map((topic) => ({ value: topic, label: topic }))}
          of={pages}
        />
        <Choice label="How" name="mode" options={MODE_CHOICES} chosen={textOf(form, 'mode')} />
        <details class="more">
          <summary>Filters</summary>
          <p class="hint">What is left empty filters nothing. Several ids are separated by spaces or commas.</p>
          <Field {...field} label="Models" name="models" />
          <Field {...field} label="Benchmarks (scores)" name="benchmarks" />
          <Field {...field} label="Categories (rankings)" name="categories" />
          <Field {...field} label="Providers (prices)" name="providers" />
          <Field
            {...field}
            label="Least change of a price, in per cent"
            name="min_price_change_percent"
            type="number"
          />
          <Field {...field} label="Positions 1 to … of rankings" name="max_rank" type="number" />
        </details>
        <button type="submit">Register it</button>
      </Form>
    </>
  );
}

/** The endpoint that the path names; rejects with `not_found` for another organization's. */
export async function ownEndpoint(
  { organization, params, actor }: OrganizationPages,
  webhooks: PageDeps['webhooks'],
): Promise<Endpoint> {
  const endpoint = await webhooks.endpointsAs(actor).get(params['endpoint'] ?? '');
  if (endpoint.organizationId !== organization.id) throw notFound(null, 'There is no such endpoint');
  return endpoint;
}

export interface SecretPageProps {
  readonly pages: OrganizationPages;
  readonly endpoint: Endpoint;
  readonly secret: string;
  /** Whether the endpoint was registered just now. */
  readonly isNew: boolean;
}

/** An endpoint's secret, at the only time when it can be shown. */
export function SecretPage({ pages, endpoint, secret, isNew }: SecretPageProps): JSX.Element {
  return (
    <>
      <h1>{isNew ? 'Your new endpoint' : 'Its new secret'}</h1>
      <Notice kind="plain">
        <p>This is the only time that the secret is shown. Deliveries are signed with it; your server checks them.</p>
      </Notice>
      <Section title="Secret">
        <Copyable text={secret} />
      </Section>
      <p>
        {isNew
          ? `A ping to ${endpoint.url} waits to be sent; the endpoint is active once it was answered with a 2xx.`
          : `Every delivery to ${endpoint.url} from now on is signed with it, and none with the one before.`}
      </p>
      <p>
        <a href={`${pages.path}/webhooks/${endpoint.id}`}>Go on to the endpoint</a>
      </p>
    </>
  );
}
