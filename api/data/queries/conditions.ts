import type { QueryValue } from '../../view/query-pool.ts';

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
