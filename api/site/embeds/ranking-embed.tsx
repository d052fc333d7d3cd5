import type { JSX } from 'preact';
import { z } from 'zod';
import { formatCount, formatDay } from '../../charts/format.ts';
import { assertKnown } from '../../data/queries/conditions.ts';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { modelRoute } from '../../data/routes/models.ts';
import { rankingsRoute } from '../../data/routes/rankings.ts';
import { rankingsHistoryRoute } from '../../data/routes/rankings-history.ts';
import { HttpError } from '../../server/errors/http-error.ts';
import { type RankedModel, withDistinctNames } from '../model.ts';
import type { PublicContext } from '../public-route.ts';
import { ExternalLink, embedOf, THEME } from './embed.tsx';
import { fetchHistory } from './frame.ts';

/** Listed places. */
const PLACES = 10;

type Rankings = BodyOf<typeof rankingsRoute>;

/** `GET /embed/rankings/{category}`: the leaders, and the history of their ranks. */
export const rankingEmbed = embedOf({
  folder: 'rankings',
  query: z.object(THEME),
  heights: { wide: 690, narrow: 900, withoutChart: 390 },
  titleOf: async (category, context) => {
    await findRankings(category, context);
    return titleOf(category);
  },
  draw: async ({ id: category }, context) => {
    // Loaded with the first embed, as are the packages that draw charts.
    const { FIRST_PLACES_DEPTH, RankChart, rankSeriesOfCategory, SERIES_MAX } = await import(
      '../../charts/history-chart.tsx'
    );
    const { rankings, total, ranked_at: rankedAt } = await findRankings(category, context);
    const models = withDistinctNames(await Promise.all(rankings.map((place) => withName(place, context))));
    const args = { query: { category_id: category, top: String(FIRST_PLACES_DEPTH) } };
    const history = models.length === 0 ? undefined : await fetchHistory(rankingsHistoryRoute, args, context);
    return (
      <>
        <h1 dir="auto" title={titleOf(category)}>
          {titleOf(category)}
        </h1>
        <p class="by">
          {[formatCount(total, 'model'), ...(rankedAt === null ? [] : [formatDay(rankedAt.slice(0, 10))])].join(', ')}
        </p>
        <Places models={models} base={context.baseUrl} />
        {history !== undefined && (
          <RankChart
            id="history"
            title={models.length > SERIES_MAX ? `Rank history of the first ${SERIES_MAX}` : 'Rank history'}
            series={rankSeriesOfCategory(history.points, models)}
            from={history.from}
            to={history.to}
          />
        )}
      </>
    );
  },
});

function titleOf(category: string): string {
  return `Best models: ${category}`;
}

/** Rejects with `not_found` if the category never had a ranking. */
async function findRankings(category: string, { fetchRoute, view }: PublicContext): Promise<Rankings> {
  const found = await fetchRoute(rankingsRoute, { query: { category, limit: String(PLACES) } });
  if (found.total === 0) await assertKnown(view, 'category', { id: category, param: 'id' });
  return found;
}

/** A ranking has only ids. */
async function withName(place: Rankings['rankings'][number], { fetchRoute }: PublicContext): Promise<RankedModel> {
  const { model_id: id, rank } = place;
  try {
    const { name } = await fetchRoute(modelRoute, { params: { id } });
    return { id, rank, name };
  } catch (error) {
    if (!(error instanceof HttpError && error.status === 404)) throw error;
    return { id, rank, name: id }; // Removed by a release between the two responses.
  }
}

interface PlacesProps {
  readonly models: readonly RankedModel[];
  /** `scheme://host/prefix` */
  readonly base: string;
}

function Places({ models, base }: PlacesProps): JSX.Element {
  if (models.length === 0) return <p class="note">No model is ranked in it now.</p>;
  return (
    <ol class="places">
      {models.map(({ id, name, rank }) => (
        <li value={rank}>
          <span dir="auto" title={name}>
            <ExternalLink href={`${base}/embed/models/${encodeURIComponent(id)}`} text={name} />
          </span>
        </li>
      ))}
    </ol>
  );
}
