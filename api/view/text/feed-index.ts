import { ENTITY_TYPES, type EntityType } from '../../../schemas/datasets.ts';
import type { Slice } from './text-file.ts';

export interface FeedSlice extends Slice {
  readonly firstSeq: number;
}

export interface FeedRange {
  readonly slices: readonly FeedSlice[];
  /** The last event that was scanned, matching or not. */
  readonly lastSeq: number;
}

export interface FeedQuery {
  readonly after: number;
  readonly limit: number;
  /** Only events of this type, among the next `scannedMax`; undefined: all. */
  readonly entityType: EntityType | undefined;
  readonly scannedMax: number;
}

/** Text position and type of each event in the feed: 9 bytes of memory per event. */
export class FeedIndex {
  readonly #firstSeq: number;
  /** Where each event starts, then the last end. Each event ends with a comma. */
  readonly #starts: Float64Array;
  readonly #types: Uint8Array;

  /** @param firstSeq the first event; the next one if the feed is empty */
  constructor(firstSeq: number, starts: Float64Array, types: Uint8Array) {
    this.#firstSeq = firstSeq;
    this.#starts = starts;
    this.#types = types;
  }

  get lastSeq(): number {
    return this.#firstSeq + this.#types.length - 1;
  }

  find({ after: requestedAfter, limit, entityType, scannedMax }: FeedQuery): FeedRange {
    const after = Math.max(requestedAfter, this.#firstSeq - 1);
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

  #findOf(type: number, { after, limit, lastSeq }: { after: number; limit: number; lastSeq: number }): FeedRange {
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
