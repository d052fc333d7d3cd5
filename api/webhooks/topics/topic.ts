/**
 * A topic: name, occasion, `data`, and the source of its events: changes of a dataset ({@link changeTopic}) or each
 * release ({@link releaseTopic}). Each file declares one and `topics.ts` lists them; all else derives from that list,
 * and filters apply to every topic that has their field ({@link Filterable}).
 */
import { z } from 'zod';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';

/** Of the newest change that an event is about. */
export const Seq = z.number().int().nonnegative();

export const DIRECTIONS = ['up', 'down'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A rate that changed. */
export interface RateMove {
  readonly meter: string;
  /** Null without a price before and after in one currency. */
  readonly direction: Direction | null;
  /** Without sign; Infinity if undefined. */
  readonly percent: number;
}

/** Models of a category with a better (`up`) or worse rank than before. */
export type RankMoves = Readonly<Record<Direction, RankMove>>;
interface RankMove {
  /** The best position, old or new, of any of them; null if there is none. */
  readonly best_rank: number | null;
  /** Those that a filter names, with their best position. */
  readonly watched: readonly { readonly id: string; readonly best_rank: number }[];
}

/** Input of filters (specification "Filters"); an absent field passes. */
export interface Filterable {
  readonly data: {
    readonly seq: number;
    readonly model_id?: string;
    readonly benchmark_id?: string;
    readonly category_id?: string;
    readonly provider?: string;
  };
  /** Of an event about several models: those that a filter names. */
  readonly models?: readonly string[];
  /** Of input and output without condition, in percent; Infinity if undefined. */
  readonly largestChangePercent?: number;
  /** Rates that changed. */
  readonly rates?: readonly RateMove[];
  /** The best position, old or new, of a model concerned. */
  readonly bestRank?: number;
  readonly ranks?: RankMoves;
}

/**
 * Parts of a SELECT that compares a night's changes (`c`) with the records before (`b`) in the table `before_records`:
 * those with a change, their key and compared columns. Without a change feed (`entityType` null) changes are records
 * added, removed, or different in a compared column, all with the release's last `seq`.
 */
export interface Comparison {
  /** One row per change: `seq`, `op`, key, and new values of compared columns, null if deleted. */
  readonly changes: string;
  /** True where `c` and `b` have the same key. */
  readonly sameKey: string;
  /** True where a compared column of `c` and `b` differs. */
  readonly differs: string;
  /** Whether both sides of the night have a compared column, so that a SELECT may use it. */
  readonly has: (column: string) => boolean;
}

/** A row of a topic's SELECT, with empty text for NULL. */
export interface EventRow {
  readonly seq: number;
  readonly model_id: string;
  /** The other part of the key: benchmark, provider or category. */
  readonly part: string;
  /** A JSON object with whatever else the topic needs. */
  readonly facts: string;
}

interface TopicDeclaration<Name extends string, Data extends z.ZodObject> {
  readonly name: Name;
  /** For people. */
  readonly sentWhen: string;
  /** It identifies what changed and carries no record (specification "Topics"). */
  readonly data: Data;
}

interface ChangeTopicDeclaration<Name extends string, Data extends z.ZodObject, Event extends Filterable>
  extends TopicDeclaration<Name, Data> {
  readonly dataset: DatasetName;
  /** To compare with the records before; undefined if the changes suffice. */
  readonly compared: readonly string[] | undefined;
  /**
   * One row per event ({@link EventRow}). It may read the table `watched`: the `id` of each model that a filter names.
   */
  readonly select: (comparison: Comparison) => string;
  /** The event, and further input of filters; undefined if the row turns out to be none. */
  readonly contentFromRow: (row: EventRow) => (Event & { readonly data: Readonly<z.infer<Data>> }) | undefined;
}

/** A topic made from changes. */
export function changeTopic<const Name extends string, Data extends z.ZodObject, Event extends Filterable>({
  contentFromRow,
  ...topic
}: ChangeTopicDeclaration<Name, Data, Event>) {
  const eventFromRow = (row: EventRow) => {
    const content = contentFromRow(row);
    return content === undefined ? undefined : { topic: topic.name, ...content };
  };
  return { ...topic, eventFromRow };
}

interface ReleaseTopicDeclaration<Name extends string, Data extends z.ZodObject> extends TopicDeclaration<Name, Data> {
  /** Its `seq` is the last of the release. */
  readonly dataFromRelease: (release: ReleaseFacts) => Readonly<z.infer<Data>>;
}

export type ReleaseFacts = Pick<Release, 'manifest' | 'last_seq'>;

/** A topic with one event per release. */
export function releaseTopic<const Name extends string, Data extends z.ZodObject>({
  dataFromRelease,
  ...topic
}: ReleaseTopicDeclaration<Name, Data>) {
  const eventFromRelease = (release: ReleaseFacts) => ({ topic: topic.name, data: dataFromRelease(release) });
  return { ...topic, eventFromRelease };
}
