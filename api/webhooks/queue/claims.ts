import { type RawBuilder, sql } from 'kysely';
import { isPostgres, jsonRows } from '../../database/control-database.ts';
import { type Database, parseEnum } from '../../database/tables/tables.ts';
import type { WebhookDeliveryRow, WebhookEventRow } from '../../database/tables/webhook-tables.ts';
import { PING } from '../topics/topics.ts';
import { type Claim, type ClaimBatch, type ClaimedDelivery, DELIVERY_KINDS } from './delivery.ts';

type SendableRow = Pick<WebhookDeliveryRow, 'id' | 'kind' | 'endpoint_id' | 'attempts' | 'event_id'> &
  Pick<WebhookEventRow, 'topic' | 'occurred_at' | 'data'>;

/** One row per waiting delivery that may be sent: any to an active endpoint, pings to a registered one. */
const SENDABLE = sql`
  select d.id, d.kind, d.endpoint_id, d.attempts, d.event_id, v.topic, v.occurred_at, v.data
  from webhook_deliveries d
  join webhook_events v on v.id = d.event_id
  join webhook_endpoints e on e.id = d.endpoint_id
  where d.state = 'waiting' and (e.state = 'active' or (e.state = 'registered' and d.kind = ${sql.lit(PING)}))`;

/** Longest due first, per endpoint. */
export async function claimDue(database: Database, batch: ClaimBatch): Promise<readonly ClaimedDelivery[]> {
  const claimed = isPostgres(database) ? await claimAtOnce(database, batch) : await claimEach(database, batch);
  return claimed.map((row) => claimedFromRow(row, batch));
}

/** One round trip; skips rows that another transaction has locked. */
async function claimAtOnce(
  database: Database,
  { demands, dispatcher, now, claimUntil }: ClaimBatch,
): Promise<readonly SendableRow[]> {
  const demandRows = demands.map(({ endpointId, count }) => [endpointId, count]);
  const due = selectDue(sql`value->>0`, sql`cast(value->>1 as bigint)`, now);
  const { rows } = await sql<SendableRow>`/* webhooks-claim */
    with due as (
      select d.* from ${jsonRows(database, demandRows)} cross join lateral (${due} for update of d skip locked) d
    ), claimed as (
      update webhook_deliveries d set due_at = ${claimUntil.getTime()}, claimed_by = ${dispatcher} from due where d.id = due.id
    )
    select * from due`.execute(database);
  return rows;
}

/** Endpoint by endpoint, in a transaction that blocks other writers. */
async function claimEach(transaction: Database, { demands, ...claim }: ClaimBatch): Promise<readonly SendableRow[]> {
  const claimed: SendableRow[] = [];
  for (const { endpointId, count } of demands)
    claimed.push(...(await selectDue(sql`${endpointId}`, sql`${count}`, claim.now).execute(transaction)).rows);
  await writeClaims(transaction, claimed, claim);
  return claimed;
}

function selectDue(endpointId: RawBuilder<unknown>, count: RawBuilder<unknown>, now: Date): RawBuilder<SendableRow> {
  return sql<SendableRow>`${SENDABLE} and d.endpoint_id = ${endpointId} and d.due_at <= ${now.getTime()}
    order by d.due_at limit ${count}`;
}

/** Only if it waits and is unclaimed. */
export async function claimOne(
  transaction: Database,
  deliveryId: string,
  claim: Claim,
): Promise<ClaimedDelivery | undefined> {
  const isFree = sql`(d.claimed_by is null or d.due_at <= ${claim.now.getTime()})`;
  const lock = isPostgres(transaction) ? sql`for update of d` : sql``;
  const { rows } = await sql<SendableRow>`${SENDABLE} and d.id = ${deliveryId} and ${isFree} ${lock}`.execute(
    transaction,
  );
  await writeClaims(transaction, rows, claim);
  return rows.map((row) => claimedFromRow(row, claim))[0];
}

async function writeClaims(
  transaction: Database,
  rows: readonly SendableRow[],
  { dispatcher, claimUntil }: Claim,
): Promise<void> {
  if (rows.length === 0) return;
  const ids = jsonRows(
    transaction,
    rows.map(({ id }) => [id]),
  );
  await sql`
    update webhook_deliveries set due_at = ${claimUntil.getTime()}, claimed_by = ${dispatcher}
    where id in (select value->>0 from ${ids})`.execute(transaction);
}

function claimedFromRow(row: SendableRow, { claimUntil }: Claim): ClaimedDelivery {
  const { event_id: id, topic, occurred_at: occurredAt, data } = row;
  return {
    id: row.id,
    kind: parseEnum(DELIVERY_KINDS, row.kind),
    endpointId: row.endpoint_id,
    attempt: row.attempts + 1,
    claimedUntil: claimUntil,
    event: { id, topic, occurredAt: new Date(occurredAt), data },
  };
}

/**
 * One row per endpoint with waiting deliveries, by id. It jumps through the index, so the number of deliveries does not
 * matter. `due_at` is null if the last one was just taken; `leftovers` is 1 if some must never be sent.
 */
export const WAITING_ENDPOINTS = sql<{
  id: string;
  url: string;
  state: string;
  sealed_secret: string;
  due_at: number | null;
  leftovers: number;
}>`
  with recursive waiting (endpoint_id) as (
    select (select endpoint_id from webhook_deliveries where state = 'waiting' order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
            where d.state = 'waiting' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
    from waiting w where w.endpoint_id is not null
  )
  select e.id, e.url, e.state, e.sealed_secret,
    (select d.due_at from webhook_deliveries d
     where d.state = 'waiting' and d.endpoint_id = e.id order by d.due_at limit 1) as due_at,
    case when e.state = 'active' then 0
         when e.state <> 'registered' then 1
         when exists (select 1 from webhook_deliveries d
                      where d.state = 'waiting' and d.endpoint_id = e.id and d.kind <> ${PING}) then 1
         else 0 end as leftovers
  from waiting w join webhook_endpoints e on e.id = w.endpoint_id
  order by e.id`;
