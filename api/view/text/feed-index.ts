import { ENTITY_TYPES, type EntityType } from '../../../schemas/datasets.ts';
import type { Slice } from './text-file.ts';

/** Events that follow each other. */
export interface FeedSlice extends Slice {
  readonly firstSeq: number;
}

/** The events of a stretch of the feed, and how far it goes. */
export interface FeedStretch {
  readonly slices: readonly FeedSlice[];
  /** The last event that was looked at, whether it is wanted or not. */
  readonly lastSeq: number;
}

export interface StretchWanted {
  /** The event before the first one that is looked at. */
  readonly after: number;
  /** Events at most. */
  readonly limit: number;
  /** Only events of this type, among the next `scannedMax`; undefined: all. */
  readonly entityType: EntityType | undefined;
  readonly scannedMax: number;
}

/** The events that are still in the feed: where the text of each lies, and its type. 9 bytes of memory an event. */
export class FeedIndex {
  readonly #firstSeq: number;
  /** Where each event begins, and behind them the end; a comma is the last byte of each. */
  readonly #starts: Float64Array;
  readonly #types: Uint8Array;

  /** @param firstSeq the first event, or the next to come where there is none */
  constructor(firstSeq: number, starts: Float64Array, types: Uint8Array) {
    this.#firstSeq = firstSeq;
    this.#starts = starts;
    this.#types = types;
  }

  get lastSeq(): number {
    return this.#firstSeq + this.#types.length - 1;
  }

  find({ after: wantedAfter, limit, entityType, scannedMax }: StretchWanted): FeedStretch {
    const after = Math.max(wantedAfter, this.#firstSeq - 1);
    if (entityType === undefined) {
      const lastSeq = Math.min(after + limit, this.lastSeq);
      return { slices: lastSeq > after ? [this.#sliceOf(after + 1, lastSeq)] : [], lastSeq };
    }
    return this.#findOf(ENTITY_TYPES.indexOf(entityType), {
      after,
      limit,
      lastSeq: Math.min(after + scannedMax, this.lastSeq),
    });
  }

  #findOf(type: number, { after, limit, lastSeq }: { after: number; limit: number; lastSeq: number }): FeedStretch {
    const slices: FeedSlice[] = [];
    let [found, seq] = [0, after + 1];
    while (seq <= lastSeq && found < limit) {
      if (this.#types[seq - this.#firstSeq] !== type) {
        seq += 1;
        continue;
      }
      const begin = seq;
      while (seq <= lastSeq && found < limit && this.#types[seq - this.#firstSeq] === type) {
        found += 1;
        seq += 1;
      }
      slices.push(this.#sliceOf(begin, seq - 1));
    }
    return { slices, lastSeq: found === limit ? seq - 1 : lastSeq };
  }

  #sliceOf(first: number, last: number): FeedSlice {
    const [from, to] = [this.#starts[first - this.#firstSeq], this.#starts[last - this.#firstSeq + 1]];
    if (from === undefined || to === undefined) throw new Error(`the feed has no events ${first} to ${last}`);
    return { firstSeq: first, from, to };
  }
}
