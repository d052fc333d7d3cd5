/**
 * Waiting deliveries, shared among dispatchers, which claim them for a time, attempt them and report (specification
 * "Delivery"). On both databases:
 *
 * - A claimed delivery belongs to one dispatcher until the claim expires. Attempts that a killed one did not report are
 *   repeated under the same number.
 * - A report counts only while the delivery waits, is claimed by that dispatcher and is at that attempt.
 * - A batch of attempts and their effects on endpoints are one transaction.
 *
 * Against deadlocks, PostgreSQL transactions lock deliveries by id, then endpoints by id, and only what changes; claims
 * skip locked rows.
 */
import { sql } from 'kysely';
import type { ControlDatabase } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import { parseEnum } from '../../database/tables/tables.ts';
import { writeStatement, writeTransaction } from '../../database/write-transaction.ts';
import { ENDPOINT_STATES } from '../endpoints/endpoint.ts';
import { dropLeftovers, dropWaiting } from '../endpoints/transitions.ts';
import { claimDue, claimOne, WAITING_ENDPOINTS } from './claims.ts';
import {
  type Backlog,
  type Claim,
  type ClaimBatch,
  type ClaimedDelivery,
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type DeliveryReport,
  type SettleBatch,
  type SettleResult,
  type WaitingEndpoint,
} from './delivery.ts';
import { attemptFromRow, settle } from './settle.ts';

/** Methods reject with `unavailable` if the database fails. */
export class DeliveryQueue {
  readonly #database: ControlDatabase;

  constructor(database: ControlDatabase) {
    this.#database = database;
  }

  settle(batch: SettleBatch): Promise<SettleResult> {
    return writeTransaction(this.#database, (transaction) => settle(transaction, batch));
  }

  claimDue(batch: ClaimBatch): Promise<readonly ClaimedDelivery[]> {
    return writeStatement(this.#database, (database) => claimDue(database, batch));
  }

  /** Even before it is due; undefined if it does not wait, is claimed, or must not be sent. */
  claim(deliveryId: string, claim: Claim): Promise<ClaimedDelivery | undefined> {
    return writeTransaction(this.#database, (transaction) => claimOne(transaction, deliveryId, claim));
  }

  /** In any state. */
  findWaiting(): Promise<readonly WaitingEndpoint[]> {
    return orUnavailable(async () => {
      const { rows } = await WAITING_ENDPOINTS.execute(this.#database.kysely);
      return rows.flatMap(({ id, url, state, sealed_secret: sealedSecret, due_at, leftovers }) =>
        due_at === null // Another process just took the last one.
          ? []
          : [
              {
                id,
                url,
                sealedSecret,
                state: parseEnum(ENDPOINT_STATES, state),
                dueAt: new Date(due_at),
                hasLeftovers: leftovers === 1,
              },
            ],
      );
    });
  }

  /**
   * Drops what must no longer be sent: everything, or all but pings to a registered endpoint. Resolves to how many.
   * Repeatable.
   */
  drop({ id, state }: Pick<WaitingEndpoint, 'id' | 'state'>, now: Date): Promise<number> {
    const { kysely } = this.#database;
    switch (state) {
      case 'active':
        return Promise.resolve(0);
      case 'registered':
        return orUnavailable(() => dropLeftovers(kysely, id, now));
      case 'revoked':
      case 'suspended':
      case 'removed':
        return orUnavailable(() => dropWaiting(kysely, id, { now }));
    }
  }

  find(deliveryId: string): Promise<DeliveryReport | undefined> {
    const { kysely } = this.#database;
    return orUnavailable(async () => {
      const row = await kysely
        .selectFrom('webhook_deliveries as d')
        .innerJoin('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
        .select(['d.id', 'd.endpoint_id', 'd.kind', 'd.state', 'd.attempts'])
        .select(['e.state as endpoint_state', 'e.url', 'e.sealed_secret'])
        .where('d.id', '=', deliveryId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const newest = kysely.selectFrom('webhook_attempts').selectAll().where('delivery_id', '=', deliveryId);
      const attempt = await newest.orderBy('attempt', 'desc').limit(1).executeTakeFirst();
      return {
        id: row.id,
        endpoint: {
          id: row.endpoint_id,
          state: parseEnum(ENDPOINT_STATES, row.endpoint_state),
          url: row.url,
          sealedSecret: row.sealed_secret,
        },
        kind: parseEnum(DELIVERY_KINDS, row.kind),
        state: parseEnum(DELIVERY_STATES, row.state),
        attempts: row.attempts,
        lastAttempt: attempt === undefined ? undefined : attemptFromRow(attempt),
      };
    });
  }

  async backlog(now: Date): Promise<Backlog> {
    const count = sql<{ waiting: number }>`select count(*) as waiting from webhook_deliveries where state = 'waiting'`;
    const { rows } = await orUnavailable(() => count.execute(this.#database.kysely));
    const endpoints = await this.findWaiting();
    const due = endpoints.filter(({ dueAt, hasLeftovers }) => dueAt <= now && !hasLeftovers);
    const oldest = Math.min(...due.map(({ dueAt }) => dueAt.getTime()));
    return { waiting: rows[0]?.waiting ?? 0, oldestDueAt: due.length === 0 ? undefined : new Date(oldest) };
  }
}
