import type { JSX } from 'preact';
import { z } from 'zod';
import { ATTRIBUTION_BONUS, PLANS } from '../../accounts/organizations/plans.ts';
import { INTEGRATIONS_MAX, type Integration } from '../../integrations/integration.ts';
import { snippetsFor } from '../../integrations/page/own-addresses.ts';
import { notFound } from '../../server/errors/http-error.ts';
import type { PageDeps } from '../console-deps.ts';
import { Field, Form, Problems } from '../shell/fields.tsx';
import { Badge, Copyable, Done, Instant, Notice, Section, Table } from '../shell/parts.tsx';
import { type ConsoleResponse, formPage, redirect, requiredText } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

const DeclarationForm = z.object({
  name: requiredText('Enter a name.', 100),
  public_url: z.string({ error: 'Enter the address.' }).trim().min(1, 'Enter the address.'),
});

/** Declared pages of an organization. */
export function integrationsRoutes({ integrations }: Pick<PageDeps, 'integrations'>): readonly OrganizationRoute[] {
  const show = async (pages: OrganizationPages): Promise<ConsoleResponse> => {
    assertOffered(pages);
    const declared = await integrations.as(pages.actor).list(pages.organization.id);
    return formPage('Integrations', integrationsPage(pages, declared), pages);
  };
  return [
    forMembers.page('/integrations', show),
    forMembers.form('/integrations', {
      fields: DeclarationForm,
      show,
      work: async (pages, { name, public_url: url }) => {
        assertOffered(pages);
        const acting = integrations.as(pages.actor);
        const { id } = await acting.declare({ organizationId: pages.organization.id, name, url });
        return redirect(`${pages.path}/integrations/${id}?done=declared`);
      },
    }),
  ];
}

/** Throws `not_found` if attribution is not offered to the organization. */
export function assertOffered({ offers }: OrganizationPages): void {
  if (!offers('attribution')) throw notFound(null, 'There is no such page');
}

function integrationsPage(pages: OrganizationPages, declared: readonly Integration[]): JSX.Element {
  return (
    <>
      <h1>Integrations</h1>
      <Done query={pages.query} texts={{ removed: 'The integration was removed. Its bonus ends with this UTC day.' }} />
      <Bonus pages={pages} />
      <Section title="Declared pages">
        <Table
          caption="Declared pages"
          columns={[['Name', 'head'], ['Page', 'long'], 'State', 'Last checked']}
          rows={declared.map((integration) => integrationCells(integration, pages))}
          empty="None yet."
        />
      </Section>
      {declared.length < INTEGRATIONS_MAX && (
        <Section title="Declare a page">
          <p>
            The page must be public and show a link to this service or its badge. It is checked within seconds, then
            daily. On a shared host, such as github.com, the address must identify you.
          </p>
          <Problems of={pages} />
          <Form action={`${pages.path}/integrations`} token={pages.token} className="form row">
            <Field
              label="Name"
              name="name"
              of={pages}
              maxlength={100}
              hint="Such as “model finder”."
              autocomplete="off"
            />
            <Field
              label="Address of the page"
              name="public_url"
              type="url"
              of={pages}
              hint="It shows the link."
              autocomplete="off"
            />
            <button type="submit">Declare</button>
          </Form>
        </Section>
      )}
      <Snippets pages={pages} />
    </>
  );
}

/** The bonus that integrations earn, and its maximum. */
function Bonus({ pages }: { readonly pages: OrganizationPages }): JSX.Element {
  const { plan, displayName, quotaLimit, dailyQuota } = pages.organization.terms;
  const { perIntegration, integrationsMax } = ATTRIBUTION_BONUS;
  if (!PLANS[plan].hasAttributionBonus) {
    return (
      <Notice kind="plain">
        <p>{`On the ${displayName} plan integrations earn no units.`}</p>
      </Notice>
    );
  }
  const earned = (quotaLimit ?? 0) - (dailyQuota ?? 0); // Removed pages count until the day ends.
  return (
    <Section title="Bonus">
      <p class="figure">
        <strong>{`+${earned.toLocaleString('en')}`}</strong>
        <span>{` of +${(perIntegration * integrationsMax).toLocaleString('en')} units a day`}</span>
      </p>
      <p class="hint">
        {`Each verified page earns ${perIntegration} units a day, up to ${integrationsMax} pages, whatever its traffic.`}
      </p>
    </Section>
  );
}

function integrationCells(integration: Integration, { path }: OrganizationPages) {
  const { id, name, url, checkedAt, problem } = integration;
  return [
    <a href={`${path}/integrations/${id}`}>{name}</a>,
    url,
    <>
      <IntegrationState integration={integration} />
      {problem !== null && <p class="hint">{problem}</p>}
    </>,
    <Instant at={checkedAt} />,
  ];
}

/** The link to this service in several markup languages. */
export function Snippets({ pages }: { readonly pages: OrganizationPages }): JSX.Element {
  const { baseUrl, root, offers, organization } = pages;
  return (
    <Section title="Code for your page">
      {offers('embeds') && (
        <p>
          <img src={`${root.slice(0, -'/console'.length)}/badges/source.svg`} alt="The badge of this service" />
        </p>
      )}
      {snippetsFor(baseUrl, organization.id).map(({ name, code }) => (
        <>
          <h3>{name}</h3>
          <Copyable text={code} />
        </>
      ))}
    </Section>
  );
}

const STATE_KINDS = {
  pending: 'plain',
  verified: 'good',
  at_risk: 'bad',
  lapsed: 'bad',
  rejected: 'bad',
  removed: 'bad',
} as const;

export function IntegrationState({ integration: { state } }: { readonly integration: Integration }): JSX.Element {
  return <Badge kind={STATE_KINDS[state]} text={state.replace('_', ' ')} />;
}
