import { z } from 'zod';

/** What an endpoint can subscribe to (specification "Topics"), in the order of the documentation. */
export const TOPICS = [
  'model.created',
  'score.updated',
  'ranking.updated',
  'pricing.updated',
  'snapshot.published',
] as const;
export type Topic = (typeof TOPICS)[number];

/** What asks an endpoint whether it is there; nobody subscribes to it. */
export const PING = 'ping';

/** The newest change that the delivery is about: its `seq` in the change feed. */
const Seq = z.number().int().nonnegative();

/**
 * `data` of each topic: what changed, and where it stands in the change feed. It identifies and carries no data of its own
 * (specification "Topics").
 */
export const TOPIC_DATA = {
  'model.created': z.strictObject({ model_id: z.string(), seq: Seq }),
  'score.updated': z.strictObject({ model_id: z.string(), benchmark_id: z.string(), seq: Seq }),
  'ranking.updated': z.strictObject({
    category_id: z.string(),
    changed: z.number().int().positive().describe('Models whose position changed, that came or that went'),
    first_seq: Seq,
    seq: Seq,
  }),
  'pricing.updated': z.strictObject({
    model_id: z.string(),
    provider: z.string(),
    change: z.enum(['price', 'provider_added', 'provider_removed']),
    seq: Seq,
  }),
  'snapshot.published': z.strictObject({
    snapshot_id: z.string(),
    data_as_of: z.iso.datetime(),
    schema_version: z.string(),
    change_cursor: z.string(),
    seq: Seq,
  }),
} as const satisfies Record<Topic, z.ZodType>;
export type TopicData<T extends Topic = Topic> = z.infer<(typeof TOPIC_DATA)[T]>;

/** `data` objects in one digest; what is beyond is counted and left to the change feed. */
export const DIGEST_ITEMS_MAX = 1000;

/** `data` of a digest: one delivery per topic and night in place of one per event (specification "Digests"). */
export const DigestDataSchema = z.strictObject({
  first_seq: Seq.describe('The lowest seq of the night that the endpoint is told of'),
  seq: Seq.describe('The highest'),
  count: z.number().int().positive().describe('Events in all, also those that are not listed'),
  items: z.array(z.unknown()).max(DIGEST_ITEMS_MAX).describe('The `data` of each event, by seq'),
});
export type DigestData = z.infer<typeof DigestDataSchema>;

/** True for the name of a topic. */
export function isTopic(text: string): text is Topic {
  return TOPICS.some((topic) => topic === text);
}
