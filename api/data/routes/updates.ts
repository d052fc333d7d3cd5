import { z } from 'zod';
import { addDays, dayNumber } from '../../../runtime/day.ts';
import type { Dependency } from '../../server/route.ts';
import type { View } from '../../view/view.ts';
import { OWN_MODEL_KEY } from '../queries/list-page.ts';
import type { SortValue } from '../queries/sort-text.ts';
import type { RequestContext } from '../responses/data-route.ts';
import { all, contentOf, sinceDay, value } from '../responses/dependencies.ts';
import { listRoute } from '../responses/list-route.ts';
import { integer } from '../responses/parameters.ts';
import { EXAMPLE_MODEL, ModelSchema } from '../responses/records.ts';

export const updatesRoute = listRoute({
  path: '/v1/updates',
  operationId: 'listUpdates',
  limitPerMinute: 30,
  summary: 'Recently added models, newest first',
  description: 'A model is added by the first night that has it; models of the very first night are not listed.',
  filters: z.object({
    days: integer({ min: 1, max: 30, fallback: 7, description: 'Number of days before today' }),
  }),
  limit: { max: 200, fallback: 50 },
  bodyName: 'Updates',
  records: {
    name: 'models',
    schema: z
      .array(
        z
          .looseObject({ ...ModelSchema.shape, added_at: z.iso.datetime().describe('First capture that has it') })
          .meta({ id: 'AddedModel' }),
      )
      .describe('Newest first'),
  },
  before: {
    schema: { days: z.int().describe('As requested') },
    values: ({ days }) => ({ days: String(days) }),
  },
  example: {
    days: 7,
    models: [{ ...EXAMPLE_MODEL, added_at: '2026-06-29T23:59:59Z' }],
    total: 43,
    next_cursor: 'MGM3ZWI1ZTdbIjIwMjYtMDYtMjkiLCJncHQtNS40LW1pbmkiXQ',
  },
  dependsOnText: 'the models, and the days within the window on which some were added',
  dependsOn: ({ days }, context) => all(contentOf(context.view, ['models']), windowOf(days, context)),
  list: ({ days }, { view, today }) => ({
    table: 'models',
    conditions: [
      {
        sql: 'added_on >= ? AND added_on > ?',
        values: [addDays(today, -days), view.capturedDays('models')[0] ?? today].map(dayNumber),
      },
    ],
    sort: {
      sql: 'added_on',
      type: 'day',
      isDescending: true,
      isNullable: true,
      scope: { column: 'added_on', type: 'DATE' },
    },
    key: [OWN_MODEL_KEY],
    // Only `days`, not the date: a cursor must still work after midnight.
    cursorScope: `days ${days}`,
    addTo: addedAtOf(view),
  }),
});

/** The days with new models within the window; changes at midnight if one leaves it. */
function windowOf(days: number, { view, today }: Pick<RequestContext, 'view' | 'today'>): Dependency {
  const from = addDays(today, -days);
  const { addedDays } = view.meta;
  const left = addedDays.findLast((day) => day < from);
  const within = addedDays.filter((day) => day >= from);
  return left === undefined ? value(within) : sinceDay(addDays(left, days + 1), within);
}

/** Adds `added_at`, the time of the capture that first had the model. */
function addedAtOf({ meta }: View): (line: string, day: SortValue | null) => string {
  const capturedAt = new Map<SortValue | null, string>(
    meta.catalog.releases.map((release) => [dayNumber(release.day), release.data_as_of]),
  );
  return (line, day) => `${line.slice(0, -1)},"added_at":${JSON.stringify(capturedAt.get(day) ?? null)}}`;
}
