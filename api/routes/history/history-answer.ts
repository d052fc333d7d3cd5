/** What the answers of both histories have besides their points. */
import { z } from 'zod';
import { notFound } from '../../../http/errors/http-error.ts';
import type { Day } from '../../../schemas/day.ts';
import { text } from '../../../storage/duckdb/row-shape.ts';
import type { JsonText } from '../../answers/data-route.ts';
import {
  all,
  availableFromOf,
  backfillOf,
  capturesOf,
  type Dependency,
  sinceDay,
  value,
} from '../../answers/dependencies.ts';
import { HISTORY_SOURCES, type HistoryKind } from '../../view/tables/history-kinds.ts';
import type { View } from '../../view/view.ts';
import type { HistoryRange } from './history-range.ts';

export const HistoryPointSchema = z
  .looseObject({
    date: z.iso.date().describe('UTC day'),
    value: z.number().nullable().describe('Score, rank or input price; null for metadata'),
    benchmark_id: z.string().nullable().optional().describe('The series of a score'),
    category_id: z.string().nullable().optional().describe('The series of a rank'),
    payload: z.record(z.string(), z.unknown()).describe('Context by kind; keys may be added'),
    source: z.enum(['capture', 'backfill']).nullable().describe('How the value is known; backfill for pricing only'),
  })
  .meta({ id: 'HistoryPoint' });

export const HistoryWindowSchema = z
  .object({
    from: z.iso.date().describe('First day that was served'),
    to: z.iso.date().describe('Last day that was served'),
    plan_limit_from: z.iso.date().nullable().describe('Oldest day that the plan may query; null: unlimited'),
    available_from: z.iso.date().nullable().describe('First day with data of this kind; null: none yet'),
  })
  .meta({ id: 'HistoryWindow' });

/** The `window` of a history answer, as JSON text. */
export function windowText(view: View, kind: HistoryKind, range: HistoryRange): JsonText {
  return JSON.stringify({
    from: range.from,
    to: range.to,
    plan_limit_from: range.planLimitFrom,
    available_from: view.meta.availableFrom[kind],
  });
}

/**
 * What a history depends on: the captures within its range, which are over and stay as they are, reconstructed prices, and what
 * else `window` says. A range that ends today has been the same since midnight, and so has the plan's.
 */
export function historyDependency(view: View, kind: HistoryKind, range: HistoryRange, today: Day): Dependency {
  return all(
    capturesOf(view, HISTORY_SOURCES[kind].dataset.name, range),
    sinceDay(range.planLimitFrom === null ? range.to : today),
    availableFromOf(view, kind),
    kind === 'pricing' ? backfillOf(view) : value(null),
  );
}

/** The days that points of a kind can have. */
export function daysOf(view: View, kind: HistoryKind): readonly string[] {
  return view.capturedDays(HISTORY_SOURCES[kind].dataset.name);
}

/** Rejects with `not_found` naming the parameter where an id was never captured. */
export async function assertKnown(
  view: View,
  kind: 'model' | 'benchmark' | 'category' | 'provider',
  { id, param }: { readonly id: string; readonly param: string },
): Promise<void> {
  const [row] = await view.rows({ id: text }, 'SELECT id FROM known WHERE kind = $1 AND id = $2', [kind, id]);
  if (row === undefined) throw notFound(param, `There is no such ${kind}`);
}
