import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, Kysely } from 'kysely';
import type { SqliteEngine } from '../../database/control-database.ts';
import { isSqliteBusy, orUnavailable, unavailable } from '../../database/database-errors.ts';
import type { ControlTables } from '../../database/tables.ts';
import { compileRevocation } from '../endpoints/revocation.ts';
import { compileMove } from '../endpoints/transitions.ts';
import type {
  ClaimedDelivery,
  DeliveryQueue,
  Release,
  Settlement,
  Target,
  Turn,
  TurnResult,
} from './delivery-queue.ts';
import { endpointChange, type Settled } from './endpoint-outcomes.ts';
import { claimedFromRow, columnsOf, standingFromRow, type TargetRow, targetFromRow } from './queue-rows.ts';
import { prepareStatements } from './sqlite-queue-statements.ts';
import { drop, findDelivery, findTarget, findWaiting, readBacklog } from './waiting.ts';

/** Between two attempts while another process writes; its commits take a few milliseconds. */
const RETRY_MS = 10;

/**
 * Deliveries in SQLite: a turn is one transaction of prepared statements, so all of it shares one sync to the disk. While another
 * process writes it tries again and again, as usage does: SQLite's own waiting would hold up the event loop.
 */
export class SqliteQueue implements DeliveryQueue {
  readonly #kysely: Kysely<ControlTables>;
  readonly #engine: SqliteEngine;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(kysely: Kysely<ControlTables>, engine: SqliteEngine) {
    this.#kysely = kysely;
    this.#engine = engine;
    this.#statements = prepareStatements(engine.connection);
  }

  turn(turn: Turn): Promise<TurnResult> {
    return this.#write(() => this.#turn(turn));
  }

  claim(
    deliveryId: string,
    { dispatcher, now, claimUntil }: Pick<Turn, 'dispatcher' | 'now' | 'claimUntil'>,
  ): Promise<ClaimedDelivery | undefined> {
    return this.#write(() => {
      const row = this.#statements.findClaimable.get({ id: deliveryId, now: now.getTime() });
      if (row === undefined) return undefined;
      this.#statements.claim.run({ id: row.id, dispatcher, dueAt: claimUntil.getTime() });
      return claimedFromRow(row, claimUntil);
    });
  }

  findWaiting() {
    return orUnavailable(() => findWaiting(this.#kysely));
  }

  drop(endpoint: Pick<Target, 'id' | 'state'>, now: Date) {
    return orUnavailable(() => drop(this.#kysely, endpoint, now));
  }

  find(deliveryId: string) {
    return orUnavailable(() => findDelivery(this.#kysely, deliveryId));
  }

  findTarget(endpointId: string) {
    return orUnavailable(() => findTarget(this.#kysely, endpointId));
  }

  backlog(now: Date) {
    return orUnavailable(() => readBacklog(this.#kysely, now));
  }

  #turn({ dispatcher, now, settlements, releases, wants, claimUntil, endpointIds }: Turn): TurnResult {
    const settled = settlements.flatMap((settlement) => this.#settle(settlement, dispatcher));
    for (const release of releases) this.#release(release, dispatcher);
    const changes = [...Map.groupBy(settled, ({ delivery }) => delivery.endpointId)].map(
      ([id, ofEndpoint]) => [id, this.#changeEndpoint(id, ofEndpoint, now)] as const,
    );
    const rows = [...new Set([...endpointIds, ...wants.map(({ endpointId }) => endpointId)])].flatMap((id) => {
      const row = this.#statements.target.get(id);
      return row === undefined ? [] : [row];
    });
    const states = new Map(rows.map(({ id, state }) => [id, state]));
    const claimed = wants.flatMap(({ endpointId, count }) => {
      const selector = { endpointId, count, now: now.getTime() };
      const { duePings, due } = this.#statements;
      const found = { registered: () => duePings.all(selector), active: () => due.all(selector) };
      const state = states.get(endpointId);
      return state === 'registered' || state === 'active' ? found[state]() : [];
    });
    for (const { id } of claimed) this.#statements.claim.run({ id, dispatcher, dueAt: claimUntil.getTime() });
    return {
      claimed: claimed.map((row) => claimedFromRow(row, claimUntil)),
      targets: rows.map(targetFromRow),
      unsettled: [],
      activated: changes.flatMap(([id, kind]) => (kind === 'activated' ? [id] : [])),
      revoked: changes.flatMap(([id, kind]) => (kind === 'revoked' ? [id] : [])),
    };
  }

  /** The settlement with when its delivery was queued; nothing where it doesn't count any more. */
  #settle(settlement: Settlement, dispatcher: string): readonly Settled[] {
    const columns = columnsOf(settlement);
    const createdAt = this.#statements.settle.get({ ...columns, dispatcher });
    if (createdAt === undefined) return [];
    this.#statements.insertAttempt.run(columns);
    return [{ ...settlement, createdAt }];
  }

  #release({ delivery: { id, attempt }, dueAt }: Release, dispatcher: string): void {
    this.#statements.release.run({ id, attempt, dispatcher, dueAt: dueAt.getTime() });
  }

  #changeEndpoint(id: string, settled: readonly Settled[], now: Date): 'none' | 'counted' | 'revoked' | 'activated' {
    const row: TargetRow | undefined = this.#statements.target.get(id);
    if (row === undefined) return 'none';
    const change = endpointChange(standingFromRow(row), settled);
    switch (change.kind) {
      case 'none':
        break;
      case 'counted':
        this.#statements.countFailures.run({ id, failures: change.consecutiveFailures });
        break;
      case 'revoked':
        for (const query of compileRevocation(this.#kysely, id, now)) this.#run(query);
        break;
      case 'activated':
        this.#run(compileMove(this.#kysely, id, { from: ['registered'], to: 'active', now }));
        break;
    }
    return change.kind;
  }

  #run({ sql, parameters }: CompiledQuery): void {
    this.#engine.connection.prepare(sql).run(...parameters);
  }

  /** In one transaction, tried again while another process writes. */
  async #write<T>(work: () => T): Promise<T> {
    const deadlineMs = performance.now() + this.#engine.busyTimeoutMs;
    const { connection } = this.#engine;
    for (;;) {
      // Kysely shares the connection. Where it has a transaction open, that ends soon: it awaits nothing but the database.
      while (connection.inTransaction) await new Promise((resolve) => setImmediate(resolve));
      try {
        return this.#writeNow(work);
      } catch (error) {
        if (!isSqliteBusy(error) || performance.now() >= deadlineMs) throw unavailable(error);
      }
      await sleep(RETRY_MS);
    }
  }

  /** Fails at once where another process writes; afterwards the connection waits as before. */
  #writeNow<T>(work: () => T): T {
    const { connection, blockingTimeoutMs } = this.#engine;
    connection.pragma('busy_timeout = 0');
    try {
      return connection.transaction(work).immediate();
    } finally {
      connection.pragma(`busy_timeout = ${blockingTimeoutMs}`);
    }
  }
}
