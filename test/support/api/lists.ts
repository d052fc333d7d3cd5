import type { TestApi } from './open-api.ts';

export type ListedRecord = Readonly<Record<string, unknown>>;

export interface List {
  readonly records: readonly ListedRecord[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/** A list's answer; `path` may have a query. The records are under the name of the route. */
export async function getList(api: Pick<TestApi, 'json'>, path: string): Promise<List> {
  const body = await api.json(path);
  const name = /^\/v1\/(\w+)/.exec(path)?.[1] ?? '';
  return { ...(body as unknown as List), records: body[name] as readonly ListedRecord[] };
}

/** All records of a list, page by page, or those of some pages behind a cursor; `path` has a query. */
export async function pageList(
  api: Pick<TestApi, 'json'>,
  path: string,
  { from = '', pagesMax = Number.POSITIVE_INFINITY } = {},
): Promise<readonly ListedRecord[]> {
  const records: ListedRecord[] = [];
  for (let cursor: string | null = from, pages = 0; cursor !== null && pages < pagesMax; pages += 1) {
    const page: List = await getList(api, cursor === '' ? path : `${path}&cursor=${cursor}`);
    records.push(...page.records);
    cursor = page.next_cursor;
  }
  return records;
}
