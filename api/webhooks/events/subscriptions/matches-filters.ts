import type { Filters } from '../../endpoints/filters.ts';
import type { TopicEvent } from '../changes/topic-event.ts';

/** Tells whether an endpoint wants an event of one of its topics. */
export type Matcher = (event: TopicEvent) => boolean;

/**
 * What an endpoint's filters let pass (specification "Filters"): all that concern the event's topic must. The lists are made
 * ready once, for there may be a million events.
 */
export function matcherFromFilters(filters: Filters): Matcher {
  const models = passesOf(filters.models);
  const benchmarks = passesOf(filters.benchmarks);
  const categories = passesOf(filters.categories);
  const providers = passesOf(filters.providers);
  const { min_price_change_percent: minPercent = 0, max_rank: maxRank = Number.POSITIVE_INFINITY } = filters;
  return (event) => {
    switch (event.topic) {
      case 'model.created':
        return models(event.data.model_id);
      case 'score.updated':
        return models(event.data.model_id) && benchmarks(event.data.benchmark_id);
      case 'pricing.updated':
        return (
          models(event.data.model_id) && providers(event.data.provider) && event.largestChangePercent >= minPercent
        );
      case 'ranking.updated':
        return (
          categories(event.data.category_id) &&
          (filters.models === undefined || event.models.some(models)) &&
          event.bestRank <= maxRank
        );
      case 'snapshot.published':
        return true;
    }
  };
}

/** True for an id of the list, or for any where there is none. */
function passesOf(ids: readonly string[] | undefined): (id: string) => boolean {
  if (ids === undefined) return () => true;
  const wanted = new Set(ids);
  return (id) => wanted.has(id);
}
