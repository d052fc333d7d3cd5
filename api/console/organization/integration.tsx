import type { JSX } from 'preact';
import { ATTRIBUTION_BONUS, PLANS, type PlanName } from '../../accounts/organizations/plans.ts';
import type { Terms } from '../../accounts/organizations/terms.ts';
import type { Check, Integration } from '../../integrations/integration.ts';
import type { CheckedIntegration } from '../../integrations/integrations.ts';
import { isInForce } from '../../integrations/lifecycle.ts';
import type { PageDeps } from '../console-deps.ts';
import { Confirmed, Form, Problems } from '../shell/fields.tsx';
import { Done, type Fact, Facts, Instant, Notice, Section, Table } from '../shell/parts.tsx';
import { type ConsoleResponse, formPage, NO_FIELDS, redirect } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { assertOffered, IntegrationState, Snippets } from './integrations.tsx';

const DONE = {
  declared: 'The page will be checked within seconds.',
  checked: 'The page was checked just now: see the first check below.',
};

/** One integration: state, checks and actions. */
export function integrationRoutes({ integrations }: Pick<PageDeps, 'integrations'>): readonly OrganizationRoute[] {
  const actingFor = ({ actor }: OrganizationPages) => integrations.as(actor);
  const selectorOf = ({ organization, params }: OrganizationPages) => ({
    organizationId: organization.id,
    id: params['integration'] ?? '',
  });
  const show = async (pages: OrganizationPages): Promise<ConsoleResponse> => {
    assertOffered(pages);
    const found = await actingFor(pages).find(selectorOf(pages));
    return formPage('Integration', integrationPage(pages, found), pages);
  };
  return [
    forMembers.page('/integrations/:integration', show),
    forMembers.form('/integrations/:integration/check', {
      fields: NO_FIELDS,
      show,
      work: async (pages) => {
        assertOffered(pages);
        const { integration } = await actingFor(pages).check(selectorOf(pages));
        return redirect(`${pages.path}/integrations/${integration.id}?done=checked`);
      },
    }),
    forMembers.action('/integrations/:integration/remove', async (pages) => {
      assertOffered(pages);
      await actingFor(pages).remove(selectorOf(pages));
      return redirect(`${pages.path}/integrations?done=removed`);
    }),
  ];
}

function integrationPage(pages: OrganizationPages, { integration, checks }: CheckedIntegration): JSX.Element {
  const { path, query } = pages;
  return (
    <>
      <p>
        <a href={`${path}/integrations`}>All integrations</a>
      </p>
      <h1>{integration.name}</h1>
      <Problems of={pages} />
      <Done query={query} texts={DONE} />
      <Warning integration={integration} />
      <Section title="Integration">
        <Facts items={factsOf(integration, pages.organization.terms)} />
        {integration.state !== 'removed' && <Actions pages={pages} id={integration.id} />}
      </Section>
      <Section title="Checks">
        <Table
          caption="Checks, newest first"
          columns={[['When', 'head'], 'Outcome', ['Found', 'long'], ['Response', 'long']]}
          rows={checks.map(checkCells)}
          empty="None yet."
        />
      </Section>
      {integration.state !== 'verified' && integration.state !== 'removed' && <Snippets pages={pages} />}
    </>
  );
}

/** What the owner has to do, if anything. */
function Warning({ integration }: { readonly integration: Integration }): JSX.Element | null {
  const { state, problem, lapsesAt, bonusUntil } = integration;
  if (state === 'verified' || state === 'removed' || (state === 'pending' && problem === null)) return null;
  return (
    <Notice kind={state === 'pending' ? 'plain' : 'bad'}>
      {problem !== null && <p>{problem}</p>}
      {lapsesAt !== null && (
        <p>
          Unless the link is found again, the integration{' '}
          {bonusUntil === null ? 'lapses' : 'lapses, and its bonus ends,'} at <Instant at={lapsesAt} />.
        </p>
      )}
    </Notice>
  );
}

function factsOf(integration: Integration, { plan }: Pick<Terms, 'plan'>): readonly Fact[] {
  const { id, url, domain, stateChangedAt, nextCheckAt, createdAt } = integration;
  return [
    [
      'Page',
      <a class="long" href={url} rel="noopener noreferrer nofollow" target="_blank">
        {url}
      </a>,
    ],
    ['Site', domain],
    ['State', <IntegrationState integration={integration} />],
    ['Since', <Instant at={stateChangedAt} />],
    ['Counts for the bonus', bonusUntilOf(integration, plan)],
    ['Checked next', <Instant at={nextCheckAt} />],
    ['Declared', <Instant at={createdAt} />],
    ['Id', <code>{id}</code>],
  ];
}

function bonusUntilOf({ state, bonusUntil }: Integration, plan: PlanName): Fact[1] {
  if (bonusUntil === 'lost') return 'yes';
  if (bonusUntil === null) {
    const hasMost = isInForce(state) && PLANS[plan].hasAttributionBonus;
    return hasMost ? `no: ${ATTRIBUTION_BONUS.integrationsMax} others already do, which is the limit` : 'no';
  }
  return (
    <span>
      until <Instant at={bonusUntil} />
    </span>
  );
}

function Actions({ pages, id }: { readonly pages: OrganizationPages; readonly id: string }): JSX.Element {
  const here = `${pages.path}/integrations/${id}`;
  return (
    <div class="actions">
      <Form action={`${here}/check`} token={pages.token} className="inline">
        <button type="submit">Check it now</button>
      </Form>
      <Confirmed
        label="Remove"
        question="Remove this integration for good? Its bonus ends with this UTC day."
        action={`${here}/remove`}
        token={pages.token}
      />
    </div>
  );
}

function checkCells({ checkedAt, isRequested, reason, message, status, finalUrl, found, durationMs }: Check) {
  return [
    <>
      <Instant at={checkedAt} />
      {isRequested && <p class="hint">requested</p>}
    </>,
    <>
      <code>{reason}</code>
      <p class="hint">{message}</p>
    </>,
    found === null ? (
      <span class="none">nothing</span>
    ) : (
      <span>{`${found.kind} to ${found.href}${found.text === '' ? '' : `: “${found.text}”`}`}</span>
    ),
    status === null ? (
      <span class="none">none</span>
    ) : (
      <span>{`${status}${finalUrl === null ? '' : ` of ${finalUrl}`}, ${Math.round(durationMs)} ms`}</span>
    ),
  ];
}
