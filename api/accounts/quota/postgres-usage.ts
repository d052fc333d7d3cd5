import type pg from 'pg';
import type { PostgresEngine } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import { transactOn } from '../../database/transactions.ts';
import type { CountRow, HoldersRow, UsedRow } from './postgres-usage-statements.ts';
import * as statements from './postgres-usage-statements.ts';
import { answerFromCount, dayOf, isKeyed } from './usage-groups.ts';
import type { ReleaseRequest, ReserveRequest, UsageAnswer, UsageRequest, UsageStore } from './usage-store.ts';

/**
 * Usage in PostgreSQL: a batch is one statement per kind of request. Only reservations and releases with an Idempotency-Key
 * need a transaction, because the key and its unit belong together.
 *
 * Every statement locks its rows in the order of their primary keys, and a transaction locks Idempotency-Keys before usage, so
 * batches of several processes wait for each other but never in a circle.
 */
export class PostgresUsage implements UsageStore {
  readonly #pool: pg.Pool;

  constructor({ pool }: PostgresEngine) {
    this.#pool = pool;
  }

  /** Releases first, then reservations, then reads, whatever their order; answers in the order of the requests. */
  apply(requests: readonly UsageRequest[]): Promise<readonly UsageAnswer[]> {
    return orUnavailable(async () => {
      const releases = requests.filter((request) => request.kind === 'release');
      const reserves = requests.filter((request) => request.kind === 'reserve');
      const givenBack =
        releases.length > 0 ? await this.#transact(releases, (client) => release(client, releases)) : NO_REQUESTS;
      const reserved =
        reserves.length > 0 ? await this.#transact(reserves, (client) => reserve(client, reserves)) : NO_ANSWERS;
      const open = requests.filter((request) => !reserved.has(request));
      const read = open.length > 0 ? await readUsage(this.#pool, open) : NO_ANSWERS;
      return requests.map((request) => {
        const answer = reserved.get(request) ?? read.get(request) ?? NOTHING;
        return givenBack.has(request) ? { ...answer, units: -1 } : answer;
      });
    });
  }

  /** In a transaction where a request has an Idempotency-Key; without one a single statement is enough. */
  async #transact<T>(
    requests: readonly (ReserveRequest | ReleaseRequest)[],
    work: (client: Queryable) => Promise<T>,
  ): Promise<T> {
    if (requests.every(({ idempotency }) => idempotency === undefined)) return work(this.#pool);
    return transactOn(this.#pool, work);
  }
}

/** What a connection and a pool have in common. */
type Queryable = Pick<pg.ClientBase, 'query'>;
type Answers = ReadonlyMap<UsageRequest, UsageAnswer>;

const NO_ANSWERS: Answers = new Map();
const NO_REQUESTS: ReadonlySet<UsageRequest> = new Set();
const NOTHING: UsageAnswer = { isGranted: false, used: 0, units: 0 };

/** The usage of each request's organization and day. */
async function readUsage(client: Queryable, requests: readonly UsageRequest[]): Promise<Answers> {
  const { rows } = await client.query<UsedRow>(statements.readUsage([...Map.groupBy(requests, dayOf).values()]));
  const used = new Map(rows.map((row) => [dayOfRow(row), row.used]));
  return new Map(
    requests.map((request) => [request, { isGranted: true, used: used.get(dayOf(request)) ?? 0, units: 0 }]),
  );
}

/** Takes units, none for a request whose Idempotency-Key holds one already. Resolves to the answer of every request. */
async function reserve(client: Queryable, requests: readonly ReserveRequest[]): Promise<Answers> {
  const byKey = Map.groupBy(requests.filter(isKeyed), keyOf);
  const fresh = await claim(client, byKey);
  const counted = await count(
    client,
    requests.filter((request) => request.idempotency === undefined || fresh.has(request)),
  );
  const refused = [...fresh].filter((request) => counted.get(request)?.isGranted === false);
  if (refused.length > 0) await client.query(statements.unclaim(refused));
  const answers = new Map([...counted, ...answersOfSharers(byKey, counted)]);
  // What is left has a key that held a unit before: it is granted without another one.
  const held = requests.filter((request) => !answers.has(request));
  return held.length === 0 ? answers : new Map([...answers, ...(await readUsage(client, held))]);
}

/** Adds a holder per request to its key. Resolves to the first request of each key that held nothing before: it needs a unit. */
async function claim(
  client: Queryable,
  byKey: ReadonlyMap<string, readonly ReserveRequest[]>,
): Promise<ReadonlySet<ReserveRequest>> {
  if (byKey.size === 0) return new Set();
  const { rows } = await client.query<HoldersRow>(statements.claim([...byKey.values()]));
  const holders = new Map(rows.map((row) => [keyOfRow(row), row.holders]));
  const fresh = [...byKey].filter(([key, group]) => holders.get(key) === group.length);
  return new Set(fresh.flatMap(([, group]) => group.slice(0, 1)));
}

/** Takes a unit per request, as long as there are some on its organization's day; the first requests get them. */
async function count(client: Queryable, wanting: readonly ReserveRequest[]): Promise<Answers> {
  if (wanting.length === 0) return NO_ANSWERS;
  const groups = Map.groupBy(wanting, dayOf);
  const { rows } = await client.query<CountRow>(statements.count([...groups.values()]));
  const counts = new Map(rows.map((row) => [dayOfRow(row), row]));
  return new Map(
    [...groups].flatMap(([day, group]) => {
      const row = counts.get(day);
      if (row === undefined) throw new Error('PostgreSQL left a day of usage without an answer');
      return group.map((request, index) => [request, answerFromCount(row, index)] as const);
    }),
  );
}

/** Requests that share a fresh key share the answer of its first one, which alone takes the unit. */
function answersOfSharers(byKey: ReadonlyMap<string, readonly ReserveRequest[]>, counted: Answers): Answers {
  const shared = [...byKey.values()].flatMap((group) => {
    const answer = group[0] === undefined ? undefined : counted.get(group[0]);
    if (answer === undefined) return [];
    const other: UsageAnswer = { ...answer, units: 0 };
    return group.map((request, index) => [request, index === 0 ? answer : other] as const);
  });
  return new Map(shared);
}

/** Gives units back; those of an Idempotency-Key once nobody holds it any more. Resolves to the requests whose unit went back. */
async function release(client: Queryable, requests: readonly ReleaseRequest[]): Promise<ReadonlySet<UsageRequest>> {
  const plain = requests.filter(({ idempotency }) => idempotency === undefined);
  const byKey = Map.groupBy(requests.filter(isKeyed), keyOf);
  const units = [...plain, ...(await letGo(client, byKey))];
  if (units.length > 0) await client.query(statements.uncount([...Map.groupBy(units, dayOf).values()]));
  return new Set(units);
}

/** Takes a holder per request from its key. Resolves to a request of each key that nobody holds any more: its unit goes back. */
async function letGo(
  client: Queryable,
  byKey: ReadonlyMap<string, readonly ReleaseRequest[]>,
): Promise<readonly ReleaseRequest[]> {
  if (byKey.size === 0) return [];
  const { rows } = await client.query<HoldersRow>(statements.letGo([...byKey.values()]));
  const empty = rows
    .filter(({ holders }) => holders <= 0)
    .flatMap((row) => byKey.get(keyOfRow(row))?.slice(0, 1) ?? []);
  if (empty.length > 0) await client.query(statements.unclaim(empty));
  return empty;
}

function dayOfRow(row: Pick<UsedRow, 'organization_id' | 'day'>): string {
  return `${row.organization_id} ${row.day}`;
}

function keyOf({ day, credentialId, idempotency }: ReserveRequest | ReleaseRequest): string {
  return JSON.stringify([day, credentialId, idempotency?.key, idempotency?.request]);
}

function keyOfRow(row: HoldersRow): string {
  return JSON.stringify([row.day, row.api_key_id, row.key, row.request]);
}
