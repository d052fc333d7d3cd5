import type { Day } from '../../schemas/day.ts';

/** The text of some intervals of one series, as `write-histories.ts` writes it. */
export interface SeriesText {
  readonly series: string;
  readonly text: Buffer;
}

/** One interval in such a text. */
export interface TextInterval {
  readonly validFrom: Day;
  /** `9999-12-31` while it is open. */
  readonly validTo: Day;
  /** Reconstructed intervals have a point for every day of the calendar. */
  readonly isBackfilled: boolean;
  /** The text that has it. */
  readonly text: Buffer;
  /** Where what follows the date in its points begins in it, and ends. */
  readonly from: number;
  readonly to: number;
  /** Where in it a tab stands for how many were ranked on a point's day; undefined: nowhere. */
  readonly place: number | undefined;
}

/** The intervals of a text that hold on some day of a range, in its order. */
export function intervalsIn(
  text: Buffer,
  { from, to }: { readonly from: Day; readonly to: Day },
): readonly TextInterval[] {
  const found: TextInterval[] = [];
  const hasPlaces = text.includes(TAB);
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(LINE_FEED, at);
    if (end < at + POINT_AT) throw new Error('the text of an interval is cut off');
    const validFrom = text.toString('latin1', at, at + DAY_BYTES);
    const validTo = text.toString('latin1', at + DAY_BYTES, at + 2 * DAY_BYTES);
    if (validFrom <= to && validTo >= from) {
      const isBackfilled = text[at + SOURCE_AT] === BACKFILL;
      const place = hasPlaces ? text.indexOf(TAB, at) : undefined;
      found.push({ validFrom, validTo, isBackfilled, text, from: at + POINT_AT, to: end, place });
    }
    at = end + 1;
  }
  return found;
}

const DAY_BYTES = 10;
/** The letter of the source stands behind the two days, and then comes the point's text. */
const SOURCE_AT = 2 * DAY_BYTES;
const POINT_AT = SOURCE_AT + 1;
const LINE_FEED = 0x0a;
/** In every interval of a text or in none; no JSON text has one. */
const TAB = 0x09;
const BACKFILL = 'b'.charCodeAt(0);
