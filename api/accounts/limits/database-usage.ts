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

type Answers = Map<UsageRequest, UsageResponse>;
type Unit = ReserveRequest | ReleaseRequest;

/** What becomes of requests of one kind. */
type Step = { readonly requests: readonly Unit[]; readonly work: (into: Answers) => Work<void> };

/**
 * Usage in the control database: a batch is one statement per kind of request, however many requests. The statements of an
 * Idempotency-Key and of its unit belong together, so they share a transaction.
 *
 * On PostgreSQL every statement locks its rows in the order of their primary keys, and a transaction locks Idempotency-Keys before
 * usage, so batches of several processes wait for each other but never in a circle. That is why releases and reservations are
 * transactions of their own there. SQLite has one writer at a time: there the batch is one transaction and shares a sync to the disk.
 */
export class DatabaseUsage implements UsageStore {
  readonly #database: ControlDatabase;

  constructor(database: ControlDatabase) {
    this.#database = database;
  }

  /** Releases first, then reservations, then reads, whatever their order; answers in the order of the requests. */
  async apply(requests: readonly UsageRequest[]): Promise<readonly UsageResponse[]> {
    const releases = requests.filter((request) => request.kind === 'release');
    const reserves = requests.filter((request) => request.kind === 'reserve');
    const steps: readonly Step[] = [
      { requests: releases, work: (into) => this.#release(releases, into) },
      { requests: reserves, work: (into) => this.#reserve(reserves, into) },
    ];
    const responses = await this.#write(steps.filter((step) => step.requests.length > 0));
    // What is left changed nothing: a key holds its unit, others hold it too, or the count is only asked for.
    const open = requests.filter((request) => !responses.has(request));
    const used = open.length === 0 ? NONE_USED : await readWork(this.#database, () => this.#read(open));
    return requests.map((request) => responses.get(request) ?? { isGranted: true, used: used(request), units: 0 });
  }

  async #write(steps: readonly Step[]): Promise<Answers> {
    if (this.#database.engine.kind === 'sqlite' && steps.length > 0)
      return writeWork(this.#database, () => responsesOf(steps), { isAlone: false });
    const responses: Answers = new Map();
    for (const { requests, work } of steps)
      await writeWork(this.#database, () => work(responses), { isAlone: !requests.some(isKeyed) });
    return responses;
  }

  /** Takes units, none for a request whose Idempotency-Key holds one already: such a request is left without an answer. */
  *#reserve(requests: readonly ReserveRequest[], responses: Answers): Work<void> {
    const byKey = groupsOf(requests.filter(isKeyed), keyOf);
    const fresh = yield* this.#hold(byKey);
    yield* this.#count(
      requests.filter((request) => !isKeyed(request) || fresh.has(request)),
      responses,
    );
    const refused = [...fresh].filter((request) => responses.get(request)?.isGranted === false);
    if (refused.length > 0) yield* statements.removeKeys(refused);
    // Requests that share a fresh key share the answer of its first one, which alone takes the unit.
    for (const [first, ...others] of byKey.values()) {
      const response = responses.get(first);
      if (response !== undefined) for (const request of others) responses.set(request, { ...response, units: 0 });
    }
  }

  /** Adds a holder per request to its key. Returns the first request of each key that held nothing before: it needs a unit. */
  *#hold(byKey: ReadonlyMap<string, Group<ReserveRequest>>): Work<ReadonlySet<ReserveRequest>> {
    if (byKey.size === 0) return new Set();
    const rows = yield* statements.hold([...byKey.values()]);
    const holders = new Map(rows.map((row) => [keyOfRow(row), row.holders]));
    return new Set([...byKey].flatMap(([key, group]) => (holders.get(key) === group.length ? [group[0]] : [])));
  }

  /** Takes a unit per request, as long as there are some on its organization's day; the first requests get them. */
  *#count(requests: readonly ReserveRequest[], responses: Answers): Work<void> {
    const groups = groupsOf(requests, dayOf);
    // Whoever may have none gets none, and nothing is written for it.
    const open = [...groups.values()].filter((group) => capOf(group) !== 0);
    for (const row of open.length === 0 ? [] : yield* statements.count(open))
      for (const [index, request] of (groups.get(dayOfRow(row)) ?? []).entries())
        responses.set(request, responseFromCount(row, index));
    const refused = requests.filter((request) => !responses.has(request));
    if (refused.length === 0) return;
    const used = yield* this.#read(refused);
    for (const request of refused) responses.set(request, { isGranted: false, used: used(request), units: 0 });
  }

  /** Gives units back; those of an Idempotency-Key once nobody holds it any more. Where none went back there is no answer. */
  *#release(requests: readonly ReleaseRequest[], responses: Answers): Work<void> {
    const keyed = groupsOf(requests.filter(isKeyed), keyOf);
    const units = [...requests.filter((request) => !isKeyed(request)), ...(yield* this.#unhold(keyed))];
    if (units.length === 0) return;
    const used = usedByDay(yield* statements.uncount([...groupsOf(units, dayOf).values()]));
    for (const request of units) responses.set(request, { isGranted: true, used: used(request), units: -1 });
  }

  /** Takes a holder per request from its key. Returns a request of each key that nobody holds any more: its unit goes back. */
  *#unhold(byKey: ReadonlyMap<string, Group<ReleaseRequest>>): Work<readonly ReleaseRequest[]> {
    if (byKey.size === 0) return [];
    const rows = yield* statements.unhold([...byKey.values()]);
    const empty = rows
      .filter(({ holders }) => holders <= 0)
      .flatMap((row) => byKey.get(keyOfRow(row))?.slice(0, 1) ?? []);
    if (empty.length > 0) yield* statements.removeKeys(empty);
    return empty;
  }

  /** The usage of each request's organization and day. */
  *#read(requests: readonly UsageRequest[]): Work<UsedOf> {
    return usedByDay(yield* statements.readUsage([...groupsOf(requests, dayOf).values()]));
  }
}

/** Its answers are its own: work that begins anew knows none of an attempt before, which counted nothing. */
function* responsesOf(steps: readonly Step[]): Work<Answers> {
  const responses: Answers = new Map();
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
