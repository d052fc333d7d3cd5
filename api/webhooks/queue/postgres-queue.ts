import type { CompiledQuery, Kysely } from 'kysely';
import type pg from 'pg';
import type { PostgresEngine } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { transactOn } from '../../database/transactions.ts';
import { compileRevocation } from '../endpoints/revocation.ts';
import { compileMove } from '../endpoints/transitions.ts';
import type { ClaimedDelivery, DeliveryQueue, Settlement, Turn, TurnResult } from './delivery-queue.ts';
import { type EndpointChange, endpointChange, type Settled } from './endpoint-outcomes.ts';
import * as statements from './postgres-queue-statements.ts';
import { type ClaimedRow, claimedFromRow, standingFromRow, type TargetRow, targetFromRow } from './queue-rows.ts';
import { SharedQueue } from './shared-queue.ts';

/** What a connection and a pool have in common. */
type Queryable = Pick<pg.ClientBase, 'query'>;

/**
 * Deliveries in PostgreSQL: a turn is one transaction, in one statement unless it changes endpoints. It never
 * waits for a delivery that another transaction has locked: what can't be settled now is told again in the next turn, and what
 * can't be claimed is somebody else's. Endpoints are locked last, by id, and only where something changes, so that dispatchers
 * and commands wait for each other but never in a circle.
 */
export class PostgresQueue extends SharedQueue implements DeliveryQueue {
  readonly #kysely: Kysely<ControlTables>;
  readonly #pool: pg.Pool;

  constructor(kysely: Kysely<ControlTables>, { pool }: PostgresEngine) {
    super(kysely);
    this.#kysely = kysely;
    this.#pool = pool;
  }

  turn(turn: Turn): Promise<TurnResult> {
    return orUnavailable(() =>
      turn.releases.length === 0 && turn.settlements.every(isPlain)
        ? this.#plainTurn(turn)
        : transactOn(this.#pool, (client) => this.#turn(client, turn)),
    );
  }

  claim(
    deliveryId: string,
    claim: Pick<Turn, 'dispatcher' | 'now' | 'claimUntil'>,
  ): Promise<ClaimedDelivery | undefined> {
    return orUnavailable(async () => {
      const { rows } = await this.#pool.query<ClaimedRow>(statements.claimOne(deliveryId, claim));
      return rows.map((row) => claimedFromRow(row, claim.claimUntil))[0];
    });
  }

  /** The usual turn, in one statement: most attempts change nothing of their endpoint, or only begin its count anew. */
  async #plainTurn(turn: Turn): Promise<TurnResult> {
    const { rows } = await this.#pool.query<statements.TurnRow>(statements.turnAtOnce(turn));
    const settled = new Set(rows.flatMap((row) => (row.part === 'settled' ? [row.id] : [])));
    const missing = turn.settlements.filter(({ delivery }) => !settled.has(delivery.id));
    const unsettled = await findHeld(this.#pool, missing, turn.dispatcher);
    return { ...resultFromRows(rows, turn.claimUntil), unsettled, activated: [], revoked: [] };
  }

  /** Settles what changes endpoints, and gives back; then the usual turn claims, in the same transaction. */
  async #turn(client: Queryable, turn: Turn): Promise<TurnResult> {
    const { settled, unsettled } = await settle(client, turn);
    if (turn.releases.length > 0) await client.query(statements.release(turn.releases, turn.dispatcher));
    const before = await readTargets(client, [...new Set(settled.map(({ delivery }) => delivery.endpointId))]);
    const changes = await this.#changeEndpoints(client, { settled, before, now: turn.now });
    const idsOf = (kind: EndpointChange['kind']) => [...changes].flatMap(([id, it]) => (it === kind ? [id] : []));
    const { rows } = await client.query<statements.TurnRow>(statements.turnAtOnce({ ...turn, settlements: [] }));
    const [activated, revoked] = [idsOf('activated'), idsOf('revoked')];
    return { ...resultFromRows(rows, turn.claimUntil), unsettled, activated, revoked };
  }

  /** Locks the endpoints that change, looks again, and changes them. */
  async #changeEndpoints(
    client: Queryable,
    { settled, before, now }: { settled: readonly Settled[]; before: Targets; now: Date },
  ): Promise<ReadonlyMap<string, EndpointChange['kind']>> {
    const byEndpoint = Map.groupBy(settled, ({ delivery }) => delivery.endpointId);
    const changeOf = (id: string, targets: Targets) => {
      const row = targets.get(id);
      return row === undefined ? undefined : endpointChange(standingFromRow(row), byEndpoint.get(id) ?? []);
    };
    const changing = [...byEndpoint.keys()].filter((id) => (changeOf(id, before)?.kind ?? 'none') !== 'none');
    if (changing.length === 0) return new Map();
    const { rows } = await client.query<TargetRow>(statements.lockTargets(changing));
    const locked = new Map(rows.map((row) => [row.id, row]));
    const changes = new Map<string, EndpointChange['kind']>();
    for (const id of locked.keys()) {
      const change = changeOf(id, locked);
      if (change === undefined) continue;
      changes.set(id, change.kind);
      await this.#changeEndpoint(client, { id, change, now });
    }
    return changes;
  }

  async #changeEndpoint(
    client: Queryable,
    { id, change, now }: { id: string; change: EndpointChange; now: Date },
  ): Promise<void> {
    switch (change.kind) {
      case 'none':
        return;
      case 'counted':
        await client.query(statements.countFailures(id, change.consecutiveFailures));
        return;
      case 'revoked':
        for (const query of compileRevocation(this.#kysely, id, now)) await run(client, query);
        return;
      case 'activated':
        await run(client, compileMove(this.#kysely, id, { from: ['registered'], to: 'active', now }));
        return;
    }
  }
}

type Targets = ReadonlyMap<string, TargetRow>;

async function run(client: Queryable, { sql, parameters }: CompiledQuery): Promise<void> {
  await client.query(sql, [...parameters]);
}

async function readTargets(client: Queryable, ids: readonly string[]): Promise<Targets> {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<TargetRow>(statements.readTargets(ids));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Writes what still counts; what another transaction has locked at the moment is `unsettled`. */
async function settle(
  client: Queryable,
  { settlements, dispatcher }: Turn,
): Promise<{ readonly settled: readonly Settled[]; readonly unsettled: readonly Settlement[] }> {
  if (settlements.length === 0) return { settled: [], unsettled: [] };
  const { rows } = await client.query<{ id: string; created_at: number }>(statements.settle(settlements, dispatcher));
  const createdAt = new Map(rows.map((row) => [row.id, row.created_at]));
  const settled = settlements.flatMap((settlement) => {
    const at = createdAt.get(settlement.delivery.id);
    return at === undefined ? [] : [{ ...settlement, createdAt: at }];
  });
  const missing = settlements.filter(({ delivery }) => !createdAt.has(delivery.id));
  return { settled, unsettled: await findHeld(client, missing, dispatcher) };
}

/** Of these what the dispatcher still holds at that attempt: another transaction had it locked. */
async function findHeld(
  client: Queryable | pg.Pool,
  missing: readonly Settlement[],
  dispatcher: string,
): Promise<readonly Settlement[]> {
  if (missing.length === 0) return [];
  const { rows } = await client.query<{ id: string }>(statements.findHeld(missing, dispatcher));
  const heldIds = new Set(rows.map(({ id }) => id));
  return missing.filter(({ delivery }) => heldIds.has(delivery.id));
}

/** True for an attempt that changes nothing of its endpoint, or at most begins its count of failures anew. */
function isPlain({ delivery: { kind }, attempt, nextAt }: Settlement): boolean {
  if (kind === 'ping') return false;
  return kind === 'replay' || nextAt !== undefined || attempt.outcome === 'delivered';
}

function resultFromRows(
  rows: readonly statements.TurnRow[],
  claimUntil: Date,
): Pick<TurnResult, 'claimed' | 'targets'> {
  return {
    claimed: rows.flatMap((row) => (row.part === 'claimed' ? [claimedFromRow(row, claimUntil)] : [])),
    targets: rows.flatMap((row) => (row.part === 'target' ? [targetFromRow(row)] : [])),
  };
}
