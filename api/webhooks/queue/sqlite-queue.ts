import type { CompiledQuery, Kysely } from 'kysely';
import type { SqliteEngine } from '../../database/control-database.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { whenNotBusy, withoutWaiting } from '../../database/transactions.ts';
import { compileRevocation } from '../endpoints/revocation.ts';
import { compileMove } from '../endpoints/transitions.ts';
import type { ClaimedDelivery, DeliveryQueue, Release, Settlement, Turn, TurnResult } from './delivery-queue.ts';
import { endpointChange, type Settled } from './endpoint-outcomes.ts';
import { claimedFromRow, columnsOf, standingFromRow, type TargetRow, targetFromRow } from './queue-rows.ts';
import { SharedQueue } from './shared-queue.ts';
import { prepareStatements } from './sqlite-queue-statements.ts';

/**
 * Deliveries in SQLite: a turn is one transaction of prepared statements, so all of it shares one sync to the disk. While another
 * process writes it tries again and again, as usage does: SQLite's own waiting would hold up the event loop.
 */
export class SqliteQueue extends SharedQueue implements DeliveryQueue {
  readonly #kysely: Kysely<ControlTables>;
  readonly #engine: SqliteEngine;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(kysely: Kysely<ControlTables>, engine: SqliteEngine) {
    super(kysely);
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
  #write<T>(work: () => T): Promise<T> {
    const transaction = this.#engine.connection.transaction(work);
    return whenNotBusy(this.#engine, () => withoutWaiting(this.#engine, () => transaction.immediate()));
  }
}
