import { z } from 'zod';
import { ENTITY_TYPES } from './datasets.ts';

/** One numbered event of the change feed (specification "Change events"); `data` is the full record of an upsert. */
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

/**
 * The feed's cursor for everything after `seq`: base64url, without padding, of the decimal number (specification "Cursors").
 */
export function cursorFromSeq(seq: number): string {
  return Buffer.from(String(seq), 'utf8').toString('base64url');
}

/** The seq inside a cursor; undefined where the text is not exactly what {@link cursorFromSeq} gives. */
export function seqFromCursor(cursor: string): number | undefined {
  const digits = Buffer.from(cursor, 'base64url').toString('utf8');
  const seq = Number(digits);
  return Number.isSafeInteger(seq) && seq >= 0 && cursorFromSeq(seq) === cursor ? seq : undefined;
}

/**
 * The stable id of a record in the change feed: the parts of its key joined by `:`, a `:` or `%` inside a part
 * percent-encoded, so that ids never collide and always split (specification "Ids").
 */
export function entityIdFromKey(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll(':', '%3A')).join(':');
}

/** The key's parts of an entity id. */
export function keyFromEntityId(entityId: string): readonly string[] {
  return entityId.split(':').map((part) => part.replaceAll('%3A', ':').replaceAll('%25', '%'));
}
