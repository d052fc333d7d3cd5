/** Dates of deprecation and retirement as feeds and as a calendar, of all models or of some (specification "Feeds"). */
import { z } from 'zod';
import { addDays } from '../../../runtime/day.ts';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { LIFECYCLE_DAYS_MAX, LIFECYCLE_MODELS, lifecycleRoute } from '../../data/routes/lifecycle.ts';
import { type PublicContext, type PublicRoute, publicRoute } from '../public-route.ts';
import { CALENDAR_TYPE, type CalendarEvent, calendarText } from './calendar.ts';
import { type Entry, pathPart } from './entries.ts';
import { feedRoutes } from './feed-routes.ts';
import { modelPhrase, nameInText } from './words.ts';

type LifecycleEntry = BodyOf<typeof lifecycleRoute>['lifecycle'][number];
type Models = z.output<typeof LIFECYCLE_MODELS>;

/** Entries of one feed or calendar, nearest date first; real days have less than a hundred. */
const DATES_MAX = 500;

/** Days that stay in a calendar of all models. */
const PAST_DAYS = 30;

const TOPICS = { deprecation: 'deprecations', retirement: 'retirements' } as const;
const WORDS = { deprecation: 'Deprecation', retirement: 'Retirement' } as const;

const QUERY = z.object({ model: LIFECYCLE_MODELS });

const FEEDS = feedRoutes({
  path: '/feeds/lifecycle',
  operationId: 'getLifecycleFeed',
  capability: 'lifecycle',
  summary: 'Deprecations and retirements ahead, as a feed',
  query: QUERY,
  loadContent: async ({ query: { model } }, context) => {
    const entries = await loadEntries(context, { model });
    return {
      title: titleOf(model),
      subtitle: SUBTITLE,
      path: 'feeds/lifecycle',
      query: model === undefined ? '' : `?${new URLSearchParams({ model: model.join(',') })}`,
      page: '',
      tagPath: 'lifecycle/',
      entries: entries.map(feedEntry).sort((a, b) => (a.day > b.day ? -1 : Number(a.day < b.day))),
    };
  },
});

const CALENDAR = publicRoute({
  path: '/feeds/lifecycle.ics',
  type: CALENDAR_TYPE,
  capability: 'lifecycle',
  operation: { operationId: 'getLifecycleCalendar', summary: 'Deprecations and retirements, as a calendar' },
  query: QUERY,
  response: async ({ query: { model } }, context) => {
    const { view, baseUrl } = context;
    const from = model === undefined ? addDays(view.newest.day, -PAST_DAYS) : undefined;
    const entries = await loadEntries(context, { model, from });
    return calendarText({
      name: titleOf(model),
      description: SUBTITLE,
      events: entries.flatMap((entry) => calendarEvents(entry, baseUrl)),
    });
  },
});

export const LIFECYCLE_FEEDS: readonly PublicRoute[] = [...FEEDS, CALENDAR];

const SUBTITLE = 'Days from which makers advise against models, or no longer serve them';

function titleOf(models: Models): string {
  return models?.length === 1 ? `modelstats: dates of ${nameInText(models[0] ?? '')}` : 'modelstats: dates of models';
}

async function loadEntries(
  { fetchRoute }: PublicContext,
  { model, from }: { readonly model: Models; readonly from?: string | undefined },
): Promise<readonly LifecycleEntry[]> {
  const query = { model: model?.join(','), from, days: String(LIFECYCLE_DAYS_MAX), limit: String(DATES_MAX) };
  return (await fetchRoute(lifecycleRoute, { query })).lifecycle;
}

function feedEntry(entry: LifecycleEntry): Entry {
  const { model_id: id, event, date, known_since: since, updated_at: updatedAt } = entry;
  const when = date === null ? ', day not known' : ` on ${date}`;
  return {
    day: since ?? updatedAt.slice(0, 'YYYY-MM-DD'.length),
    topic: TOPICS[event],
    // A day that moves is news.
    seq: `${pathPart(id)}/${date ?? 'unknown'}`,
    title: `${WORDS[event]}${when}: ${phraseOf(entry)}`,
    text: textOf(entry),
    page: `embed/models/${pathPart(id)}`,
  };
}

/** None without a date. */
function calendarEvents(entry: LifecycleEntry, baseUrl: string): readonly CalendarEvent[] {
  const { model_id: id, event, date, updated_at: updatedAt } = entry;
  if (date === null) return [];
  return [
    {
      uid: `${event}/${pathPart(id)}@${new URL(baseUrl).hostname}`,
      day: date,
      changedAt: new Date(updatedAt),
      title: `${WORDS[event]}: ${phraseOf(entry)}`,
      text: textOf(entry),
      category: WORDS[event],
      url: `${baseUrl}/embed/models/${pathPart(id)}`,
    },
  ];
}

function phraseOf({ model_id: id, name, organization }: LifecycleEntry): string {
  const by = organization === null ? '' : ` by ${nameInText(organization)}`;
  return `${modelPhrase(id, { name, organization })}${by}`;
}

/** One line per fact. */
function textOf(entry: LifecycleEntry): string {
  const { status, replaced_by: successor, source } = entry;
  return [
    whatHappens(entry),
    ...(status === null ? [] : [`Status: ${nameInText(status)}`]),
    ...(successor === null ? [] : [`Successor: ${nameInText(successor)}`]),
    ...(source === null ? [] : [`Source: ${nameInText(source)}`]),
  ].join('\n');
}

function whatHappens({ event, date }: LifecycleEntry): string {
  if (date === null) return 'It is deprecated or retired; the day of its retirement is not known';
  return event === 'retirement'
    ? `Its maker no longer serves it from ${date} on`
    : `Its maker advises against it from ${date} on`;
}
