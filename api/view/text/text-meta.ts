import type { HistoryKind } from '../tables/history-kinds.ts';

/** What a view says about a text file beside it. */
export interface TextMeta {
  /** The file's name in the view's folder. */
  readonly file: string;
  /** How much of it is the view's; behind that a later view may have added to it. */
  readonly bytes: number;
  /** The CRC-32 of each of its blocks, the last one up to `bytes`. */
  readonly sums: readonly number[];
}

/** The events of the feed, one behind the other, a comma behind each. */
export interface FeedMeta extends TextMeta {
  /** Where the first event that is still in the feed begins; events that went before it may still lie there. */
  readonly from: number;
}

/** A line of a text: where it begins, and its key. */
export interface Mark {
  readonly at: number;
  readonly key: string;
}

/** The intervals of a kind of history, a line each. */
export interface HistoryMeta extends TextMeta {
  /** Where reading may begin. */
  readonly marks: readonly Mark[];
}

/** All text of a view. */
export interface TextsMeta {
  readonly feed: FeedMeta;
  readonly histories: Readonly<Record<HistoryKind, HistoryMeta>>;
}

/** The name of a view's text, by the path of the view's database. */
export function textFileName(viewPath: string, text: 'feed' | HistoryKind): string {
  const name = viewPath.slice(viewPath.lastIndexOf('/') + 1);
  return `${name.replace(/\.duckdb$/, '')}.${text}`;
}
