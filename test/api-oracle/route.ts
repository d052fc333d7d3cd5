import type { Chooser } from '../support/random.ts';
import type { Interests } from './asking/interests.ts';
import type { ApiState, Expected } from './expected.ts';

export type Parameters = Readonly<Record<string, string>>;

/** What a route is asked. */
export interface Asked {
  /** Of the path, decoded. */
  readonly params: Parameters;
  /** Of the query, decoded. */
  readonly query: Parameters;
  /** Percent-encodes in the path only what a path can't hold: `:`, `@`, `+` stay as they are. */
  readonly isBare?: boolean;
}

/** All that a generator of requests chooses from. */
export interface Asking {
  readonly state: ApiState;
  readonly interests: Interests;
  readonly choose: Chooser;
  /** Values that columns of the current records hold, gathered once. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** A route as the oracle knows it: how requests for it are made up, and what must be answered. */
export interface OracleRoute {
  readonly name: string;
  /** Such as `/v1/models/{id}`. */
  readonly path: string;
  /** How often it is asked, beside the others. */
  readonly weight: number;
  readonly response: (state: ApiState, asked: Asked) => Expected;
  /** A random request, whose parameters are in order and whose answer is settled. */
  readonly ask: (asking: Asking) => Asked;
}
