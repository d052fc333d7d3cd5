import { z } from 'zod';
import { ENTITY_TYPES } from './datasets.ts';

/** One numbered event of the change feed (SPEC "Change event"); `data` is the full record of an upsert. */
export const ChangeSchema = z.strictObject({
  seq: z.number().int().positive(),
  occurred_on: z.iso.date(),
  entity_type: z.enum(ENTITY_TYPES),
  entity_id: z.string(),
  op: z.enum(['upsert', 'delete']),
  data: z.record(z.string(), z.unknown()).nullable(),
  schema_version: z.string(),
});
export type Change = z.infer<typeof ChangeSchema>;
