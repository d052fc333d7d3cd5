import type { Day } from '../../../runtime/day.ts';
import {
  type IntervalsWanted,
  intervalsIn,
  keyOfLine,
  LINE_FEED,
  prefixOf,
  type TextInterval,
} from './history-line.ts';
import { BLOCK_BYTES, type Slice, type TextFile } from './text-file.ts';
import type { HistoryMeta, Mark } from './text-meta.ts';

/**
 * Where reading may begin in the text of a history: a mark for the first line that begins in each block of it. So the lines of a
 * model are found without looking at others than their neighbours, with some hundred bytes of memory for each block.
 */

/** Marks the lines of a text while it is read from its beginning to its end. */
export class Marker {
  readonly #marks: Mark[] = [];
  readonly #blockBytes: number;
  /** The line that is to be marked, as far as it was read; undefined while it hasn't begun. */
  #line: { readonly at: number; readonly parts: Buffer[] } | undefined = { at: 0, parts: [] };
  /** Lines that begin before aren't marked. */
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
        at = end; // Behind it the next line to be marked may begin.
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

/** The stretches of a text, from mark to mark, in which wanted intervals may lie, in its order. */
export function findStretches(
  { marks, bytes }: Pick<HistoryMeta, 'marks' | 'bytes'>,
  wanted: IntervalsWanted,
): readonly Slice[] {
  const prefix = Buffer.from(prefixOf(wanted));
  // Lines before the first mark of the model lie behind the mark before it.
  const first = Math.max(0, countBefore(marks, (key) => key.compare(prefix) < 0) - 1);
  const end = countBefore(marks, (key) => key.subarray(0, prefix.length).compare(prefix) <= 0);
  return marks.slice(first, end).flatMap((mark, i) => {
    const next = marks[first + i + 1];
    return next !== undefined && isBeside(mark, next, wanted) ? [] : [{ from: mark.at, to: next?.at ?? bytes }];
  });
}

/** How many marks, from the first on, have keys that a condition holds for; it holds for none behind one that it doesn't hold for. */
function countBefore(marks: readonly Mark[], isBefore: (key: Buffer) => boolean): number {
  let [from, to] = [0, marks.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isBefore(Buffer.from(marks[middle]?.key ?? ''))) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** True where all lines from one mark to the next are of one series, whose intervals don't overlap, and none holds in the range. */
function isBeside(mark: Mark, next: Mark, { from, to }: Pick<IntervalsWanted, 'from' | 'to'>): boolean {
  const [begin, end] = [dayOf(mark), dayOf(next)];
  return mark.key.slice(0, -begin.length) === next.key.slice(0, -end.length) && (end <= from || begin > to);
}

function dayOf({ key }: Mark): Day {
  return key.slice(-DAY_LENGTH);
}

const DAY_LENGTH = '2026-06-01'.length;

/** The text of a kind of history, by what it is asked for. */
export class HistoryFile {
  readonly #file: TextFile;
  readonly #meta: HistoryMeta;

  constructor(file: TextFile, meta: HistoryMeta) {
    this.#file = file;
    this.#meta = meta;
  }

  /**
   * What a function makes of the wanted intervals, by series and day; it must not keep them. Rejects with `corrupt` where the file
   * isn't what was written.
   */
  readIntervals<T>(wanted: IntervalsWanted, make: (intervals: readonly TextInterval[]) => T): Promise<T> {
    const stretches = findStretches(this.#meta, wanted);
    return this.#file.readSlices(stretches, (texts) => make(texts.flatMap((text) => intervalsIn(text, wanted))));
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
