import type { ControlDatabase } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';
import { writeStatement, writeTransaction } from '../../database/write-transaction.ts';
import * as statements from './usage-statements.ts';
import {
  answerFromCount,
  capOf,
  dayOf,
  type Group,
  groupsOf,
  type HoldersRow,
  isKeyed,
  keyOf,
  type UsedRow,
} from './usage-statements.ts';
import type { ReleaseRequest, ReserveRequest, UsageAnswer, UsageRequest, UsageStore } from './usage-store.ts';

type Answers = ReadonlyMap<UsageRequest, UsageAnswer>;
type Unit = ReserveRequest | ReleaseRequest;

/** One statement, or several that belong together. */
type Step = { readonly requests: readonly Unit[]; readonly run: (transaction: Database) => Promise<void> };

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
  async apply(requests: readonly UsageRequest[]): Promise<readonly UsageAnswer[]> {
    const releases = requests.filter((request) => request.kind === 'release');
    const reserves = requests.filter((request) => request.kind === 'reserve');
    const answers = new Map<UsageRequest, UsageAnswer>();
    const put = (more: Answers) => {
      for (const [request, answer] of more) answers.set(request, answer);
    };
    await this.#write([
      { requests: releases, run: async (transaction) => put(await this.#release(transaction, releases)) },
      { requests: reserves, run: async (transaction) => put(await this.#reserve(transaction, reserves)) },
    ]);
    // What is left changed nothing: a key holds its unit, others hold it too, or the count is only asked for.
    const open = requests.filter((request) => !answers.has(request));
    if (open.length > 0) put(await orUnavailable(() => this.#read(this.#database.kysely, open)));
    return requests.map((request) => answers.get(request) ?? NOTHING);
  }

  async #write(steps: readonly Step[]): Promise<void> {
    const due = steps.filter(({ requests }) => requests.length > 0);
    if (due.length === 0) return;
    if (this.#database.engine.kind === 'sqlite') {
      await writeTransaction(this.#database, async (transaction) => {
        for (const { run } of due) await run(transaction);
      });
      return;
    }
    for (const { requests, run } of due)
      await (requests.some(isKeyed) ? writeTransaction : writeStatement)(this.#database, run);
  }

  /** Takes units, none for a request whose Idempotency-Key holds one already: such a request is left without an answer. */
  async #reserve(transaction: Database, requests: readonly ReserveRequest[]): Promise<Answers> {
    const byKey = groupsOf(requests.filter(isKeyed), keyOf);
    const fresh = await this.#hold(transaction, byKey);
    const wanting = requests.filter((request) => !isKeyed(request) || fresh.has(request));
    const counted = await this.#count(transaction, wanting);
    const refused = [...fresh].filter((request) => counted.get(request)?.isGranted === false);
    if (refused.length > 0) await statements.removeKeys(transaction, refused);
    return new Map([...counted, ...answersOfSharers(byKey, counted)]);
  }

  /** Adds a holder per request to its key. Resolves to the first request of each key that held nothing before: it needs a unit. */
  async #hold(
    transaction: Database,
    byKey: ReadonlyMap<string, Group<ReserveRequest>>,
  ): Promise<ReadonlySet<ReserveRequest>> {
    if (byKey.size === 0) return new Set();
    const rows = await statements.hold(transaction, [...byKey.values()]);
    const holders = new Map(rows.map((row) => [keyOfRow(row), row.holders]));
    return new Set([...byKey].flatMap(([key, group]) => (holders.get(key) === group.length ? [group[0]] : [])));
  }

  /** Takes a unit per request, as long as there are some on its organization's day; the first requests get them. */
  async #count(transaction: Database, wanting: readonly ReserveRequest[]): Promise<Answers> {
    // Whoever may have none gets none, and nothing is written for it.
    const groups = new Map([...groupsOf(wanting, dayOf)].filter(([, group]) => capOf(group) !== 0));
    const rows = groups.size === 0 ? [] : await statements.count(transaction, [...groups.values()]);
    const counted = rows.flatMap((row) =>
      (groups.get(dayOfRow(row)) ?? []).map((request, index) => [request, answerFromCount(row, index)] as const),
    );
    const answers = new Map<UsageRequest, UsageAnswer>(counted);
    const refused = wanting.filter((request) => !answers.has(request));
    if (refused.length === 0) return answers;
    const read = [...(await this.#read(transaction, refused))];
    return new Map([
      ...answers,
      ...read.map(([request, answer]) => [request, { ...answer, isGranted: false }] as const),
    ]);
  }

  /** Gives units back; those of an Idempotency-Key once nobody holds it any more. Resolves to the requests whose unit went back. */
  async #release(transaction: Database, requests: readonly ReleaseRequest[]): Promise<Answers> {
    const keyed = groupsOf(requests.filter(isKeyed), keyOf);
    const units = [...requests.filter((request) => !isKeyed(request)), ...(await this.#unhold(transaction, keyed))];
    if (units.length === 0) return new Map();
    const rows = await statements.uncount(transaction, [...groupsOf(units, dayOf).values()]);
    const used = usedByDay(rows);
    return new Map(units.map((request) => [request, { isGranted: true, used: used(request), units: -1 }]));
  }

  /** Takes a holder per request from its key. Resolves to a request of each key that nobody holds any more: its unit goes back. */
  async #unhold(
    transaction: Database,
    byKey: ReadonlyMap<string, Group<ReleaseRequest>>,
  ): Promise<readonly ReleaseRequest[]> {
    if (byKey.size === 0) return [];
    const rows = await statements.unhold(transaction, [...byKey.values()]);
    const empty = rows
      .filter(({ holders }) => holders <= 0)
      .flatMap((row) => byKey.get(keyOfRow(row))?.slice(0, 1) ?? []);
    if (empty.length > 0) await statements.removeKeys(transaction, empty);
    return empty;
  }

  /** The usage of each request's organization and day, which it changes nothing of. */
  async #read(database: Database, requests: readonly UsageRequest[]): Promise<Answers> {
    const used = usedByDay(await statements.readUsage(database, [...groupsOf(requests, dayOf).values()]));
    return new Map(requests.map((request) => [request, { isGranted: true, used: used(request), units: 0 }]));
  }
}

const NOTHING: UsageAnswer = { isGranted: false, used: 0, units: 0 };

/** Requests that share a fresh key share the answer of its first one, which alone takes the unit. */
function answersOfSharers(byKey: ReadonlyMap<string, Group<ReserveRequest>>, counted: Answers): Answers {
  const shared = [...byKey.values()].flatMap((group) => {
    const [first, ...others] = group;
    const answer = counted.get(first);
    return answer === undefined ? [] : others.map((request) => [request, { ...answer, units: 0 }] as const);
  });
  return new Map(shared);
}

function usedByDay(rows: readonly UsedRow[]): (request: UsageRequest) => number {
  const used = new Map(rows.map((row) => [dayOfRow(row), row.used]));
  return (request) => used.get(dayOf(request)) ?? 0;
}

function dayOfRow({ organization_id, day }: UsedRow): string {
  return dayOf({ organizationId: organization_id, day });
}

function keyOfRow({ day, api_key_id, key, request }: HoldersRow): string {
  return JSON.stringify([day, api_key_id, key, request]);
}
