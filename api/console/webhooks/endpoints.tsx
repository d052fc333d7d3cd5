import type { JSX } from 'preact';
import { z } from 'zod';
import { METERS } from '../../../schemas/rates.ts';
import { notFound } from '../../server/errors/http-error.ts';
import { ENDPOINT_MODES, ENDPOINTS_MAX, type Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import { DIRECTIONS } from '../../webhooks/topics/topic.ts';
import { TOPICS } from '../../webhooks/topics/topics.ts';
import type { PageDeps } from '../console-deps.ts';
import { Checks, Choice, Field, Form, Problems } from '../shell/fields.tsx';
import { Badge, Copyable, Done, Instant, Notice, Section, Table } from '../shell/parts.tsx';
import { formPage, page, textOf } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

/** Separated by white space or commas. */
const Ids = z
  .string()
  .max(20_000, 'Too many ids.')
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((id) => id !== ''));
const PlainNumber = z
  .string()
  .default('')
  .refine((text) => text === '' || Number.isFinite(Number(text)), 'Enter a number.')
  .transform((text) => (text === '' ? undefined : Number(text)));

const EndpointForm = z.object({
  url: z.string({ error: 'Enter the address.' }).trim().min(1, 'Enter the address.'),
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
  meters: z
    .union([z.array(z.enum(METERS)), z.enum(METERS).transform((meter) => [meter])], {
      error: 'Choose meters of the list.',
    })
    .default([]),
  direction: z.enum(['', ...DIRECTIONS]).default(''),
  min_change_percent: PlainNumber,
  max_rank: PlainNumber,
});

const MODE_CHOICES = [
  { value: 'each', label: 'one delivery per event' },
  { value: 'digest', label: 'one per topic and night' },
] as const;

const DIRECTION_CHOICES = [
  { value: '', label: 'up or down' },
  { value: 'up', label: 'up: higher price, better rank' },
  { value: 'down', label: 'down: lower price, worse rank' },
] as const;

/** An organization's endpoints, and registration. */
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
        const registration = { organizationId, url, description, topics, mode, filters };
        const { endpoint, secret } = await endpointsAs(pages).add(registration);
        const body = <SecretPage pages={pages} endpoint={endpoint} secret={secret} isNew={true} />;
        return page('Your new endpoint', body);
      },
    }),
  ];
}

function filtersFrom(fields: z.infer<typeof EndpointForm>) {
  const { models, benchmarks, categories, providers, min_price_change_percent: percent, max_rank: rank } = fields;
  const { meters, direction, min_change_percent: least } = fields;
  return {
    ...(models.length === 0 ? {} : { models }),
    ...(benchmarks.length === 0 ? {} : { benchmarks }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(providers.length === 0 ? {} : { providers }),
    ...(percent === undefined ? {} : { min_price_change_percent: percent }),
    ...(meters.length === 0 ? {} : { meters }),
    ...(direction === '' ? {} : { direction }),
    ...(least === undefined ? {} : { min_change_percent: least }),
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
          <p>{`The ${organization.terms.displayName} plan has no webhooks. Plans with webhooks notify your servers of each change as it is published.`}</p>
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
      <p>A ping is sent at once. A 2xx response activates the endpoint.</p>
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
        <Choice label="Mode" name="mode" options={MODE_CHOICES} chosen={textOf(form, 'mode')} />
        <details class="more">
          <summary>Filters</summary>
          <p class="hint">Empty fields filter nothing. Separate ids by spaces or commas.</p>
          <Field {...field} label="Models" name="models" />
          <Field {...field} label="Benchmarks (scores)" name="benchmarks" />
          <Field {...field} label="Categories (rankings)" name="categories" />
          <Field {...field} label="Providers (prices)" name="providers" />
          <Field
            {...field}
            label="Minimum change of input or output in percent"
            name="min_price_change_percent"
            type="number"
          />
          <Checks
            legend="Meters (prices)"
            name="meters"
            options={METERS.map((meter) => ({ value: meter, label: meter }))}
            of={pages}
          />
          <Choice
            label="Direction (prices, rankings)"
            name="direction"
            options={DIRECTION_CHOICES}
            chosen={textOf(form, 'direction')}
          />
          <Field {...field} label="Minimum change of any rate in percent" name="min_change_percent" type="number" />
          <Field {...field} label="Positions 1 to … of rankings" name="max_rank" type="number" />
        </details>
        <button type="submit">Register it</button>
      </Form>
    </>
  );
}

/** Rejects with `not_found` for another organization's. */
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
  /** Whether it was just registered. */
  readonly isNew: boolean;
}

/** The only page that shows the secret. */
export function SecretPage({ pages, endpoint, secret, isNew }: SecretPageProps): JSX.Element {
  return (
    <>
      <h1>{isNew ? 'Your new endpoint' : 'New secret'}</h1>
      <Notice kind="plain">
        <p>The secret is shown only now. It signs deliveries; your server verifies them.</p>
      </Notice>
      <Section title="Secret">
        <Copyable text={secret} />
      </Section>
      <p>
        {isNew
          ? `A ping to ${endpoint.url} will be sent. A 2xx response activates the endpoint.`
          : `From now on every delivery to ${endpoint.url} is signed with it.`}
      </p>
      <p>
        <a href={`${pages.path}/webhooks/${endpoint.id}`}>Go to the endpoint</a>
      </p>
    </>
  );
}
