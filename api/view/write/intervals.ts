import type { Day } from '../../../runtime/day.ts';
import { HISTORY_KINDS, HISTORY_SOURCES, type HistoryKind, type HistorySource, SERIES_KINDS } from '../history-kinds.ts';
import { OPEN } from '../schema.ts';
import { type Cutover, captured, type HistoryParts, reconstructed } from './history-rows.ts';
import { insertRows, type Writer } from './writer.ts';

export interface IntervalsInput {
  readonly parts: HistoryParts;
  readonly cutovers: readonly Cutover[];
  /** The last day that the view has; undefined: it is empty. */
  readonly since: Day | undefined;
  /** Whether the reconstructed prices are others than those of the view. */
  readonly isBackfillNew: boolean;
  /** Default: those that this program answers. */
  readonly histories?: Readonly<Record<HistoryKind, HistorySource>> | undefined;
}

/**
 * Brings the intervals up to date: those that the new releases closed take the place of their open ones, those that began since come
 * in, and reconstructed prices are replaced where they are others.
 */
export async function writeIntervals(writer: Writer, input: IntervalsInput): Promise<void> {
  const { parts, cutovers, since, isBackfillNew, histories = HISTORY_SOURCES } = input;
  for (const kind of HISTORY_KINDS) {
    const rows = await captured(writer.duckdb, histories[kind], { parts, cutovers, since });
    await insert(writer, kind, rows);
  }
  if (!isBackfillNew) return;
  writer.view.exec(`DELETE FROM intervals WHERE kind = 'pricing' AND source = 'backfill'`);
  if (parts.backfill === undefined) return;
  await insert(writer, 'pricing', await reconstructed(writer.duckdb, histories.pricing, parts.backfill));
}

/** @param rows a SELECT of `model_id, series, valid_from, valid_to, source, value, payload`; `valid_to` is NULL while it is open */
async function insert(writer: Writer, kind: HistoryKind, rows: string): Promise<void> {
  await insertRows(writer, {
    into: 'INSERT OR REPLACE INTO intervals',
    sql: `SELECT '${kind}', m.number, coalesce(s.number, 0), valid_from::VARCHAR, coalesce(valid_to, DATE '${OPEN}')::VARCHAR, source,
        value, payload
      FROM (${rows}) r JOIN (SELECT id, number FROM ids WHERE kind = 'model') m ON m.id = r.model_id
      LEFT JOIN (SELECT id, number FROM ids WHERE kind = '${SERIES_KINDS[kind] ?? ''}') s ON s.id = r.series
      ORDER BY 2, 3, 4`,
    checked: [6, 7],
  });
}
