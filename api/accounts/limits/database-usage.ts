import type { ControlDatabase } from '../../database/control-database.ts';
import { readWork, type Work, writeWork } from '../../database/statements.ts';
import * as statements from './usage-statements.ts';
import {
  capOf,
  dayOf,
  type Group,
  groupsOf,
  type HoldersRow,
  isKeyed,
  keyOf,
  responseFromCount,
  type UsedRow,
} from './usage-statements.ts';
import type { ReleaseRequest, ReserveRequest, UsageRequest, UsageResponse, UsageStore } from './usage-store.ts';

type Responses = Map<UsageRequest, UsageResponse>;
type Unit = ReserveRequest | ReleaseRequest;

type Step = { readonly requests: readonly Unit[]; readonly work: (into: Responses) => Work<void> };

/**
 * Usage in the control database: one statement per kind of request in a batch. An Idempotency-Key and its unit change
 * in one transaction.
 * PostgreSQL: rows are locked in primary-key order, and Idempotency-Keys before usage, so parallel batches never
 * deadlock; therefore releases and reservations are separate transactions. SQLite has one writer: a batch is one
 * transaction.
 */
export class DatabaseUsage implements UsageStore {
  readonly #database: ControlDatabase;

  constructor(database: ControlDatabase) {
    this.#database = database;
  }

  /** Responses are in the order of the requests. */
  async apply(requests: readonly UsageRequest[]): Promise<readonly UsageResponse[]> {
    const releases = requests.filter((request) => request.kind === 'release');
    const reserves = requests.filter((request) => request.kind === 'reserve');
    const steps: readonly Step[] = [
      { requests: releases, work: (into) => this.#release(releases, into) },
      { requests: reserves, work: (into) => this.#reserve(reserves, into) },
    ];
    const responses = await this.#write(steps.filter((step) => step.requests.length > 0));
    // Unchanged: the key has its unit, others hold it, or a read.
    const open = requests.filter((request) => !responses.has(request));
    const used = open.length === 0 ? NONE_USED : await readWork(this.#database, () => this.#read(open));
    return requests.map((request) => responses.get(request) ?? { isGranted: true, used: used(request), units: 0 });
  }

  async #write(steps: readonly Step[]): Promise<Responses> {
    if (this.#database.engine.kind === 'sqlite' && steps.length > 0)
      return writeWork(this.#database, () => responsesOf(steps), { isSingle: false });
    const responses: Responses = new Map();
    for (const { requests, work } of steps)
      await writeWork(this.#database, () => work(responses), { isSingle: !requests.some(isKeyed) });
    return responses;
  }

  /** Takes units. Sets no response for a request whose Idempotency-Key already holds one. */
  *#reserve(requests: readonly ReserveRequest[], responses: Responses): Work<void> {
    const byKey = groupsOf(requests.filter(isKeyed), keyOf);
    const fresh = yield* this.#hold(byKey);
    yield* this.#count(
      requests.filter((request) => !isKeyed(request) || fresh.has(request)),
      responses,
    );
    const refused = [...fresh].filter((request) => responses.get(request)?.isGranted === false);
    if (refused.length > 0) yield* statements.removeKeys(refused);
    // Requests that share a new key share the response of the first.
    for (const [first, ...others] of byKey.values()) {
      const response = responses.get(first);
      if (response !== undefined) for (const request of others) responses.set(request, { ...response, units: 0 });
    }
  }

  /** Returns the first request of each new key: it needs a unit. */
  *#hold(byKey: ReadonlyMap<string, Group<ReserveRequest>>): Work<ReadonlySet<ReserveRequest>> {
    if (byKey.size === 0) return new Set();
    const rows = yield* statements.hold([...byKey.values()]);
    const holders = new Map(rows.map((row) => [keyOfRow(row), row.holders]));
    return new Set([...byKey].flatMap(([key, group]) => (holders.get(key) === group.length ? [group[0]] : [])));
  }

  /** In order, up to the cap. */
  *#count(requests: readonly ReserveRequest[], responses: Responses): Work<void> {
    const groups = groupsOf(requests, dayOf);
    // A cap of 0 grants nothing, so nothing is written.
    const open = [...groups.values()].filter((group) => capOf(group) !== 0);
    for (const row of open.length === 0 ? [] : yield* statements.count(open))
      for (const [index, request] of (groups.get(dayOfRow(row)) ?? []).entries())
        responses.set(request, responseFromCount(row, index));
    const refused = requests.filter((request) => !responses.has(request));
    if (refused.length === 0) return;
    const used = yield* this.#read(refused);
    for (const request of refused) responses.set(request, { isGranted: false, used: used(request), units: 0 });
  }

  /** An Idempotency-Key's unit is released with its last holder. Sets no response where none was released. */
  *#release(requests: readonly ReleaseRequest[], responses: Responses): Work<void> {
    const keyed = groupsOf(requests.filter(isKeyed), keyOf);
    const units = [...requests.filter((request) => !isKeyed(request)), ...(yield* this.#unhold(keyed))];
    if (units.length === 0) return;
    const used = usedByDay(yield* statements.uncount([...groupsOf(units, dayOf).values()]));
    for (const request of units) responses.set(request, { isGranted: true, used: used(request), units: -1 });
  }

  /** Returns one request for each key without holders. */
  *#unhold(byKey: ReadonlyMap<string, Group<ReleaseRequest>>): Work<readonly ReleaseRequest[]> {
    if (byKey.size === 0) return [];
    const rows = yield* statements.unhold([...byKey.values()]);
    const empty = rows
      .filter(({ holders }) => holders <= 0)
      .flatMap((row) => byKey.get(keyOfRow(row))?.slice(0, 1) ?? []);
    if (empty.length > 0) yield* statements.removeKeys(empty);
    return empty;
  }

  *#read(requests: readonly UsageRequest[]): Work<UsedOf> {
    return usedByDay(yield* statements.readUsage([...groupsOf(requests, dayOf).values()]));
  }
}

/** Starts empty on a retry, since the failed attempt counted nothing. */
function* responsesOf(steps: readonly Step[]): Work<Responses> {
  const responses: Responses = new Map();
  for (const { work } of steps) yield* work(responses);
  return responses;
}

type UsedOf = (request: UsageRequest) => number;

const NONE_USED: UsedOf = () => 0;

function usedByDay(rows: readonly UsedRow[]): UsedOf {
  const used = new Map(rows.map((row) => [dayOfRow(row), row.used]));
  return (request) => used.get(dayOf(request)) ?? 0;
}

function dayOfRow({ organization_id, day }: UsedRow): string {
  return dayOf({ organizationId: organization_id, day });
}

function keyOfRow({ day, api_key_id, key, request }: HoldersRow): string {
  return JSON.stringify([day, api_key_id, key, request]);
}
