import type { Body, RouteBody } from '../exchange.ts';

/** What a tool found: text for a model to read, and the same as data. */
export interface Found {
  readonly text: string;
  readonly body: Body;
}

/** What a text is made of. */
export interface Telling extends RouteBody {
  /** Rows that were cut so that the answer is not too large; 0: none. */
  readonly cut: number;
  /** What there is, where nothing was found. */
  readonly hint?: string | undefined;
}
