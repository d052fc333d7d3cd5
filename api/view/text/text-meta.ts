import type { HistoryKind } from '../tables/history-kinds.ts';

export interface TextMeta {
  /** Name in the view's folder. */
  readonly file: string;
  /** The view's part; a later view may have appended more. */
  readonly bytes: number;
  /** CRC-32 of each block, the last one up to `bytes`. */
  readonly sums: readonly number[];
}

/** Events, each followed by a comma. */
export interface FeedMeta extends TextMeta {
  /** Where the first event of the feed starts; pruned events may precede it. */
  readonly from: number;
}

/** Start and key of a line. */
export interface Mark {
  readonly at: number;
  readonly key: string;
}

/** One line per interval. */
export interface HistoryMeta extends TextMeta {
  readonly marks: readonly Mark[];
}

export interface TextsMeta {
  readonly feed: FeedMeta;
  readonly histories: Readonly<Record<HistoryKind, HistoryMeta>>;
}

export function textFileName(viewPath: string, text: 'feed' | HistoryKind): string {
  const name = viewPath.slice(viewPath.lastIndexOf('/') + 1);
  return `${name.replace(/\.duckdb$/, '')}.${text}`;
}
