import { nullable, text } from '../../../../storage/duckdb/row-shape.ts';
import type { View } from '../../../view/view.ts';
import { groupByDay } from '../../../view/view-meta.ts';

/** Something of each kind that a request can name; undefined where there is none. */
export interface ServedIds {
  readonly model?: string | undefined;
  readonly category?: string | undefined;
  readonly snapshot?: string | undefined;
}

/** One row: the best model of the first category; where nothing is ranked, the first model; where there is no model, none. */
const SQL = `
  SELECT models.id AS model, rankings.category
  FROM models LEFT JOIN rankings ON rankings.model_id = models.id
  ORDER BY rankings.category NULLS LAST, rankings.rank, models.pos
  LIMIT 1`;

/** Ids that a view answers for: those of a model that most is known of, and the newest snapshot. */
export async function findServedIds(view: View): Promise<ServedIds> {
  const [row] = await view.rows({ model: text, category: nullable(text) }, SQL);
  const newest = [...groupByDay(view.meta.manifests).values()].at(-1)?.[0];
  return { model: row?.model, category: row?.category ?? undefined, snapshot: newest?.id };
}
