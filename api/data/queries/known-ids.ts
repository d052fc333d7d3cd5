import { text } from '../../../storage/duckdb/row-shape.ts';
import { notFound } from '../../server/errors/http-error.ts';
import type { View } from '../../view/view.ts';

/** Rejects with `not_found` naming the parameter where an id was never captured. */
export async function assertKnown(
  view: View,
  kind: 'model' | 'benchmark' | 'category' | 'provider',
  { id, param }: { readonly id: string; readonly param: string },
): Promise<void> {
  const [row] = await view.rows({ id: text }, 'SELECT id FROM known WHERE kind = $1 AND id = $2', [kind, id]);
  if (row === undefined) throw notFound(param, `There is no such ${kind}`);
}
