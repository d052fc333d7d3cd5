/**
 * A schema for each entity type and op, so that clients can narrow `key` and `data`. No field has the type null alone:
 * openapi-fetch would omit it (decision 0086).
 */
import { z } from 'zod';
import { ChangeSchema, cursorFromSeq, eventKeySchema, seqFromCursor } from '../../../schemas/change.ts';
import { DATASETS, type Dataset, ENTITY_TYPES, type EntityType } from '../../../schemas/datasets.ts';
import { retainedFrom } from '../../../schemas/retention.ts';
import { queryProblem, type RequestProblem } from '../../server/errors/http-error.ts';
import { readFeed } from '../../view/feed.ts';
import type { View } from '../../view/view.ts';
import { firstRetainedSeq } from '../../view/view-meta.ts';
import { ApiError } from '../api-errors.ts';
import { dataRoute, jsonFrame } from '../responses/data-route.ts';
import { all, releaseOf, value } from '../responses/dependencies.ts';
import { freeText, integer, oneOf } from '../responses/parameters.ts';
import { EXAMPLE_RANKINGS, ModelSchema, PriceSchema, RankingSchema, ScoreSchema } from '../responses/records.ts';

interface Entity {
  readonly type: EntityType;
  /** The records' name in the OpenAPI document. */
  readonly name: string;
  readonly dataset: Dataset;
  readonly record: z.ZodObject;
}

const { entity_type: ENTITY_TYPE, op: OP } = ChangeSchema.shape;

function eventSchemas({ type, name, dataset, record }: Entity) {
  const shape = {
    ...ChangeSchema.shape,
    entity_type: z.literal(type).describe(descriptionOf(ENTITY_TYPE)),
    key: eventKeySchema(dataset).meta({
      id: `${name}Key`,
      description: 'The parts of entity_id under their names in the record',
    }),
  };
  const upsert = { ...shape, op: z.literal('upsert').describe(descriptionOf(OP)), data: record };
  const gone = {
    ...shape,
    op: z.literal('delete').describe(descriptionOf(OP)),
    data: record.nullable().describe('Null: the record was deleted'),
  };
  return [
    z.looseObject(upsert).meta({ id: `${name}Upsert` }),
    z.looseObject(gone).meta({ id: `${name}Delete` }),
  ] as const;
}

function descriptionOf({ description = '' }: z.ZodType): string {
  return description;
}

/** One numbered event (specification "Change events"). */
const ChangeEventSchema = z
  .xor([
    ...eventSchemas({ type: 'model', name: 'Model', dataset: DATASETS.models, record: ModelSchema }),
    ...eventSchemas({ type: 'score', name: 'Score', dataset: DATASETS.scores, record: ScoreSchema }),
    ...eventSchemas({ type: 'ranking', name: 'Ranking', dataset: DATASETS.rankings, record: RankingSchema }),
    ...eventSchemas({ type: 'pricing', name: 'Price', dataset: DATASETS.pricing, record: PriceSchema }),
  ])
  .meta({ id: 'ChangeEvent', description: 'By entity_type and op' });

/** Events that a filtered page scans. Smaller: more empty pages for rare types; larger: one request reads longer. */
const SCANNED_MAX = 100_000;

interface Effective {
  /** The last event that the caller has; 0: the page begins with the first retained event. */
  readonly after: number;
  readonly limit: number;
  readonly entityType: EntityType | undefined;
}

/** `GET /v1/changes` (specification "Change feed"). */
export const changesRoute = dataRoute({
  path: '/v1/changes',
  operationId: 'listChanges',
  capability: 'changes',
  feature: 'incremental',
  limitPerMinute: 60,
  summary: 'The change feed: every upsert and delete since a cursor',
  description:
    'Apply a page, store next_cursor, continue while has_more is true. A filtered page may be empty even if has_more is true.',
  query: z.object({
    cursor: freeText({
      max: 40,
      description: 'A change_cursor of a snapshot or a next_cursor; default: from retained_from on',
      example: 'NDYwMDA',
    }).optional(),
    limit: integer({ min: 1, max: 1000, fallback: 1000, description: 'Events per page' }),
    entity_type: oneOf(ENTITY_TYPES, {
      description: 'Only events of this type; cursors stay the same',
      example: 'pricing',
    }).optional(),
  }),
  response: z
    .object({
      events: z.array(ChangeEventSchema).describe('Ascending by seq'),
      next_cursor: z.string().describe('Cursor of the next page; store it once this page is applied'),
      has_more: z.boolean().describe('True: fetch the next page at once'),
      retained_from: z.iso.date().describe('The earliest day still in the feed'),
      published_through: z.iso.date().describe('The newest published day, with or without changes'),
    })
    .meta({ id: 'Changes' }),
  example: {
    events: [
      {
        seq: 46_001,
        occurred_on: '2026-06-29',
        entity_type: 'ranking',
        entity_id: 'claude-opus-4-6-thinking:text',
        key: { model_id: 'claude-opus-4-6-thinking', category: 'text' },
        op: 'upsert',
        data: EXAMPLE_RANKINGS[1],
        schema_version: '1.0',
      },
      {
        seq: 46_002,
        occurred_on: '2026-06-29',
        entity_type: 'pricing',
        entity_id: 'gpt-5.4-mini:freemodel',
        key: { model_id: 'gpt-5.4-mini', provider: 'freemodel' },
        op: 'delete',
        data: null,
        schema_version: '1.0',
      },
    ],
    next_cursor: 'NDYwMDI',
    has_more: true,
    retained_from: '2025-06-04',
    published_through: '2026-06-29',
  },
  dependsOnText: 'the newest release, and how far the feed reaches back',
  errors: ['cursor_expired'],
  cacheControl: 'private, max-age=60',
  check: ({ values, wrong }, { view }) => (wrong.has('cursor') ? [] : findFeedCursorProblems(values.cursor, view)),
  prepare: ({ query }, { view }): Effective => ({
    after: seqBefore(query.cursor, view),
    limit: query.limit,
    entityType: query.entity_type,
  }),
  handle: ({ after, limit, entityType }) => ({
    // The newest release's hash covers all earlier events; `published_through` is its day.
    dependsOn: ({ view }) => {
      const { catalog } = view.meta;
      return all(releaseOf(view), value([retainedFrom(catalog), firstRetainedSeq(catalog)]));
    },
    large: async ({ view }) => {
      const { pieces, lastSeq } = readFeed(view, { after, limit, entityType, scannedMax: SCANNED_MAX });
      const { head, tail } = jsonFrame({}, 'events', {
        next_cursor: JSON.stringify(cursorFromSeq(lastSeq)),
        has_more: String(lastSeq < view.newest.last_seq),
        retained_from: JSON.stringify(retainedFrom(view.meta.catalog)),
        published_through: JSON.stringify(view.newest.day),
      });
      return [Buffer.from(head), ...pieces, Buffer.from(tail)];
    },
  }),
});

function findFeedCursorProblems(cursor: string | undefined, { newest }: View): readonly RequestProblem[] {
  const seq = cursor === undefined ? 0 : seqFromCursor(cursor);
  if (seq === undefined) {
    return [queryProblem('cursor', cursor, { msg: 'This is not a cursor of the change feed', type: 'cursor_invalid' })];
  }
  if (seq <= newest.last_seq) return [];
  const msg = 'This cursor is ahead of the feed: it belongs to another service, or an older state was restored';
  return [queryProblem('cursor', cursor, { msg, type: 'cursor_ahead' })];
}

/** The seq of a cursor, 0 without one. Throws `cursor_expired` if the feed no longer has the next event. */
function seqBefore(cursor: string | undefined, { meta: { catalog } }: View): number {
  if (cursor === undefined) return 0;
  const seq = seqFromCursor(cursor);
  if (seq !== undefined && seq >= firstRetainedSeq(catalog) - 1) return seq;
  const from = retainedFrom(catalog);
  const message = `The feed begins on ${from}; import the latest snapshot and continue from its change_cursor`;
  throw new ApiError('cursor_expired', message, { param: 'cursor', retainedFrom: from });
}
