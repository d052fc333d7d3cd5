/**
 * What a topic is. One file of this folder declares each: its name, when it is sent, its `data`, and what its events are made of: the
 * changes of a dataset ({@link changeTopic}), or the release itself, which has one event then ({@link releaseTopic}). `topics.ts` lists
 * them, and everything else derives from that list. Filters need no declaration: they concern every topic that has what they name
 * ({@link Filterable}).
 */
import { z } from 'zod';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';

/** The newest change that an event is about: its `seq` in the change feed. */
export const Seq = z.number().int().nonnegative();

/** What filters look at in an event (specification "Filters"); what a topic doesn't have filters nothing. */
export interface Filterable {
  readonly data: {
    readonly seq: number;
    readonly model_id?: string;
    readonly benchmark_id?: string;
    readonly category_id?: string;
    readonly provider?: string;
  };
  /** Where an event is about several models: those that somebody's filter names. */
  readonly models?: readonly string[];
  /** The larger change of the two prices, in per cent of what it was; Infinity where that can't be said. */
  readonly largestChangePercent?: number;
  /** The best position that a model which moved, came or went has or had. */
  readonly bestRank?: number;
}

/**
 * A night's changes of a dataset beside the records before it, as parts of a SELECT: `c` stands for a change, `b` for the record before
 * in the table `before_records`, which holds those that have a change, with their key and the compared columns. The changes of a dataset
 * without a change feed (`entityType` null) are the records that were added, were removed, or differ in a compared column; all of them
 * have the last `seq` of the release.
 */
export interface Comparison {
  /** One row per change: `seq`, `op`, the parts of the key, and the new values of the compared columns, null where it was deleted. */
  readonly changes: string;
  /** True where `c` and `b` have one key. */
  readonly sameKey: string;
  /** True where a compared column of `c` and `b` differs. */
  readonly differs: string;
  /** Whether the records on both sides of the night have a compared column; it stands in no SELECT where they have not. */
  readonly has: (column: string) => boolean;
}

/** A row of a topic's SELECT; empty texts where it has NULL. */
export interface EventRow {
  readonly seq: number;
  readonly model_id: string;
  /** The other part of the key: benchmark, provider or category. */
  readonly part: string;
  /** A JSON object of what else the topic needs. */
  readonly facts: string;
}

interface TopicDeclaration<Name extends string, Data extends z.ZodObject> {
  readonly name: Name;
  /** When an event is sent, for people. */
  readonly sentWhen: string;
  /** `data` of a delivery: it identifies what changed, and carries no data of its own (specification "Topics"). */
  readonly data: Data;
}

interface ChangeTopicDeclaration<Name extends string, Data extends z.ZodObject, Event extends Filterable>
  extends TopicDeclaration<Name, Data> {
  /** The dataset whose changes are reported. */
  readonly dataset: DatasetName;
  /** The columns by which its records are compared with those before the night; undefined where the changes alone suffice. */
  readonly compared: readonly string[] | undefined;
  /**
   * SELECT of one row per event with the columns of {@link EventRow}. It may read the table `watched` too: the `id` of each model that
   * somebody's filter names.
   */
  readonly select: (comparison: Comparison) => string;
  /** What an event says, and what filters look at beside it. */
  readonly contentFromRow: (row: EventRow) => Event & { readonly data: Readonly<z.infer<Data>> };
}

/** A topic whose events are made from changes, with the event of a row of its SELECT. */
export function changeTopic<const Name extends string, Data extends z.ZodObject, Event extends Filterable>({
  contentFromRow,
  ...topic
}: ChangeTopicDeclaration<Name, Data, Event>) {
  const eventFromRow = (row: EventRow) => ({ topic: topic.name, ...contentFromRow(row) });
  return { ...topic, eventFromRow };
}

interface ReleaseTopicDeclaration<Name extends string, Data extends z.ZodObject> extends TopicDeclaration<Name, Data> {
  /** What the event of a release says; its `seq` is the last of the release. */
  readonly dataFromRelease: (release: ReleaseFacts) => Readonly<z.infer<Data>>;
}

/** What an event of a whole release is made of. */
export type ReleaseFacts = Pick<Release, 'manifest' | 'last_seq'>;

/** A topic of which every release has one event, whatever changed. */
export function releaseTopic<const Name extends string, Data extends z.ZodObject>({
  dataFromRelease,
  ...topic
}: ReleaseTopicDeclaration<Name, Data>) {
  const eventFromRelease = (release: ReleaseFacts) => ({ topic: topic.name, data: dataFromRelease(release) });
  return { ...topic, eventFromRelease };
}
