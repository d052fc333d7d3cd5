import { type Answers, groupBy, type Queryable, type UsageRow, usageKeyOf, usageKeyOfRow } from './postgres-rows.ts';
import * as statements from './postgres-statements.ts';
import type { UsageRequest } from './usage-store.ts';

/** The usage of each request's organization and day. */
export async function readUsage(client: Queryable, requests: readonly UsageRequest[]): Promise<Answers> {
  const { rows } = await client.query<UsageRow>(statements.read([...groupBy(requests, usageKeyOf).values()]));
  const used = new Map(rows.map((row) => [usageKeyOfRow(row), row.used]));
  return new Map(requests.map((request) => [request, { isGranted: true, used: used.get(usageKeyOf(request)) ?? 0 }]));
}
