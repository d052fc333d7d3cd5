/** What goes into a night of the oracle and what comes out. Maps are keyed by the text of a record's key, `keyText`. */
import type { DatasetName, EntityType } from '../../schemas/datasets.ts';
import type { Value, Values } from './row-rules.ts';

export type PerDataset<T> = Readonly<Record<DatasetName, T>>;

/** What an upstream calls a model. */
export interface OracleAlias {
  readonly upstream: string;
  readonly id: string;
  readonly model_id: string;
}

export interface OracleDay {
  /** UTC day, YYYY-MM-DD. */
  readonly day: string;
  /** Raw rows as JSON.parse gives them; undefined: the file is missing. A line that isn't JSON is an undefined row. */
  readonly rows: Readonly<Partial<Record<DatasetName, readonly unknown[] | undefined>>>;
  readonly capturedAt: string;
  /** Publishes the day also where the guard would hold it. */
  readonly accept?: boolean;
  /** `pricing:<entity_id>` of each suspect to let in. */
  readonly acceptSuspects?: readonly string[];
  /** The source's table of names. */
  readonly aliases?: readonly OracleAlias[];
  /** Whom the source names, as its settings do. */
  readonly upstreams?: readonly OracleUpstream[];
}

export type OracleUpstream = Readonly<Record<string, unknown>> & { readonly id: string };

export interface OracleRecord {
  readonly key: readonly string[];
  readonly values: Values;
  /** The captured day since which the record has held; null while its row is set aside. */
  readonly validFrom: string | null;
}

export interface PendingSuspect {
  readonly key: readonly string[];
  readonly input_per_million: Value;
  readonly output_per_million: Value;
  /** Captured day on which this pair of values was first seen. */
  readonly since: string;
  readonly daysSeen: number;
}

export interface OracleState {
  readonly day: string;
  readonly lastSeq: number;
  readonly records: PerDataset<ReadonlyMap<string, OracleRecord>>;
  readonly lastCaptured: PerDataset<string | undefined>;
  /** Everything that was ever in force: tells a deleted parent from one that never existed. */
  readonly known: PerDataset<ReadonlySet<string>>;
  readonly pending: ReadonlyMap<string, PendingSuspect>;
  /** How many records were in force after each night that captured them. */
  readonly counts: PerDataset<readonly number[]>;
}

export interface OracleEvent {
  readonly seq: number;
  readonly occurred_on: string;
  readonly entity_type: EntityType;
  readonly entity_id: string;
  readonly key: Readonly<Record<string, string>>;
  readonly op: 'upsert' | 'delete';
  readonly data: Readonly<Record<string, Value>> | null;
}

export interface ClosedInterval {
  readonly dataset: DatasetName;
  readonly key: readonly string[];
  readonly values: Values;
  readonly validFrom: string;
  readonly validTo: string;
}

export interface OracleNight {
  readonly verdict: 'published' | 'held' | 'rejected';
  /** Yesterday's where the night isn't published; then events and closed are empty. */
  readonly state: OracleState;
  readonly events: readonly OracleEvent[];
  /** The canonical file of each dataset, uncompressed. */
  readonly lines: PerDataset<readonly string[]>;
  readonly closed: readonly ClosedInterval[];
  /** The dataset of each bad row. */
  readonly quarantined: readonly DatasetName[];
}

export function perDataset<T>(make: (dataset: DatasetName) => T): PerDataset<T> {
  return {
    models: make('models'),
    benchmarks: make('benchmarks'),
    scores: make('scores'),
    rankings: make('rankings'),
    pricing: make('pricing'),
  };
}

/** Before the first night. */
export const EMPTY_STATE: OracleState = {
  day: '',
  lastSeq: 0,
  records: perDataset(() => new Map()),
  lastCaptured: perDataset(() => undefined),
  known: perDataset(() => new Set<string>()),
  counts: perDataset(() => []),
  pending: new Map(),
};
