import type { Day } from '../../../runtime/day.ts';
import {
  HISTORY_KINDS,
  HISTORY_SOURCES,
  type HistoryKind,
  type HistorySource,
  SERIES_KINDS,
} from '../history-kinds.ts';
import { OPEN } from '../schema.ts';
import { type Cutover, captured, reconstructed } from './history-rows.ts';
import type { HistoryParts } from './view-parts.ts';
import { dayNumberSql, idSql, insertRows, type Writer } from './writer.ts';

export interface IntervalsInput {
  readonly parts: HistoryParts;
  readonly cutovers: readonly Cutover[];
  /** The newest day of the previous view; undefined: the view is new. */
  readonly since: Day | undefined;
  /** Default: those that this program serves. */
  readonly histories?: Readonly<Record<HistoryKind, HistorySource>> | undefined;
}

/** Closed intervals replace their open ones, and new ones are added; reconstructed prices only to a new view. */
export async function writeIntervals(writer: Writer, input: IntervalsInput): Promise<void> {
  const { parts, cutovers, since, histories = HISTORY_SOURCES } = input;
  for (const kind of HISTORY_KINDS) {
    const rows = await captured(writer.duckdb, histories[kind], { parts, cutovers, since });
    await insert(writer, { kind, source: 'capture', rows });
  }
  if (since !== undefined || parts.backfill === undefined) return;
  const rows = await reconstructed(writer.duckdb, histories.pricing, parts.backfill);
  await insert(writer, { kind: 'pricing', source: 'backfill', rows });
}

interface Intervals {
  readonly kind: HistoryKind;
  readonly source: 'capture' | 'backfill';
  /** A SELECT of `model_id, series, valid_from, valid_to, value, payload`; `valid_to` is NULL while an interval is open. */
  readonly rows: string;
}

async function insert(writer: Writer, { kind, source, rows }: Intervals): Promise<void> {
  const seriesKind = SERIES_KINDS[kind];
  await insertRows(writer, {
    into: 'INSERT OR REPLACE INTO intervals (kind, source, model, series, valid_from, valid_to, rank, text, "check")',
    before: [`'${kind}'`, `'${source}'`],
    sql: `SELECT m.number, ${seriesKind === null ? '0' : 's.number'}, ${dayNumberSql('valid_from')},
        coalesce(${dayNumberSql('valid_to')}, ${OPEN}),
        ${kind === 'ranking' ? 'value::DOUBLE' : 'NULL::DOUBLE'}, concat(value, chr(9), payload)
      FROM (${rows}) r ${idSql('model', 'r.model_id', 'm')} ${seriesKind === null ? '' : idSql(seriesKind, 'r.series', 's')}
      ORDER BY 1, 2, 3`,
    checked: [5],
  });
}
