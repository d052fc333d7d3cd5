import type { JSX } from 'preact';
import { isLive } from '../../data/access/rights.ts';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { lifecycleRoute } from '../../data/routes/lifecycle.ts';
import { HttpError } from '../../server/errors/http-error.ts';
import type { PageDeps } from '../console-deps.ts';
import { Field } from '../shell/fields.tsx';
import { Copyable, Section, Table, withQuery } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DataPage, FetchedData } from './data-page.tsx';
import { type Fetched, fetcherFor } from './fetch-route.ts';
import { modelPath } from './models.tsx';

type Lifecycle = BodyOf<typeof lifecycleRoute>;

const FILTERS = ['model', 'organization', 'from', 'days'] as const;

/** Dates of retirement, with the API's filters, and where to subscribe to them. */
export function lifecyclePageRoute(deps: PageDeps): OrganizationRoute {
  return forMembers.page('/data/lifecycle', async (pages) => {
    const query = { ...filtersOf(pages), limit: '100', cursor: pages.query['cursor'] };
    const fetched = await fetcherFor(pages, deps)(lifecycleRoute, { query }).catch((error: unknown) => {
      // A model that does not exist, which the form must be able to correct.
      if (error instanceof HttpError && error.status === 404) return { refusal: error.message, url: pages.url };
      throw error;
    });
    const hasFeeds = (['embeds', 'lifecycle'] as const).every((name) => isLive(deps.capabilities, name, undefined));
    return page('Lifecycle', <LifecyclePage pages={pages} fetched={fetched} hasFeeds={hasFeeds} />);
  });
}

function filtersOf({ query }: OrganizationPages): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(FILTERS.map((name) => [name, query[name]]));
}

interface LifecyclePageProps {
  readonly pages: OrganizationPages;
  readonly fetched: Fetched<Lifecycle>;
  readonly hasFeeds: boolean;
}

function LifecyclePage({ pages, fetched, hasFeeds }: LifecyclePageProps): JSX.Element {
  const filter = { of: { form: pages.query }, required: false };
  return (
    <DataPage pages={pages} title="Lifecycle">
      <p>When models are deprecated and retired, and what replaces them.</p>
      <form method="get" action={`${pages.path}/data/lifecycle`} class="form row filters">
        <Field {...filter} label="Models, comma-separated ids" name="model" />
        <Field {...filter} label="Made by" name="organization" maxlength={200} />
        <Field {...filter} label="From" name="from" type="date" />
        <Field {...filter} label="Days" name="days" type="number" />
        <button type="submit">Show</button>
      </form>
      <FetchedData fetched={fetched} show={({ data }) => <Found data={data} pages={pages} />} />
      {hasFeeds && fetched.data !== undefined && <Subscriptions pages={pages} />}
    </DataPage>
  );
}

function Found({ data, pages }: { readonly data: Lifecycle; readonly pages: OrganizationPages }): JSX.Element {
  const { lifecycle, total, next_cursor: next } = data;
  return (
    <>
      <p>{total === 1 ? '1 date' : `${total.toLocaleString('en')} dates`}</p>
      <Table
        caption="Dates"
        columns={[['Model', 'head'], 'Made by', 'Event', 'Date', 'Status', 'Replaced by', 'Known since']}
        rows={lifecycle.map((entry) => [
          <a href={modelPath(pages, entry.model_id)}>{entry.name}</a>,
          entry.organization,
          entry.event,
          entry.date ?? 'not known',
          entry.status,
          entry.replaced_by,
          entry.known_since,
        ])}
        empty="No source names a date that matches."
      />
      {next !== null && (
        <nav class="pager" aria-label="More dates">
          <a href={withQuery(`${pages.path}/data/lifecycle`, { ...filtersOf(pages), cursor: next })} rel="next">
            Next page
          </a>
        </nav>
      )}
    </>
  );
}

/** The same models as on the page. */
function Subscriptions({ pages }: { readonly pages: OrganizationPages }): JSX.Element {
  const urlOf = (form: string) =>
    withQuery(`${pages.baseUrl}/feeds/lifecycle.${form}`, { model: pages.query['model'] || undefined });
  return (
    <Section title="Subscribe">
      <p>A calendar or feed reader needs no key. With models above, it has only their dates.</p>
      <p>Calendar (iCalendar)</p>
      <Copyable text={urlOf('ics')} />
      <p>Feed (Atom)</p>
      <Copyable text={urlOf('atom')} />
    </Section>
  );
}
