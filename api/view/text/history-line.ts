/**
 * The text of a kind of history: one line per interval, sorted by the bytes of its key:
 *
 *     <model> TAB <series> TAB <first day><last day><letter of the source><value> TAB <payload> LF
 *
 * Value and payload are JSON text. Neither ids nor JSON text contain control characters, so the order is by model, series and first
 * day, and a model's id and a tab start only its own lines.
 */
import type { Day } from '../../../runtime/day.ts';
import type { HistoryKind } from '../tables/history-kinds.ts';

/** Intervals in force on some day of a range. */
export interface IntervalQuery {
  readonly model: string;
  readonly series: string | undefined;
  readonly from: Day;
  readonly to: Day;
}

export interface TextInterval {
  readonly series: string;
  readonly validFrom: Day;
  /** `9999-12-31` while it is open. */
  readonly validTo: Day;
  readonly source: 'capture' | 'backfill';
  readonly text: Buffer;
  /** Positions in `text`. */
  readonly valueFrom: number;
  readonly valueTo: number;
  readonly payloadFrom: number;
  readonly payloadTo: number;
}

export function prefixOf({ model, series }: Pick<IntervalQuery, 'model' | 'series'>): string {
  return series === undefined ? `${model}\t` : `${model}\t${series}\t`;
}

/** Model, series and first day. */
export function keyOfLine(line: Buffer): string {
  const days = line.indexOf(TAB, line.indexOf(TAB) + 1) + 1;
  return line.toString('utf8', 0, days + DAY_BYTES);
}

/** @param text whole lines */
export function intervalsIn(text: Buffer, query: IntervalQuery): readonly TextInterval[] {
  const { series, from, to } = query;
  const prefix = Buffer.from(prefixOf(query));
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

/** `valid_to` of an open interval. */
const OPEN = '9999-12-31';

/** SQL for the line of a row, without line feed. */
export function lineSql(kind: HistoryKind): string {
  // Without the opening brace: points insert `positions` there.
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
