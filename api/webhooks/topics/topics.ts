import { z } from 'zod';
import { MODEL_CREATED } from './model-created.ts';
import { PRICING_UPDATED } from './pricing-updated.ts';
import { RANKING_UPDATED } from './ranking-updated.ts';
import { SCORE_UPDATED } from './score-updated.ts';
import { SNAPSHOT_PUBLISHED } from './snapshot-published.ts';
import { Seq } from './topic.ts';

/** What an endpoint can subscribe to (specification "Topics"), in the order of the documentation. */
export const TOPIC_DEFINITIONS = [
  MODEL_CREATED,
  SCORE_UPDATED,
  RANKING_UPDATED,
  PRICING_UPDATED,
  SNAPSHOT_PUBLISHED,
] as const;
type TopicDefinition = (typeof TOPIC_DEFINITIONS)[number];
export type Topic = TopicDefinition['name'];
export const TOPICS: readonly Topic[] = TOPIC_DEFINITIONS.map(({ name }) => name);

/** Topics whose events are made from changes. */
export type ChangeTopicDefinition = Extract<TopicDefinition, { readonly dataset: unknown }>;
export type ChangeTopic = ChangeTopicDefinition['name'];
export const CHANGE_TOPIC_DEFINITIONS: readonly ChangeTopicDefinition[] = TOPIC_DEFINITIONS.filter(
  (topic) => 'dataset' in topic,
);
export const CHANGE_TOPICS: readonly ChangeTopic[] = CHANGE_TOPIC_DEFINITIONS.map(({ name }) => name);

/** Topics of which every release has one event. */
export const RELEASE_TOPIC_DEFINITIONS = TOPIC_DEFINITIONS.filter((topic) => 'eventFromRelease' in topic);

/** What asks an endpoint whether it is there; nobody subscribes to it. */
export const PING = 'ping';

/** Something that happened, by topic: what a delivery would say, and what filters look at beside it. */
export type TopicEvent = ChangeEvent | ReleaseEvent;
export type ChangeEvent = ReturnType<ChangeTopicDefinition['eventFromRow']>;
export type ReleaseEvent = ReturnType<(typeof RELEASE_TOPIC_DEFINITIONS)[number]['eventFromRelease']>;

/** `data` objects in one digest; what is beyond is counted and left to the change feed. */
export const DIGEST_ITEMS_MAX = 1000;

/** `data` of a digest: one delivery per topic and night in place of one per event (specification "Digests"). */
export const DigestDataSchema = z.strictObject({
  first_seq: Seq.describe('The lowest seq of the night that the endpoint is told of'),
  seq: Seq.describe('The highest'),
  count: z.number().int().positive().describe('Events in all, also those that are not listed'),
  items: z.array(z.unknown()).max(DIGEST_ITEMS_MAX).describe('The `data` of each event, by seq'),
});

/** True for the name of a topic. */
export function isTopic(text: string): text is Topic {
  return TOPICS.some((topic) => topic === text);
}
