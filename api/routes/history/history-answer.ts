import { z } from 'zod';
import { HISTORY_KINDS } from './view/history-kinds.ts';

export const HistoryPointSchema = z
  .looseObject({
    date: z.iso.date().describe('UTC day'),
    value: z.number().nullable().describe('Score, rank or input price; null for metadata'),
    benchmark_id: z.string().nullable().optional().describe('The series of a score'),
    category_id: z.string().nullable().optional().describe('The series of a rank'),
    payload: z.record(z.string(), z.unknown()).describe('Context by kind; keys may be added'),
    source: z.enum(['capture', 'backfill']).nullable().describe('How the value is known; backfill for pricing only'),
  })
  .meta({ id: 'HistoryPoint' });

export const HistoryWindowSchema = z
  .object({
    from: z.iso.date().describe('First day that was served'),
    to: z.iso.date().describe('Last day that was served'),
    plan_limit_from: z.iso.date().nullable().describe('Oldest day that the plan may query; null: unlimited'),
    available_from: z.iso.date().nullable().describe('First day with data of this kind; null: none yet'),
  })
  .meta({ id: 'HistoryWindow' });

export const ModelHistorySchema = z
  .object({
    model_id: z.string().describe('As asked for'),
    kind: z.enum(HISTORY_KINDS).describe('As asked for'),
    points: z.array(HistoryPointSchema).describe('Ascending by date, then by series'),
    window: HistoryWindowSchema,
  })
  .meta({ id: 'ModelHistory' });

export const RankingsHistorySchema = z
  .object({
    category_id: z.string().describe('As asked for'),
    kind: z.literal('ranking').describe('Always ranking'),
    points: z
      .array(z.looseObject({ ...HistoryPointSchema.shape, model_id: z.string().describe('Who held the position') }))
      .describe('Ascending by date, then by rank'),
    window: HistoryWindowSchema,
  })
  .meta({ id: 'RankingsHistory' });
