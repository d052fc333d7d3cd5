import { z } from 'zod';
import { dayNumber } from '../../../runtime/day.ts';
import { notFound } from '../../server/errors/http-error.ts';
import { LIFECYCLE_EVENTS } from '../../view/schema.ts';
import type { View } from '../../view/view.ts';
import { type Condition, where } from '../queries/conditions.ts';
import { MODEL_KEY } from '../queries/list-page.ts';
import { all, contentOf } from '../responses/dependencies.ts';
import { listRoute } from '../responses/list-route.ts';
import { day, id, idsOf, integer, oneOf } from '../responses/parameters.ts';
import { ModelSchema } from '../responses/records.ts';

/** Ids in one request. */
const MODELS_MAX = 50;

/** Ten years. */
export const LIFECYCLE_DAYS_MAX = 3650;

/** Also of the feeds. */
export const LIFECYCLE_MODELS = idsOf('model', {
  max: MODELS_MAX,
  description: `Only these models, at most ${MODELS_MAX} ids separated by commas; without \`from\` their past dates too`,
  example: 'gpt-5.4-mini',
}).optional();

const LifecycleFiltersSchema = z.object({
  days: integer({
    min: 1,
    max: LIFECYCLE_DAYS_MAX,
    fallback: 365,
    description: "Dates up to so many days after `from`, or after the release's day",
  }),
  from: day({
    description: "First date; default: the release's day, or with `model` the first of all",
    example: '2026-01-01',
  }).optional(),
  model: LIFECYCLE_MODELS,
  organization: id('Maker of the model', 'openai').optional(),
  event: oneOf(LIFECYCLE_EVENTS, { description: 'Only this event', example: 'retirement' }).optional(),
});
type LifecycleFilters = z.infer<typeof LifecycleFiltersSchema>;

const { name, organization, status, replaced_by, source, updated_at } = ModelSchema.shape;

const LifecycleEntrySchema = z
  .looseObject({
    model_id: z.string().describe('The model'),
    name,
    organization,
    event: z.enum(LIFECYCLE_EVENTS).describe('What happens to it'),
    date: z.iso.date().nullable().describe('Day of the event, past or planned; null: not known'),
    status: status.unwrap(),
    replaced_by: replaced_by.unwrap(),
    source: source.unwrap(),
    known_since: z.iso
      .date()
      .nullable()
      .describe('First captured day since which the records say the same of it; null: not known'),
    updated_at,
  })
  .meta({ id: 'LifecycleEntry', description: 'One entry per model and event' });

export const lifecycleRoute = listRoute({
  path: '/v1/lifecycle',
  operationId: 'listLifecycle',
  capability: 'lifecycle',
  limitPerMinute: 60,
  summary: 'Deprecations and retirements of models',
  description:
    'By date, then id. A model that is called deprecated or retired without a day of retirement has a retirement whose date is null; those come last, of retired models only with `model` or `from`.',
  filters: LifecycleFiltersSchema,
  limit: { max: 500, fallback: 100 },
  bodyName: 'Lifecycle',
  records: {
    name: 'lifecycle',
    schema: z.array(LifecycleEntrySchema).describe('One page, by date, then id; without a date last'),
  },
  example: {
    lifecycle: [
      {
        model_id: 'gpt-5.4-mini',
        name: 'GPT-5.4 mini',
        organization: 'openai',
        event: 'retirement',
        date: '2027-03-17',
        status: 'deprecated',
        replaced_by: 'gpt-5.5-mini',
        source: 'models-dev',
        known_since: '2026-06-10',
        updated_at: '2026-06-10T20:55:45Z',
      },
    ],
    total: 1,
    next_cursor: null,
  },
  dependsOnText: "the models, and without `from` the release's day",
  dependsOn: ({ from }, { view }) => {
    const models = contentOf(view, ['models']);
    const { day: on, published_at } = view.newest;
    return from === undefined ? all(models, { on, changedAt: new Date(published_at) }) : models;
  },
  assertExists: async ({ model = [] }, { view }) => assertModels(view, model),
  list: (filters, { view }) => {
    assertModels(view, filters.model ?? []);
    const { days, from = null, model = null, organization: maker = null, event = null } = filters;
    return {
      table: 'lifecycle',
      conditions: conditionsFrom(filters, view),
      sort: {
        sql: 'date',
        type: 'day',
        isDescending: false,
        isNullable: true,
        scope: { column: 'date', type: 'DATE' },
      },
      key: [MODEL_KEY, { kind: 'event', field: 'event' }],
      // Not the release's day: a cursor must still work after the next release.
      cursorScope: JSON.stringify([days, from, model, maker, event]),
    };
  },
});

/** Those without a date match any window. */
function conditionsFrom(filters: LifecycleFilters, view: View): readonly Condition[] {
  const { from, days, model } = filters;
  const start = dayNumber(from ?? view.newest.day);
  const isAhead = from === undefined && model === undefined;
  return [
    ...where('date <= ? OR date IS NULL', start + days),
    ...(isAhead || from !== undefined ? where('date >= ? OR date IS NULL', start) : []),
    ...(isAhead ? [{ sql: `date IS NOT NULL OR status IS NOT 'retired'`, values: [] }] : []),
    ...where(
      `model IN (SELECT number FROM ids WHERE kind = 'model' AND id IN (SELECT value FROM json_each(?)))`,
      model && JSON.stringify(model),
    ),
    ...where('organization = ?', filters.organization),
    ...where('event = ?', filters.event),
  ];
}

/** Throws `not_found` for an id that was never captured, so that no typing error passes for a model without dates. */
function assertModels(view: View, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const known = view.rows<{ readonly id: string }>(
    `SELECT id FROM ids WHERE kind = 'model' AND is_known AND id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(ids)],
  );
  const unknown = ids.find((each) => known.every((row) => row.id !== each));
  if (unknown !== undefined) throw notFound('model', `There is no model with the id ${unknown}`);
}
