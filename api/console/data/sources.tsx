import type { JSX } from 'preact';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { sourcesRoute } from '../../data/routes/sources.ts';
import type { Source } from '../../view/view-meta.ts';
import type { PageDeps } from '../console-deps.ts';
import { Badge, type Fact, Facts, Instant, Section } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { forMembers, type OrganizationRoute } from '../shell/routes.ts';
import { DataPage, FetchedData } from './data-page.tsx';
import { fetcherFor } from './fetch-route.ts';

/** The sources, with the attribution that each requires. */
export function sourcesPageRoute(deps: PageDeps): OrganizationRoute {
  return forMembers.page('/data/sources', async (pages) => {
    const fetched = await fetcherFor(pages, deps)(sourcesRoute, {});
    const body = (
      <DataPage pages={pages} title="Sources">
        <FetchedData fetched={fetched} show={({ data }) => <Shown sources={data.sources} />} />
      </DataPage>
    );
    return page('Sources', body);
  });
}

function Shown({ sources }: BodyOf<typeof sourcesRoute>): JSX.Element {
  if (sources.length === 0) return <p class="none">The newest release names no sources.</p>;
  return (
    <>
      {sources.map((source) => (
        <Section title={source.name} id={source.id}>
          {source.attribution !== null && <p>{source.attribution}</p>}
          <Facts items={factsOf(source)} />
        </Section>
      ))}
    </>
  );
}

function Unknown(): JSX.Element {
  return <span class="none">not known</span>;
}

function factsOf(source: Source): readonly Fact[] {
  const { id, url, license, terms_url, terms_checked, redistribution, fetched_at, failed_since } = source;
  return [
    ['Id in records', <code>{id}</code>],
    ['Home page', <Address url={url} />],
    ['Licence', license ?? <Unknown />],
    ['Terms', terms_url === null ? <Unknown /> : <Address url={terms_url} />],
    ['Terms checked', terms_checked ?? <Unknown />],
    ['Redistribution', <Badge {...passingOn(redistribution)} />],
    ['Last fetch', <Instant at={fetched_at === null ? null : new Date(fetched_at)} />],
    ...(failed_since === null
      ? []
      : [['Without a new file', <Badge kind="bad" text={`since ${failed_since}`} />] as const]),
  ];
}

function passingOn(isAllowed: boolean) {
  return isAllowed ? ({ kind: 'good', text: 'allowed' } as const) : ({ kind: 'plain', text: 'not allowed' } as const);
}

function Address({ url }: { readonly url: string }): JSX.Element {
  return <a href={url}>{url}</a>;
}
