/**
 * The bodies of both histories: a shape for each kind, so that a program that knows the kind knows what a point holds.
 * No field is of the type null alone: openapi-fetch would leave it out (decision 0086).
 */
import { z } from 'zod';
import { columnSchema } from '../../../../schemas/records.ts';
import { HISTORY_SOURCES, type HistoryKind } from '../../../view/tables/history-kinds.ts';

const HistoryWindowSchema = z
  .object({
    from: z.iso.date().describe('First day that was served'),
    to: z.iso.date().describe('Last day that was served'),
    plan_limit_from: z.iso.date().nullable().describe('Oldest day that the plan may query; null: unlimited'),
    available_from: z.iso.date().nullable().describe('First day with data of this kind; null: none yet'),
  })
  .meta({ id: 'HistoryWindow', description: 'Which days were served' });

const DATE = z.iso.date().describe('UTC day');
const ORIGIN = z
  .enum(['capture', 'backfill'])
  .meta({ id: 'PointSource', description: 'How a value is known; backfill for pricing only' })
  .nullable()
  .describe('How the value is known');
const RANK = z.int().min(1).describe('The rank, 1 is best');
const CATEGORY_ID = z.string().describe('The category that is ranked');
const NO_BENCHMARK = z.string().nullable().describe('Null: only a score has one');
const NO_CATEGORY = z.string().nullable().describe('Null: only a rank has one');

/** What a point says besides its value: the columns of its kind. Keys may be added. */
function payload(kind: HistoryKind, name: string, before: z.ZodRawShape = {}) {
  const columns = HISTORY_SOURCES[kind].payload.map((column) => [column.name, columnSchema(column)] as const);
  return z
    .looseObject({ ...before, ...Object.fromEntries(columns) })
    .meta({ id: name, description: 'What the record said besides, that day' });
}

const RankingPayloadSchema = payload('ranking', 'RankingPayload', {
  positions: z.int().min(0).describe('Models that were ranked in the category that day'),
});

/** The history of one model of one kind, whose points have these fields between `date` and `source`. */
function modelHistory<Kind extends HistoryKind, Fields extends z.ZodRawShape>(
  kind: Kind,
  name: string,
  fields: Fields,
) {
  const point = z.looseObject({ date: DATE, ...fields, source: ORIGIN }).meta({ id: `${name}Point` });
  return z
    .object({
      model_id: z.string().describe('As asked for'),
      kind: z.literal(kind).describe('As asked for'),
      points: z.array(point).describe('Ascending by date, then by series'),
      window: HistoryWindowSchema,
    })
    .meta({ id: `${name}History` });
}

/** The body of `GET /v1/models/{model_id}/history`. */
export const ModelHistorySchema = z
  .discriminatedUnion('kind', [
    modelHistory('score', 'ModelScore', {
      value: z.number().describe('The score'),
      benchmark_id: z.string().describe('The benchmark'),
      category_id: NO_CATEGORY,
      payload: payload('score', 'ScorePayload'),
    }),
    modelHistory('ranking', 'ModelRanking', {
      value: RANK,
      benchmark_id: NO_BENCHMARK,
      category_id: CATEGORY_ID,
      payload: RankingPayloadSchema,
    }),
    modelHistory('pricing', 'ModelPricing', {
      value: z.number().nullable().describe('Price of a million input tokens'),
      benchmark_id: NO_BENCHMARK,
      category_id: NO_CATEGORY,
      payload: payload('pricing', 'PricingPayload'),
    }),
    modelHistory('metadata', 'ModelMetadata', {
      value: z.number().nullable().describe('Null: a record has no one value'),
      benchmark_id: NO_BENCHMARK,
      category_id: NO_CATEGORY,
      payload: payload('metadata', 'MetadataPayload'),
    }),
  ])
  .meta({ id: 'ModelHistory', description: 'By kind' });

const RankingPointSchema = z
  .looseObject({
    date: DATE,
    value: RANK,
    model_id: z.string().describe('Who held the position'),
    category_id: CATEGORY_ID,
    payload: RankingPayloadSchema,
    source: ORIGIN,
  })
  .meta({ id: 'RankingPoint' });

/** The body of `GET /v1/rankings/history`. */
export const RankingsHistorySchema = z
  .object({
    category_id: z.string().describe('As asked for'),
    kind: z.literal('ranking').describe('Always ranking'),
    points: z.array(RankingPointSchema).describe('Ascending by date, then by rank'),
    window: HistoryWindowSchema,
  })
  .meta({ id: 'RankingsHistory' });
