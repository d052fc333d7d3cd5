/** Feeds of recent changes in sentences (specification "Feeds"; decision 0082). */
import { z } from 'zod';
import { idOf } from '../../data/responses/parameters.ts';
import { notFound } from '../../server/errors/http-error.ts';
import { type PublicContext, type PublicRoute, type PublicRouteDefinition, publicRoute } from '../public-route.ts';
import { entriesFrom, pathPart } from './entries.ts';
import { FEED_FORMATS, FEED_TYPES, type FeedContent, type FeedFormat, feedOf, WRITE_FEED } from './feed.ts';
import {
  hasCategory,
  hasModel,
  loadAllNews,
  loadFirstDays,
  loadModelNews,
  loadNewsOf,
  loadRankingNews,
} from './night-news.ts';
import { WRITERS, writersOf } from './topics.ts';
import { nameInText } from './words.ts';

/** Suffixes of operation ids. */
const OPERATION_ENDS: Readonly<Record<FeedFormat, string>> = { atom: '', json: 'Json' };

const changes = feedRoutes({
  path: '/feeds/changes',
  operationId: 'getChangesFeed',
  summary: 'All changes of the last 30 days, as a feed',
  loadContent: async (_, { view }) => {
    const [news, firstDays] = await Promise.all([loadAllNews(view), loadFirstDays(view)]);
    return {
      title: 'modelstats: changes',
      subtitle: 'New models, prices, and moves at the top of each ranking',
      path: 'feeds/changes',
      page: '',
      tagPath: '',
      entries: entriesFrom(news, writersOf(firstDays)),
    };
  },
});

const models = feedRoutes({
  path: '/feeds/models',
  operationId: 'getModelsFeed',
  summary: 'New and removed models, as a feed',
  loadContent: async (_, { view }) => ({
    title: 'modelstats: models',
    subtitle: 'New and removed models',
    path: 'feeds/models',
    page: '',
    tagPath: '',
    entries: entriesFrom(await loadModelNews(view), WRITERS),
  }),
});

const model = feedRoutes({
  path: '/feeds/models/:id',
  operationId: 'getModelFeed',
  summary: 'Changes of a model, as a feed',
  params: z.object({ id: idOf('model', 'The model', 'gpt-5.4-mini') }),
  loadContent: async ({ params: { id: modelId } }, { view }) => {
    const news = await loadNewsOf(view, modelId);
    if (news.length === 0 && !(await hasModel(view, modelId))) throw notFound('id', 'There is no such model');
    return {
      title: `modelstats: ${nameInText(modelId)}`,
      subtitle: `Prices, ranks and scores of ${nameInText(modelId)}`,
      path: `feeds/models/${pathPart(modelId)}`,
      page: `embed/models/${pathPart(modelId)}`,
      tagPath: `models/${pathPart(modelId)}/`,
      entries: entriesFrom(news, WRITERS),
    };
  },
});

const ranking = feedRoutes({
  path: '/feeds/rankings/:category',
  operationId: 'getRankingFeed',
  summary: 'Moves in a ranking, as a feed',
  params: z.object({ category: idOf('category', 'The category', 'text') }),
  loadContent: async ({ params: { category } }, { view }) => {
    const [news, firstDays] = await Promise.all([loadRankingNews(view, category), loadFirstDays(view)]);
    if (news.length === 0 && !(await hasCategory(view, category))) {
      throw notFound('category', 'There is no such category');
    }
    const writers = { ...WRITERS, ranks: writersOf(firstDays).ranks };
    return {
      title: `modelstats: ranking ${nameInText(category)}`,
      subtitle: `Moves at the top of ${nameInText(category)}`,
      path: `feeds/rankings/${pathPart(category)}`,
      page: `embed/rankings/${pathPart(category)}`,
      tagPath: `rankings/${pathPart(category)}/`,
      entries: entriesFrom(news, writers),
    };
  },
});

export const FEED_ROUTES: readonly PublicRoute[] = [...changes, ...models, ...model, ...ranking];

interface FeedDefinition<Params, Query>
  extends Pick<PublicRouteDefinition<Params, Query>, 'params' | 'query' | 'capability'> {
  /** For the OpenAPI document, without the format. */
  readonly operationId: string;
  readonly summary: string;
  /** Without the format. */
  readonly path: `/feeds/${string}`;
  /** Rejects with `not_found` for an unknown subject. */
  readonly loadContent: (
    request: { readonly params: Params; readonly query: Query },
    context: PublicContext,
  ) => Promise<FeedContent>;
}

/** One route per format. */
export function feedRoutes<P, Q>({
  path,
  operationId,
  summary,
  loadContent,
  ...parameters
}: FeedDefinition<P, Q>): readonly PublicRoute[] {
  return FEED_FORMATS.map((format) =>
    publicRoute<P, Q>({
      ...parameters,
      path: `${path}.${format}`,
      operation: { operationId: operationId + OPERATION_ENDS[format], summary },
      type: FEED_TYPES[format],
      response: async (request, context) => {
        const { view, baseUrl } = context;
        return WRITE_FEED[format](
          feedOf(await loadContent(request, context), { releases: view.meta.catalog.releases, baseUrl }),
        );
      },
    }),
  );
}
