import type { Day } from '../../../runtime/day.ts';
import { type IntervalQuery, intervalsIn, keyOfLine, LINE_FEED, prefixOf, type TextInterval } from './history-line.ts';
import { BLOCK_BYTES, type Slice, type TextFile } from './text-file.ts';
import type { HistoryMeta, Mark } from './text-meta.ts';

/**
 * An index of a history's text: a mark for the first line that starts in each block, about a hundred bytes of memory each.
 */

/** Makes the marks from the sequential chunks of a text. */
export class Marker {
  readonly #marks: Mark[] = [];
  readonly #blockBytes: number;
  /** The next line to mark, as far as read; undefined before it starts. */
  #line: { readonly at: number; readonly parts: Buffer[] } | undefined = { at: 0, parts: [] };
  /** Lines that start before this aren't marked. */
  #from = 0;
  #bytes = 0;

  constructor(blockBytes = BLOCK_BYTES) {
    this.#blockBytes = blockBytes;
  }

  get marks(): readonly Mark[] {
    return this.#marks;
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, this.#line === undefined ? Math.max(at, this.#from - 1 - this.#bytes) : at);
      if (this.#line === undefined) {
        if (end < 0) break;
        at = end + 1;
        this.#line = { at: this.#bytes + at, parts: [] };
      } else {
        this.#line.parts.push(Buffer.from(chunk.subarray(at, end < 0 ? chunk.length : end)));
        if (end < 0) break;
        this.#mark(this.#line);
        at = end; // The next line to mark may start after it.
      }
    }
    this.#bytes += chunk.length;
  }

  #mark({ at, parts }: { readonly at: number; readonly parts: readonly Buffer[] }): void {
    this.#marks.push({ at, key: keyOfLine(Buffer.concat(parts)) });
    this.#from = (Math.floor(at / this.#blockBytes) + 1) * this.#blockBytes;
    this.#line = undefined;
  }
}

/** Ranges between marks that may contain requested intervals, in order. */
export function findRanges(
  { marks, bytes }: Pick<HistoryMeta, 'marks' | 'bytes'>,
  query: IntervalQuery,
): readonly Slice[] {
  const prefix = Buffer.from(prefixOf(query));
  // The model's first lines may follow the mark before its first one.
  const first = Math.max(0, countBefore(marks, (key) => key.compare(prefix) < 0) - 1);
  const end = countBefore(marks, (key) => key.subarray(0, prefix.length).compare(prefix) <= 0);
  return marks.slice(first, end).flatMap((mark, i) => {
    const next = marks[first + i + 1];
    return next !== undefined && isOutside(mark, next, query) ? [] : [{ from: mark.at, to: next?.at ?? bytes }];
  });
}

/** Number of leading marks that meet the condition. */
function countBefore(marks: readonly Mark[], isBefore: (key: Buffer) => boolean): number {
  let [from, to] = [0, marks.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isBefore(Buffer.from(marks[middle]?.key ?? ''))) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Whether all lines between two marks are of one series, whose intervals don't overlap, outside the range. */
function isOutside(mark: Mark, next: Mark, { from, to }: Pick<IntervalQuery, 'from' | 'to'>): boolean {
  const [begin, end] = [dayOf(mark), dayOf(next)];
  return mark.key.slice(0, -begin.length) === next.key.slice(0, -end.length) && (end <= from || begin > to);
}

function dayOf({ key }: Mark): Day {
  return key.slice(-DAY_LENGTH);
}

const DAY_LENGTH = '2026-06-01'.length;

export class HistoryFile {
  readonly #file: TextFile;
  readonly #meta: HistoryMeta;

  constructor(file: TextFile, meta: HistoryMeta) {
    this.#file = file;
    this.#meta = meta;
  }

  /**
   * Rejects with `corrupt` if the file was changed.
   *
   * @param make gets the intervals by series and day; must not retain them
   */
  readIntervals<T>(query: IntervalQuery, make: (intervals: readonly TextInterval[]) => T): Promise<T> {
    const ranges = findRanges(this.#meta, query);
    return this.#file.readSlices(ranges, (texts) => make(texts.flatMap((text) => intervalsIn(text, query))));
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
