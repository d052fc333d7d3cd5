import { z } from 'zod';
import { DATASETS, type Dataset, type DatasetName, ENTITY_TYPES, ID_LENGTH_MAX } from './datasets.ts';

/** The order of a night's deletes: children before parents; they come before its upserts (specification "Order of events"). */
export const DELETE_ORDER: readonly DatasetName[] = ['pricing', 'rankings', 'scores', 'models'];
/** The order of a night's upserts: parents before children. */
export const UPSERT_ORDER: readonly DatasetName[] = ['models', 'scores', 'rankings', 'pricing'];

/** The parts of a record's key by name, in wire order: a shape per dataset of the feed (specification "Ids"). */
export const EventKeySchema = z.union([
  eventKeySchema(DATASETS.models),
  eventKeySchema(DATASETS.scores),
  eventKeySchema(DATASETS.rankings),
  eventKeySchema(DATASETS.pricing),
]);

/** One numbered event of the change feed (specification "Change events"); `data` is the full record of an upsert. */
export const ChangeSchema = z.strictObject({
  seq: z.number().int().positive().describe('Rises by one from event to event, over the whole feed'),
  occurred_on: z.iso.date().describe('UTC day on which the change was published'),
  entity_type: z.enum(ENTITY_TYPES).describe('What kind of record changed'),
  entity_id: z
    .string()
    .describe('Stable id of the record; the parts of a composite one are joined with a colon, as they are'),
  key: EventKeySchema.describe(
    'The parts of entity_id under their names in the record; one object shape per entity_type',
  ),
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
 * The stable id of a record in the change feed: the parts of its key joined by `:` as they are (specification "Ids"; decision
 * 0038). It does not split where a part holds a `:` itself; who needs the parts takes the event's `key`.
 */
export function entityIdFromKey(parts: readonly string[]): string {
  return parts.join(':');
}

/** The parts of a key of one dataset. */
export function eventKeySchema({ key, columns }: Dataset) {
  const describe = (part: string) => columns.find(({ name }) => name === part)?.description ?? part;
  return z.strictObject(Object.fromEntries(key.map((part) => [part, z.string().describe(describe(part))])));
}

/** What is wrong with an id, or another part of a key (specification "Ids"); undefined where it is one. */
export function findIdProblem(id: string): string | undefined {
  if (id.trim() === '') return 'is empty';
  if ([...id].length > ID_LENGTH_MAX) return `is longer than ${ID_LENGTH_MAX} characters`;
  if ([...id].some((character) => character < ' ' || character === '\x7f')) return 'has control characters';
  return id.trim() === id ? undefined : 'has white space around it';
}
