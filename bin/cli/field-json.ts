import { timestampFromDate } from '../../runtime/day.ts';

/** Fields of a value as commands answer them: in this order, under their names in snake case, times as text. */
export function fieldJson<T extends object>(value: T, fields: readonly (keyof T & string)[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const given = value[field];
      return [snakeCase(field), given instanceof Date ? timestampFromDate(given) : given];
    }),
  );
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
