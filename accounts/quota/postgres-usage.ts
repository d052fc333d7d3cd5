import type pg from 'pg';
import { orUnavailable } from '../database/database-errors.ts';
import * as statements from './postgres-statements.ts';
import type {
  ReadRequest,
  ReleaseRequest,
  ReserveRequest,
  UsageAnswer,
  UsageRequest,
  UsageStore,
} from './usage-store.ts';

/** What a connection and a pool have in common. */
type Queryable = Pick<pg.ClientBase, 'query'>;

/**
 * Usage in PostgreSQL: a batch is one statement per kind of request. Only reservations and releases with an Idempotency-Key
 * need a transaction, because the key and its unit belong together.
 *
 * Every statement locks its rows in the order of their primary keys, and a transaction locks Idempotency-Keys before usage, so
 * batches of several processes wait for each other but never in a circle.
 */
export class PostgresUsage implements UsageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Releases first, then reservations, then reads, whatever their order; answers in the order of the requests. */
  apply(requests: readonly UsageRequest[]): Promise<readonly UsageAnswer[]> {
    return orUnavailable(async () => {
      const answers = new Map<UsageRequest, UsageAnswer>();
      const releases = requests.filter((request) => request.kind === 'release');
      const reserves = requests.filter((request) => request.kind === 'reserve');
      if (releases.length > 0) await this.#transact(releases, (client) => release(client, releases));
      if (reserves.length > 0)
        for (const [request, answer] of await this.#transact(reserves, (client) => reserve(client, reserves)))
          answers.set(request, answer);
      const open = requests.filter((request) => !answers.has(request));
      if (open.length > 0) for (const [request, answer] of await read(this.#pool, open)) answers.set(request, answer);
      return requests.map((request) => answers.get(request) ?? { isGranted: false, used: 0 });
    });
  }

  /** In a transaction where a request has an Idempotency-Key; else a statement is one by itself. */
  async #transact<T>(
    requests: readonly (ReserveRequest | ReleaseRequest)[],
    work: (client: Queryable) => Promise<T>,
  ): Promise<T> {
    if (requests.every(({ idempotencyKey }) => idempotencyKey === undefined)) return work(this.#pool);
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      client.release(true); // Closing the connection is the surest rollback.
      throw error;
    }
  }
}

type Answers = ReadonlyMap<UsageRequest, UsageAnswer>;

async function reserve(client: Queryable, requests: readonly ReserveRequest[]): Promise<Answers> {
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
  return held.length === 0 ? answers : new Map([...answers, ...(await read(client, held))]);
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

async function release(client: Queryable, requests: readonly ReleaseRequest[]): Promise<void> {
  const plain = requests.filter(({ idempotencyKey }) => idempotencyKey === undefined);
  const byKey = groupBy(
    requests.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    keyOf,
  );
  const freed = await letGo(client, byKey);
  const units = [...plain, ...freed];
  if (units.length > 0) await client.query(statements.uncount([...groupBy(units, usageKeyOf).values()]));
}

/** Takes holders from their keys; of each key that is left without one, a request whose unit goes back. */
async function letGo(
  client: Queryable,
  byKey: ReadonlyMap<string, readonly ReleaseRequest[]>,
): Promise<ReleaseRequest[]> {
  const groups = [...byKey.values()];
  if (groups.length === 0) return [];
  const { rows } = await client.query<KeyRow>(statements.letGo(groups));
  const empty = rows
    .filter(({ holders }) => holders <= 0)
    .flatMap((row) => byKey.get(keyOfRow(row))?.slice(0, 1) ?? []);
  if (empty.length > 0) await client.query(statements.unclaim(empty));
  return empty;
}

async function read(
  client: Queryable,
  requests: readonly (ReadRequest | ReserveRequest | ReleaseRequest)[],
): Promise<Answers> {
  const { rows } = await client.query<UsageRow>(statements.read([...groupBy(requests, usageKeyOf).values()]));
  const used = new Map(rows.map((row) => [usageKeyOfRow(row), row.used]));
  return new Map(requests.map((request) => [request, { isGranted: true, used: used.get(usageKeyOf(request)) ?? 0 }]));
}

interface Count {
  readonly used: number;
  granted: number;
}

interface UsageRow {
  readonly organization_id: string;
  readonly day: string;
  readonly used: number;
}

interface KeyRow {
  readonly day: string;
  readonly api_key_id: string;
  readonly key: string;
  readonly holders: number;
}

function usageKeyOf({ organizationId, day }: Pick<ReadRequest, 'organizationId' | 'day'>): string {
  return `${organizationId} ${day}`;
}

function usageKeyOfRow(row: UsageRow): string {
  return `${row.organization_id} ${row.day}`;
}

function keyOf({ day, apiKeyId, idempotencyKey }: ReserveRequest | ReleaseRequest): string {
  return `${day} ${apiKeyId} ${idempotencyKey}`;
}

function keyOfRow({ day, api_key_id, key }: KeyRow): string {
  return `${day} ${api_key_id} ${key}`;
}

function groupBy<T>(items: readonly T[], keyOfItem: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
