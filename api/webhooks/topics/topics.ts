import { z } from 'zod';
import { MODEL_CREATED } from './model-created.ts';
import { MODEL_UPDATED } from './model-updated.ts';
import { PRICING_UPDATED } from './pricing-updated.ts';
import { RANKING_UPDATED } from './ranking-updated.ts';
import { SCORE_UPDATED } from './score-updated.ts';
import { SNAPSHOT_PUBLISHED } from './snapshot-published.ts';
import { Seq } from './topic.ts';

/** In the order of the documentation (specification "Topics"). */
export const TOPIC_DEFINITIONS = [
  MODEL_CREATED,
  MODEL_UPDATED,
  SCORE_UPDATED,
  RANKING_UPDATED,
  PRICING_UPDATED,
  SNAPSHOT_PUBLISHED,
] as const;
type TopicDefinition = (typeof TOPIC_DEFINITIONS)[number];
export type Topic = TopicDefinition['name'];
export const TOPICS: readonly Topic[] = TOPIC_DEFINITIONS.map(({ name }) => name);

export type ChangeTopicDefinition = Extract<TopicDefinition, { readonly dataset: unknown }>;
export type ChangeTopic = ChangeTopicDefinition['name'];
export const CHANGE_TOPIC_DEFINITIONS: readonly ChangeTopicDefinition[] = TOPIC_DEFINITIONS.filter(
  (topic) => 'dataset' in topic,
);
export const CHANGE_TOPICS: readonly ChangeTopic[] = CHANGE_TOPIC_DEFINITIONS.map(({ name }) => name);

export const RELEASE_TOPIC_DEFINITIONS = TOPIC_DEFINITIONS.filter((topic) => 'eventFromRelease' in topic);

/** Verifies an endpoint; not a topic to subscribe to. */
export const PING = 'ping';

/** An event, and further input of filters. */
export type TopicEvent = ChangeEvent | ReleaseEvent;
export type ChangeEvent = Exclude<ReturnType<ChangeTopicDefinition['eventFromRow']>, undefined>;
export type ReleaseEvent = ReturnType<(typeof RELEASE_TOPIC_DEFINITIONS)[number]['eventFromRelease']>;

/** Events of a digest; the rest is counted, and in the change feed. */
export const DIGEST_ITEMS_MAX = 1000;

/** One delivery per topic and night instead of one per event (specification "Digests"). */
export const DigestDataSchema = z.strictObject({
  first_seq: Seq.describe('The lowest seq of the digest'),
  seq: Seq.describe('The highest seq of the digest'),
  count: z.number().int().positive().describe('All events, including those not listed'),
  items: z.array(z.unknown()).max(DIGEST_ITEMS_MAX).describe('The `data` of each event, by seq'),
});

export function isTopic(text: string): text is Topic {
  return TOPICS.some((topic) => topic === text);
}
