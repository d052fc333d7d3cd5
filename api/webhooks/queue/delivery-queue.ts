/**
 * The deliveries that wait, shared out among dispatchers. A dispatcher claims deliveries for a time, attempts them, and reports
 * how that went (specification "Delivery"). What holds on both databases:
 *
 * - A claimed delivery is nobody else's until its claim ends. A dispatcher that died loses its claims with time, and the attempt
 *   that it did not report is made again under the same number: nothing is skipped.
 * - What a dispatcher reports counts only while the delivery still waits, is claimed by it, and is at that attempt. Everything
 *   else is ignored: the delivery was dropped meanwhile, or another dispatcher has it.
 * - The attempts of a batch and what follows from them for their endpoints are one transaction.
 *
 * On PostgreSQL a transaction locks deliveries in the order of their ids, then endpoints in that order, and only where something changes;
 * claims take what nobody has locked. So dispatchers and commands wait for each other but never in a circle.
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

/** All methods reject with `unavailable` where the database doesn't do its work. */
export class DeliveryQueue {
  readonly #database: ControlDatabase;

  constructor(database: ControlDatabase) {
    this.#database = database;
  }

  /** Writes what is reported. */
  settle(batch: SettleBatch): Promise<SettleResult> {
    return writeTransaction(this.#database, (transaction) => settle(transaction, batch));
  }

  /** Claims what is due. */
  claimDue(batch: ClaimBatch): Promise<readonly ClaimedDelivery[]> {
    return writeStatement(this.#database, (database) => claimDue(database, batch));
  }

  /**
   * Claims one delivery, also before it is due; undefined where it doesn't wait, somebody has claimed it, or its endpoint may not be sent
   * it.
   */
  claim(deliveryId: string, claim: Claim): Promise<ClaimedDelivery | undefined> {
    return writeTransaction(this.#database, (transaction) => claimOne(transaction, deliveryId, claim));
  }

  /** All endpoints for which deliveries wait, whatever their state. */
  findWaiting(): Promise<readonly WaitingEndpoint[]> {
    return orUnavailable(async () => {
      const { rows } = await WAITING_ENDPOINTS.execute(this.#database.kysely);
      return rows.flatMap(({ id, url, state, sealed_secret: sealedSecret, due_at, leftovers }) =>
        due_at === null // What waited was taken between two looks.
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
   * Drops what must not be sent to an endpoint any more: everything, or all but pings while it is registered. Resolves to how many.
   * Running it again does no harm.
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

  /** A delivery and its newest attempt; undefined where there is none of this id. */
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

  /** What waits, and how late the first of it is. */
  async backlog(now: Date): Promise<Backlog> {
    const count = sql<{ waiting: number }>`select count(*) as waiting from webhook_deliveries where state = 'waiting'`;
    const { rows } = await orUnavailable(() => count.execute(this.#database.kysely));
    const endpoints = await this.findWaiting();
    const due = endpoints.filter(({ dueAt, hasLeftovers }) => dueAt <= now && !hasLeftovers);
    const oldest = Math.min(...due.map(({ dueAt }) => dueAt.getTime()));
    return { waiting: rows[0]?.waiting ?? 0, oldestDueAt: due.length === 0 ? undefined : new Date(oldest) };
  }
}
