import { readUsage } from './postgres-read.ts';
import {
  type Answers,
  groupBy,
  type KeyRow,
  keyOf,
  keyOfRow,
  type Queryable,
  type UsageRow,
  usageKeyOf,
  usageKeyOfRow,
} from './postgres-rows.ts';
import * as statements from './postgres-statements.ts';
import type { ReserveRequest, UsageAnswer, UsageRequest } from './usage-store.ts';

/** Takes units; an Idempotency-Key that holds one gets no second. The answer of every request. */
export async function reserve(client: Queryable, requests: readonly ReserveRequest[]): Promise<Answers> {
  const byKey = groupBy(
    requests.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    keyOf,
  );
  const fresh = await claim(client, byKey);
  const wanting = requests.filter((request) => request.idempotencyKey === undefined || fresh.has(request));
  const counts = wanting.length === 0 ? new Map<string, Count>() : await count(client, wanting);
  const answers = new Map<UsageRequest, UsageAnswer>();
  for (const request of wanting) {
    const of = counts.get(usageKeyOf(request));
    if (of === undefined) throw new Error('PostgreSQL left a day of usage without an answer');
    const isGranted = of.granted > 0;
    if (isGranted) of.granted -= 1;
    answers.set(request, { isGranted, used: of.used - of.granted });
  }
  await unclaim(
    client,
    [...fresh].filter((request) => answers.get(request)?.isGranted === false),
  );
  // Requests that share a fresh key share its fate; those whose key held a unit before are granted and read their usage.
  for (const [, group] of byKey) {
    const [first] = group;
    const answer = first === undefined ? undefined : answers.get(first);
    if (answer !== undefined) for (const request of group) answers.set(request, answer);
  }
  const held = requests.filter((request) => !answers.has(request));
  return held.length === 0 ? answers : new Map([...answers, ...(await readUsage(client, held))]);
}

/** Adds a holder per request to its key; of each key that held nothing before, the first request, which has to find a unit. */
async function claim(
  client: Queryable,
  byKey: ReadonlyMap<string, readonly ReserveRequest[]>,
): Promise<Set<ReserveRequest>> {
  const groups = [...byKey.values()];
  if (groups.length === 0) return new Set();
  const { rows } = await client.query<KeyRow>(statements.claim(groups));
  const holders = new Map(rows.map((row) => [keyOfRow(row), row.holders]));
  const fresh = [...byKey].filter(([key, group]) => holders.get(key) === group.length);
  return new Set(fresh.flatMap(([, group]) => group.slice(0, 1)));
}

async function unclaim(client: Queryable, refused: readonly ReserveRequest[]): Promise<void> {
  if (refused.length > 0) await client.query(statements.unclaim(refused));
}

/** Takes as many of the wanted units as there are, per organization and day. */
async function count(client: Queryable, wanting: readonly ReserveRequest[]): Promise<Map<string, Count>> {
  const groups = [...groupBy(wanting, usageKeyOf).values()];
  const { rows } = await client.query<UsageRow & { granted: number }>(statements.count(groups));
  return new Map(rows.map((row) => [usageKeyOfRow(row), { used: row.used, granted: row.granted }]));
}

interface Count {
  readonly used: number;
  granted: number;
}
