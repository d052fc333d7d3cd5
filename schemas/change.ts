import { z } from 'zod';
import { ENTITY_TYPES } from './datasets.ts';

/** One numbered event of the change feed (SPEC "Change event"); `data` is the full record of an upsert. */
export const ChangeSchema = z.strictObject({
  seq: z.number().int().positive().describe('Rises by one from event to event, over the whole feed'),
  occurred_on: z.iso.date().describe('UTC day on which the change was published'),
  entity_type: z.enum(ENTITY_TYPES).describe('What kind of record changed'),
  entity_id: z.string().describe('Stable id of the record; the parts of a composite one are joined with a colon'),
  op: z.enum(['upsert', 'delete']).describe('The first upsert of an entity_id creates it'),
  data: z.record(z.string(), z.unknown()).nullable().describe('The full record of an upsert; null for a delete'),
  schema_version: z.string().describe('Of the record in data, major.minor'),
});
export type Change = z.infer<typeof ChangeSchema>;
