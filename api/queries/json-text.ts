import type { ListPage } from './list-page.ts';

/** An array of values that are JSON text already. */
export function jsonArray(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}

/** An object whose values are JSON text already, in the order given. */
export function jsonObject(fields: Readonly<Record<string, string>>): string {
  return `{${Object.entries(fields)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
}

/** `{<name>: […], total, next_cursor}`, with what goes before. */
export function listBody(name: string, page: ListPage, before: Readonly<Record<string, string>> = {}): string {
  return jsonObject({
    ...before,
    [name]: jsonArray(page.lines),
    total: String(page.total),
    next_cursor: JSON.stringify(page.nextCursor),
  });
}
