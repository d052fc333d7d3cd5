/** What a request must be answered with. */
import type { Day } from '../../runtime/day.ts';
import type { StoredSnapshots } from './stored-snapshots.ts';
import type { FeedEvent, WireRecord, World } from './world.ts';

/** All that an answer depends on: what was published, and what the server knows besides. */
export interface ApiState {
  readonly world: World;
  /** The UTC day at which the server's clock stands. */
  readonly today: Day;
  /** What only the store can tell of a snapshot: compressed size and hash, publication. */
  readonly stored: StoredSnapshots;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** A body that is known in full; {@link Shape}s stand for what is not. */
export interface BodyExpected {
  readonly kind: 'body';
  readonly body: JsonObject;
}

/** A list that is read by following `next_cursor`. */
export interface ListExpected {
  readonly kind: 'list';
  /** The body's key that holds the rows. */
  readonly name: string;
  /** All rows that match, in order. */
  readonly rows: readonly WireRecord[];
  readonly limit: number;
  /** The rest of each page's body. */
  readonly envelope: JsonObject;
}

/** Pages of the change feed. */
export interface FeedExpected {
  readonly kind: 'feed';
  /** All events after the cursor that match. */
  readonly events: readonly FeedEvent[];
  readonly afterSeq: number;
  readonly headSeq: number;
  readonly limit: number;
  readonly isFiltered: boolean;
  readonly retainedFrom: Day;
  readonly publishedThrough: Day;
}

/** A signed URL, and what lies behind it. */
export interface DownloadExpected {
  readonly kind: 'download';
  readonly body: JsonObject;
  readonly contentSha256: string;
}

/** A file of another form than JSON records. */
export interface TextExpected {
  readonly kind: 'text';
  readonly text: string;
}

/** An error envelope. */
export interface RefusalExpected {
  readonly kind: 'refusal';
  readonly status: number;
  readonly code: string;
  /** Undefined: not settled, so not compared. */
  readonly param?: string | null;
}

/** Problems of parameters, by what they are about. */
export interface InvalidExpected {
  readonly kind: 'invalid';
  readonly problems: readonly { readonly loc: readonly string[]; readonly type: string }[];
}

export type Expected =
  | BodyExpected
  | ListExpected
  | FeedExpected
  | DownloadExpected
  | TextExpected
  | RefusalExpected
  | InvalidExpected;

export function notFound(param: string | null): RefusalExpected {
  return { kind: 'refusal', status: 404, code: 'not_found', param };
}

/** Stands in an expected body for a value of which only the form is known. */
export class Shape {
  readonly name: string;
  readonly matches: (value: unknown) => boolean;

  constructor(name: string, matches: (value: unknown) => boolean) {
    this.name = name;
    this.matches = matches;
  }

  toJSON(): string {
    return `(${this.name})`;
  }
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

export const TEXT = new Shape('a text', (value) => typeof value === 'string' && value !== '');
export const DATE_TIME_TEXT = new Shape('a date-time', (value) => typeof value === 'string' && DATE_TIME.test(value));
