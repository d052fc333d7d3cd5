import { z } from 'zod';
import { DATASETS, type Dataset, type DatasetName, ENTITY_TYPES, ID_LENGTH_MAX } from './datasets.ts';

/** A night's deletes: children before parents, and all before its upserts (specification "Order of events"). */
export const DELETE_ORDER: readonly DatasetName[] = ['pricing', 'rankings', 'scores', 'models'];
/** Parents before children. */
export const UPSERT_ORDER: readonly DatasetName[] = ['models', 'scores', 'rankings', 'pricing'];

/** Key parts by name, in wire order: a shape per dataset of the feed (specification "Ids"). */
export const EventKeySchema = z.union([
  eventKeySchema(DATASETS.models),
  eventKeySchema(DATASETS.scores),
  eventKeySchema(DATASETS.rankings),
  eventKeySchema(DATASETS.pricing),
]);

/** One numbered event of the change feed (specification "Change events"). */
export const ChangeSchema = z.strictObject({
  seq: z.number().int().positive().describe('Increases by one with every event of the feed'),
  occurred_on: z.iso.date().describe('UTC day on which the change was published'),
  entity_type: z.enum(ENTITY_TYPES).describe('Kind of record that changed'),
  entity_id: z
    .string()
    .describe('Stable id of the record; the parts of a composite key are joined with colons, unescaped'),
  key: EventKeySchema.describe('The parts of entity_id by field name; one object shape per entity_type'),
  op: z.enum(['upsert', 'delete']).describe('The first upsert of an entity_id creates it'),
  data: z.record(z.string(), z.unknown()).nullable().describe('The full record of an upsert; null for a delete'),
  schema_version: z.string().describe('Of the record in data, major.minor'),
});
export type Change = z.infer<typeof ChangeSchema>;

/**
 * The cursor for everything after `seq`: base64url, without padding, of the decimal number (specification "Cursors").
 */
export function cursorFromSeq(seq: number): string {
  return Buffer.from(String(seq), 'utf8').toString('base64url');
}

/** Undefined for text that {@link cursorFromSeq} doesn't produce. */
export function seqFromCursor(cursor: string): number | undefined {
  const digits = Buffer.from(cursor, 'base64url').toString('utf8');
  const seq = Number(digits);
  return Number.isSafeInteger(seq) && seq >= 0 && cursorFromSeq(seq) === cursor ? seq : undefined;
}

/**
 * A record's stable id in the feed: its key parts joined by `:`, unescaped (specification "Ids"; decision 0038). It
 * can't be split where a part contains `:`; the event's `key` has the parts.
 */
export function entityIdFromKey(parts: readonly string[]): string {
  return parts.join(':');
}

export function eventKeySchema({ key, columns }: Dataset) {
  const describe = (part: string) => columns.find(({ name }) => name === part)?.description ?? part;
  return z.strictObject(Object.fromEntries(key.map((part) => [part, z.string().describe(describe(part))])));
}

/** What is wrong with an id, or another part of a key (specification "Ids"); undefined where it is valid. */
export function findIdProblem(id: string): string | undefined {
  if (id.trim() === '') return 'is empty';
  if ([...id].length > ID_LENGTH_MAX) return `is longer than ${ID_LENGTH_MAX} characters`;
  if ([...id].some((character) => character < ' ' || character === '\x7f')) return 'has control characters';
  return id.trim() === id ? undefined : 'has white space around it';
}
