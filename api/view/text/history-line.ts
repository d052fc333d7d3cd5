/**
 * The text of a kind of history: a line for each interval, in the order of the bytes of its key, which it begins with:
 *
 *     <model> TAB <series> TAB <first day><last day><letter of the source><value> TAB <payload> LF
 *
 * Value and payload are JSON text. No id has a control character and no JSON text has one, so the order of the lines is that of
 * model, series and first day, and what begins with a model and a tab is of that model alone.
 */
import type { Day } from '../../../runtime/day.ts';
import type { HistoryKind } from '../tables/history-kinds.ts';

/** The intervals of a model that hold on some day of a range; of all its series, or of one. */
export interface IntervalsWanted {
  readonly model: string;
  readonly series: string | undefined;
  readonly from: Day;
  readonly to: Day;
}

/** One interval in such a text. */
export interface TextInterval {
  readonly series: string;
  readonly validFrom: Day;
  /** `9999-12-31` while it is open. */
  readonly validTo: Day;
  /** Reconstructed intervals have a point for every day of the calendar. */
  readonly source: 'capture' | 'backfill';
  /** The text that has it. */
  readonly text: Buffer;
  /** Where its value begins in it, and ends: its payload follows behind a tab. */
  readonly valueFrom: number;
  readonly valueTo: number;
  readonly payloadFrom: number;
  readonly payloadTo: number;
}

/** What the lines of a model begin with, or those of one of its series. */
export function prefixOf({ model, series }: Pick<IntervalsWanted, 'model' | 'series'>): string {
  return series === undefined ? `${model}\t` : `${model}\t${series}\t`;
}

/** The key of a line: model, series and first day, a tab between each. */
export function keyOfLine(line: Buffer): string {
  const days = line.indexOf(TAB, line.indexOf(TAB) + 1) + 1;
  return line.toString('utf8', 0, days + DAY_BYTES);
}

/** The wanted intervals of a text that begins and ends with a whole line, in its order. */
export function intervalsIn(text: Buffer, wanted: IntervalsWanted): readonly TextInterval[] {
  const { series, from, to } = wanted;
  const prefix = Buffer.from(prefixOf(wanted));
  const found: TextInterval[] = [];
  for (let at = findLine(text, prefix); at >= 0 && beginsAt(text, at, prefix); ) {
    const days = series === undefined ? text.indexOf(TAB, at + prefix.length) + 1 : at + prefix.length;
    const valueFrom = days + 2 * DAY_BYTES + SOURCE_BYTES;
    const valueTo = text.indexOf(TAB, valueFrom);
    const end = text.indexOf(LINE_FEED, valueFrom);
    if (valueTo < 0 || end < valueTo) throw new Error('the text of an interval is cut off');
    const validFrom = text.toString('latin1', days, days + DAY_BYTES);
    const validTo = text.toString('latin1', days + DAY_BYTES, days + 2 * DAY_BYTES);
    if (validFrom <= to && validTo >= from) {
      found.push({
        series: series ?? text.toString('utf8', at + prefix.length, days - TAB_BYTES),
        validFrom,
        validTo,
        source: text[days + 2 * DAY_BYTES] === BACKFILL ? 'backfill' : 'capture',
        text,
        valueFrom,
        valueTo,
        payloadFrom: valueTo + TAB_BYTES,
        payloadTo: end,
      });
    }
    at = end + LINE_FEED_BYTES;
  }
  return found;
}

function findLine(text: Buffer, prefix: Buffer): number {
  if (beginsAt(text, 0, prefix)) return 0;
  const before = text.indexOf(Buffer.concat([Buffer.from([LINE_FEED]), prefix]));
  return before < 0 ? -1 : before + LINE_FEED_BYTES;
}

function beginsAt(text: Buffer, at: number, prefix: Buffer): boolean {
  return at + prefix.length <= text.length && text.compare(prefix, 0, prefix.length, at, at + prefix.length) === 0;
}

/** The last day of an interval that hasn't ended. */
const OPEN = '9999-12-31';

/** The line of a row of `history_<kind>`, without its line feed, as SQL. */
export function lineSql(kind: HistoryKind): string {
  // How many were ranked is a property of the day: a point's payload begins with it.
  const payload = kind === 'ranking' ? `payload[2:]` : 'payload';
  return `concat(model_id, chr(9), series, chr(9), valid_from, coalesce(valid_to, DATE '${OPEN}'), source[1], value, chr(9), ${payload})`;
}

export const LINE_FEED = 0x0a;
const LINE_FEED_BYTES = 1;
const TAB = 0x09;
const TAB_BYTES = 1;
const DAY_BYTES = 10;
const SOURCE_BYTES = 1;
const BACKFILL = 'b'.charCodeAt(0);
