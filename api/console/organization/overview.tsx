import type { JSX } from 'preact';
import type { UsageState } from '../../accounts/caller.ts';
import { type ApiKey, listKeys } from '../../accounts/organizations/keys.ts';
import type { Organization } from '../../accounts/organizations/organizations.ts';
import { FEATURE_LABELS, HISTORY_MONTHS_FULL } from '../../accounts/organizations/plans.ts';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { updatesRoute } from '../../data/routes/updates.ts';
import type { PageDeps } from '../console-deps.ts';
import { curlLine, FetchedData } from '../data/data-page.tsx';
import { type Fetched, fetcherFor } from '../data/fetch-route.ts';
import { modelPath } from '../data/models.tsx';
import { failureFrom } from '../shell/errors.tsx';
import { Copyable, type Fact, Facts, Instant, Section, Table } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { callerOf, forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { isWorking } from './keys.tsx';

type Updates = BodyOf<typeof updatesRoute>;

/** Plan, today's usage and first steps of an organization. */
export function overviewRoute(deps: PageDeps): OrganizationRoute {
  const { accounts } = deps;
  return forMembers.page('', async (pages) => {
    const { organization } = pages;
    const [usage, keys, updates] = await Promise.all([
      accounts.quota.usage(callerOf(organization)),
      listKeys(organization.id, accounts.as(pages.actor)),
      fetchUpdates(pages, deps),
    ]);
    return page('Overview', <OverviewPage pages={pages} usage={usage} keys={keys} updates={updates} />);
  });
}

/** Undefined while nothing is published. */
async function fetchUpdates(pages: OrganizationPages, deps: PageDeps): Promise<Fetched<Updates> | undefined> {
  try {
    return await fetcherFor(pages, deps)(updatesRoute, { query: { days: '7', limit: '8' } });
  } catch (error) {
    if (failureFrom(error).status === 503) return undefined;
    throw error;
  }
}

interface OverviewProps {
  readonly pages: OrganizationPages;
  readonly usage: UsageState;
  readonly keys: readonly ApiKey[];
  /** Undefined while nothing is published. */
  readonly updates: Fetched<Updates> | undefined;
}

function OverviewPage({ pages, usage, keys, updates }: OverviewProps): JSX.Element {
  const { organization, now } = pages;
  const live = keys.filter((key) => isWorking(key, now));
  return (
    <>
      <h1>{organization.name}</h1>
      <FirstSteps pages={pages} keys={live} />
      <div class="columns">
        <Section title="Today">
          <Used usage={usage} />
        </Section>
        <Section title="Plan">
          <Facts items={planFacts(organization)} />
        </Section>
      </div>
      <Section title="New models of the last 7 days">
        <News pages={pages} updates={updates} />
      </Section>
    </>
  );
}

function Used({ usage }: { readonly usage: UsageState }): JSX.Element {
  const { used, limit, remaining, resetAt } = usage;
  return (
    <>
      <p class="figure">
        <strong>{used.toLocaleString('en')}</strong>
        <span>{limit === null ? ' units, without a limit' : ` of ${limit.toLocaleString('en')} units`}</span>
      </p>
      {limit !== null && (
        <meter
          min={0}
          max={Math.max(1, limit)}
          value={Math.min(used, limit)}
          high={limit * 0.9}
          aria-label="Units used today"
        >
          {`${used} of ${limit}`}
        </meter>
      )}
      <p class="hint">
        {remaining !== null && <span>{`${remaining.toLocaleString('en')} are left. `}</span>}
        Resets at <Instant at={new Date(resetAt * 1000)} />.
      </p>
    </>
  );
}

function planFacts({ terms }: Organization): readonly Fact[] {
  const months = terms.historyMonths >= HISTORY_MONTHS_FULL ? 'complete' : `${terms.historyMonths} months`;
  return [
    ['Plan', `${terms.displayName}${terms.status === 'active' ? '' : ` (${terms.status.replace('_', ' ')})`}`],
    ['Requests per minute', terms.burstPerMinute.toLocaleString('en')],
    ['History', months],
    ['Besides current data', terms.features.map((feature) => FEATURE_LABELS[feature]).join(', ') || 'nothing'],
    ['Attribution', terms.attributionRequired ? 'required where you show the data' : 'not required'],
    ['Redistribution', terms.redistributionAllowed ? 'allowed' : 'not allowed'],
  ];
}

/** Until the organization has used a key. */
function FirstSteps({ pages, keys }: Pick<OverviewProps, 'pages' | 'keys'>): JSX.Element | null {
  if (keys.some(({ lastUsedAt }) => lastUsedAt !== null)) return null;
  const { path, baseUrl } = pages;
  return (
    <Section title="First steps">
      <ol class="steps">
        <li>
          {keys.length === 0 ? (
            <>
              <a href={`${path}/keys`}>Create an API key</a>. It is shown once.
            </>
          ) : (
            'You have a key.'
          )}
        </li>
        <li>
          Make a request:
          <Copyable text={curlLine(`${baseUrl}/v1/models?limit=3`)} />
        </li>
        <li>
          See it <a href={`${path}/usage`}>counted</a>, some seconds later.
        </li>
      </ol>
    </Section>
  );
}

function News({ pages, updates }: Pick<OverviewProps, 'pages' | 'updates'>): JSX.Element {
  if (updates === undefined) return <p class="none">Nothing is published yet.</p>;
  return (
    <FetchedData
      fetched={updates}
      show={({ data: { models, total } }) => (
        <>
          <Table
            caption="New models"
            columns={['Model', 'By', 'Added']}
            rows={models.map(({ id, name, organization, added_at }) => [
              <a href={modelPath(pages, id)}>{name}</a>,
              organization ?? 'unknown',
              added_at.slice(0, 10),
            ])}
            empty="None."
          />
          {total > models.length && <p class="hint">{`And ${(total - models.length).toLocaleString('en')} more.`}</p>}
        </>
      )}
    />
  );
}
