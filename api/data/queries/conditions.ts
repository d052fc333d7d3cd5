/**
 * Conditions and cursors of lists (specification "Lists"). A cursor is base64url of a hash of filters and order, and a JSON list of
 * texts: the last record's sort value, if any, and key. It stays valid even if the record is gone.
 */

import { type Day, dayNumber } from '../../../runtime/day.ts';
import { sha256 } from '../../../storage/hash.ts';
import { notFound, queryProblem, RequestInvalid, type RequestProblem } from '../../server/errors/http-error.ts';
import type { QueryValue } from '../../view/query-threads.ts';
import { type IdKind, numberSql } from '../../view/schema.ts';
import type { View } from '../../view/view.ts';

/** Each `?` is a value, in order. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly QueryValue[];
  /** What binds cursors and identifies totals; default: `sql` and `values`. */
  readonly scope?: Scope;
}

/** Must not change: cursors outlive versions of the service. */
export interface Scope {
  readonly sql: string;
  readonly values: readonly QueryValue[];
}

/** A condition; none if its value is undefined. */
export function where(sql: string, value: QueryValue | undefined, scope: string = sql): readonly Condition[] {
  return value === undefined ? [] : [{ sql, values: [value], scope: { sql: scope, values: [value] } }];
}

/** For a column with the number of an id; an unknown id equals nothing. */
export function whereId(
  column: string,
  kind: IdKind,
  { id, scope }: { readonly id: string | undefined; readonly scope: string },
): readonly Condition[] {
  return where(`${column} = ${numberSql(kind)}`, id, scope);
}

/** @param comparison such as `measured_at >=`, of a column with days since 1970 */
export function whereDay(comparison: string, day: Day | undefined): readonly Condition[] {
  if (day === undefined) return [];
  const scope = { sql: `${comparison} ?::VARCHAR::DATE`, values: [day] };
  return [{ sql: `${comparison} ?`, values: [dayNumber(day)], scope }];
}

export function scopesOf(conditions: readonly Condition[]): readonly Scope[] {
  return conditions.map(({ sql, values, scope = { sql, values } }) => scope);
}

/** `true` without any. */
export function allOf(conditions: readonly Condition[]): Condition {
  const sql = conditions.map((condition) => `(${condition.sql})`).join(' AND ') || 'true';
  return { sql, values: conditions.flatMap(({ values }) => values) };
}

/** Throws `not_found` for an id that was never captured. */
export function assertKnown(
  view: View,
  kind: 'model' | 'benchmark' | 'category' | 'provider',
  { id, param }: { readonly id: string; readonly param: string },
): void {
  const known = view.rows('SELECT 1 FROM ids WHERE kind = ? AND id = ? AND is_known', [kind, id]);
  if (known.length === 0) throw notFound(param, `There is no such ${kind}`);
}

/** A record's sort values as text; null if missing. */
export type CursorPlace = readonly (string | null)[];

const HASH_LENGTH = 8;

/** @param scope filters and order */
export function cursorHash(scope: readonly unknown[]): string {
  return sha256(JSON.stringify(scope)).slice(0, HASH_LENGTH);
}

export function cursorFrom(hash: string, place: CursorPlace): string {
  return Buffer.from(hash + JSON.stringify(place), 'utf8').toString('base64url');
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
