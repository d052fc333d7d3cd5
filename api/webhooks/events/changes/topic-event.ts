import { plainNumber } from '../../../../runtime/plain-number.ts';
import type { Release } from '../../../../schemas/release.ts';
import type { Topic, TopicData } from '../../topic.ts';

/** Something that happened, by topic: what a delivery would say, and what filters go by beside it. */
export type TopicEvent = ModelCreated | ScoreUpdated | PricingUpdated | RankingUpdated | SnapshotPublished;

interface Told<T extends Topic> {
  readonly topic: T;
  readonly data: TopicData<T>;
}

export type ModelCreated = Told<'model.created'>;
export type ScoreUpdated = Told<'score.updated'>;

export interface PricingUpdated extends Told<'pricing.updated'> {
  /** The larger change of the two prices, in per cent of what it was; Infinity where that can't be said. */
  readonly largestChangePercent: number;
}

export interface RankingUpdated extends Told<'ranking.updated'> {
  /** Those of the models that moved, came or went that somebody's filter names. */
  readonly models: readonly string[];
  /** The best position that a model which moved, came or went has or had. */
  readonly bestRank: number;
}

export type SnapshotPublished = Told<'snapshot.published'>;

/** Topics whose events are made from changes; the other one is told once per release. */
export const CHANGE_TOPICS = [
  'model.created',
  'score.updated',
  'ranking.updated',
  'pricing.updated',
] as const satisfies readonly Topic[];
export type ChangeTopic = (typeof CHANGE_TOPICS)[number];
export type ChangeEvent = Exclude<TopicEvent, SnapshotPublished>;

/** That a release's snapshot is there, told with its newest change (specification "Topics"). */
export function snapshotPublished({ manifest, last_seq }: Pick<Release, 'manifest' | 'last_seq'>): SnapshotPublished {
  const { id, data_as_of, schema_version, change_cursor } = manifest;
  return {
    topic: 'snapshot.published',
    data: { snapshot_id: id, data_as_of, schema_version, change_cursor, seq: last_seq },
  };
}

/** A model's price at a provider; null: none is told. */
export interface Price {
  readonly input: number | null;
  readonly output: number | null;
  /** Null where the version of the record doesn't tell it. */
  readonly currency: string | null;
}

/**
 * The larger change of the two prices in per cent of what it was, to twelve digits, so that 3 to 3.3 is 10; Infinity where one
 * came, went or was zero, or the currency is another.
 */
export function largestChangePercent(before: Price, after: Price): number {
  if (before.currency !== after.currency) return Number.POSITIVE_INFINITY;
  return Math.max(changePercent(before.input, after.input), changePercent(before.output, after.output));
}

function changePercent(before: number | null, after: number | null): number {
  if (before === after) return 0;
  if (before === null || after === null || before === 0) return Number.POSITIVE_INFINITY;
  return plainNumber((Math.abs(after - before) / before) * 100);
}
