/**
 * Conditions and cursors of lists (specification "Lists"). A cursor is base64url of a hash of filters and order, and a JSON list of
 * texts: the last record's sort value, if any, and key. It stays valid even if the record is gone.
 */

import { text } from '../../../storage/duckdb/row-shape.ts';
import { sha256 } from '../../../storage/hash.ts';
import { notFound, queryProblem, RequestInvalid, type RequestProblem } from '../../server/errors/http-error.ts';
import type { QueryValue } from '../../view/query-pool.ts';
import type { View } from '../../view/view.ts';

/** Each `?` is a value, in order. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly QueryValue[];
}

/** A condition; none if its values are undefined. */
export function where(sql: string, ...values: readonly (string | number | undefined)[]): readonly Condition[] {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? [] : [{ sql, values: given }];
}

/** `true` without any. */
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

/** Rejects with `not_found` for an id that was never captured. */
export async function assertKnown(
  view: View,
  kind: 'model' | 'benchmark' | 'category' | 'provider',
  { id, param }: { readonly id: string; readonly param: string },
): Promise<void> {
  const [row] = await view.rows({ id: text }, 'SELECT id FROM known WHERE kind = $1 AND id = $2', [kind, id]);
  if (row === undefined) throw notFound(param, `There is no such ${kind}`);
}

/** A record's sort values as text; null if missing. */
export type CursorPlace = readonly (string | null)[];

const HASH_LENGTH = 8;

/** @param scope filters and order */
export function cursorHash(scope: readonly unknown[]): string {
  return sha256(JSON.stringify(scope)).slice(0, HASH_LENGTH);
}

/** @param place a {@link CursorPlace} as JSON text */
export function cursorFrom(hash: string, place: string): string {
  return Buffer.from(hash + place, 'utf8').toString('base64url');
}

/** Throws {@link RequestInvalid} for a cursor of another list. */
export function getPlace(cursor: string, hash: string, parts: number): CursorPlace {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8');
  const place = decoded.startsWith(hash) ? parsePlace(decoded.slice(hash.length)) : undefined;
  if (place?.length === parts) return place;
  throw new RequestInvalid([cursorProblem(cursor)]);
}

/** Finds malformed cursors only; see {@link getPlace}. */
export function findCursorProblem(cursor: string): RequestProblem | undefined {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8');
  return parsePlace(decoded.slice(HASH_LENGTH)) === undefined ? cursorProblem(cursor) : undefined;
}

function cursorProblem(cursor: string): RequestProblem {
  return queryProblem('cursor', cursor, {
    msg: 'This cursor belongs to another list, filters or order; start again without a cursor',
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
