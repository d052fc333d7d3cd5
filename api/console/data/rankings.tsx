import type { JSX } from 'preact';
import { formatNumber } from '../../charts/format.ts';
import { FIRST_PLACES_DEPTH, RankChart, rankSeriesOfCategory } from '../../charts/history-chart.tsx';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { categoriesRoute, rankingsRoute } from '../../data/routes/rankings.ts';
import { rankingsHistoryRoute } from '../../data/routes/rankings-history.ts';
import type { PageDeps } from '../console-deps.ts';
import { Choices, PageLinks, Section, Table, withQuery } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DataPage, FetchedData } from './data-page.tsx';
import { type Fetched, fetcherFor } from './fetch-route.ts';
import { fetchHistory, type History, type HistorySpan, historySpanOf, SpanChoice } from './history.tsx';
import { modelPath, numberOrNone } from './models.tsx';

type Rankings = BodyOf<typeof rankingsRoute>;

/** The current ranking of a category, and the history of its leaders. */
export function rankingsPageRoute(deps: PageDeps): OrganizationRoute {
  return forMembers.page('/data/rankings', async (pages) => {
    const fetchRoute = fetcherFor(pages, deps);
    const categories = await fetchRoute(categoriesRoute, {});
    const span = historySpanOf(pages, deps.views.current().newest.day);
    const known = categories.data?.categories ?? [];
    const category = pages.query['category'] ?? known[0]?.id;
    const { cursor } = pages.query;
    const args = { query: { category_id: category, top: String(FIRST_PLACES_DEPTH) } };
    const [rankings, history] =
      category === undefined
        ? []
        : await Promise.all([
            fetchRoute(rankingsRoute, { query: { category, limit: '50', cursor } }),
            cursor === undefined ? fetchHistory(fetchRoute, rankingsHistoryRoute, args, span) : undefined,
          ]);
    const shown = { categories: known, category, rankings, history, span };
    return page('Rankings', <RankingsPage pages={pages} shown={shown} />);
  });
}

interface Shown {
  readonly categories: BodyOf<typeof categoriesRoute>['categories'];
  readonly category: string | undefined;
  readonly rankings: Fetched<Rankings> | undefined;
  /** Of the leaders; only on the first page. */
  readonly history: Fetched<History> | undefined;
  readonly span: HistorySpan;
}

function RankingsPage({ pages, shown }: { readonly pages: OrganizationPages; readonly shown: Shown }): JSX.Element {
  const { categories, category, rankings, history, span } = shown;
  const here = `${pages.path}/data/rankings`;
  return (
    <DataPage pages={pages} title="Rankings">
      <Choices
        label="Categories"
        links={categories.map(({ id, model_count: count }) => {
          const text = (
            <>
              <span>{id}</span> <small>{formatNumber(count)}</small>
            </>
          );
          return { href: withQuery(here, { category: id }), text, isShown: id === category };
        })}
      />
      {category === undefined && <p class="none">Nothing is ranked yet.</p>}
      {history !== undefined && (
        <Section title={`The first places in ${category}`}>
          <SpanChoice pages={pages} shown={span.days} />
          <FetchedData
            fetched={history}
            show={({ data }) => (
              <RankChart
                id="first-places"
                title={`Current leaders, within the first ${FIRST_PLACES_DEPTH} places`}
                series={rankSeriesOfCategory(data.points, modelsOf(rankings))}
                {...span.chart}
              />
            )}
          />
        </Section>
      )}
      {rankings !== undefined && (
        <Section title="Now">
          <FetchedData
            fetched={rankings}
            show={({ data }) => <Places data={data} pages={pages} category={category} />}
          />
        </Section>
      )}
    </DataPage>
  );
}

/** Named by their ids, which are unique. */
function modelsOf(rankings: Fetched<Rankings> | undefined) {
  return (rankings?.data?.rankings ?? []).map(({ model_id: id }) => ({ id, name: id }));
}

interface PlacesProps {
  readonly data: Rankings;
  readonly pages: OrganizationPages;
  readonly category: string | undefined;
}

function Places({ data, pages, category }: PlacesProps): JSX.Element {
  const { rankings, total, ranked_at: rankedAt, method, next_cursor: next } = data;
  return (
    <>
      <p class="hint">
        {`${formatNumber(total)} models${method === null ? '' : `, by ${method}`}, as of ${rankedAt ?? 'no capture yet'}`}
      </p>
      <Table
        caption="Ranking"
        columns={[
          ['Rank', 'number'],
          ['Model', 'head'],
          ['Skill', 'number'],
          ['Uncertainty', 'number'],
        ]}
        rows={rankings.map(({ rank, model_id: id, trueskill_mu: skill, trueskill_sigma: uncertainty }) => [
          formatNumber(rank),
          <a href={modelPath(pages, id)}>{id}</a>,
          numberOrNone(skill),
          numberOrNone(uncertainty),
        ])}
        empty="No model is ranked."
      />
      {next !== null && (
        <PageLinks
          label="More places"
          after={{ href: withQuery(`${pages.path}/data/rankings`, { category, cursor: next }), text: 'Next places' }}
        />
      )}
    </>
  );
}
