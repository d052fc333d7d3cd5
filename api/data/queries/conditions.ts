/**
 * Conditions of queries, and the cursors of lists (specification "Lists"). A cursor is base64url of a hash of filters and order, and of what the last record of the
 * page before is sorted by, as a JSON list of texts: the value that the list is sorted by, where there is one, and the key.
 * It names a record and not a row, so it is as good in the next view, whether the record is still there or not.
 */

import { text } from '../../../storage/duckdb/row-shape.ts';
import { sha256 } from '../../../storage/hash.ts';
import { notFound, queryProblem, RequestInvalid, type RequestProblem } from '../../server/errors/http-error.ts';
import type { QueryValue } from '../../view/query-pool.ts';
import type { View } from '../../view/view.ts';

/** A condition with its values; `?` stands for each, in order. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly QueryValue[];
}

/** A condition for a parameter that is given; none for one that isn't. `values` stand for the `?` in order. */
export function where(sql: string, ...values: readonly (string | number | undefined)[]): readonly Condition[] {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? [] : [{ sql, values: given }];
}

/** All conditions as one, their `?` numbered; one that always holds where there are none. */
export function allOf(conditions: readonly Condition[]): Condition {
  let count = 0;
  const sql = conditions.map((condition) => {
    return `(${condition.sql.replaceAll('?', () => {
      count += 1;
      return `$${count}`;
    })})`;
  });
  return { sql: sql.join(' AND ') || 'true', values: conditions.flatMap(({ values }) => values) };
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

/** What a record is sorted by, as text; null for a value that it doesn't have. */
export type CursorPlace = readonly (string | null)[];

const HASH_LENGTH = 8;

/** Tells requests with other filters or another order apart; `scope` is all that tells them. */
export function cursorHash(scope: readonly unknown[]): string {
  return sha256(JSON.stringify(scope)).slice(0, HASH_LENGTH);
}

/** @param place a {@link CursorPlace} as JSON text */
export function cursorFrom(hash: string, place: string): string {
  return Buffer.from(hash + place, 'utf8').toString('base64url');
}

/** The place that a cursor names; throws what is told of a parameter where it is one of another list. */
export function getPlace(cursor: string, hash: string, parts: number): CursorPlace {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8');
  const place = decoded.startsWith(hash) ? parsePlace(decoded.slice(hash.length)) : undefined;
  if (place?.length === parts) return place;
  throw new RequestInvalid([cursorProblem(cursor)]);
}

/** What is wrong with a text that can't be the cursor of any list; one of another list shows when the page is made. */
export function findCursorProblem(cursor: string): RequestProblem | undefined {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8');
  return parsePlace(decoded.slice(HASH_LENGTH)) === undefined ? cursorProblem(cursor) : undefined;
}

function cursorProblem(cursor: string): RequestProblem {
  return queryProblem('cursor', cursor, {
    msg: 'This cursor is not one of this list with these filters and this order; begin without one',
    type: 'cursor_invalid',
  });
}

function parsePlace(json: string): CursorPlace | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    const isPlace = Array.isArray(parsed) && parsed.every((part) => part === null || typeof part === 'string');
    return isPlace ? parsed : undefined;
  } catch {
    return undefined;
  }
}
