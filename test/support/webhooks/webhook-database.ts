import { sql } from 'kysely';
import { encodeTime } from 'ulid';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import type { WebhookEndpointRow } from '../../../api/database/tables/webhook-tables.ts';
import type { EndpointState } from '../../../api/webhooks/endpoints/endpoint.ts';
import { SecretKeys, secretFromBytes } from '../../../api/webhooks/endpoints/signature.ts';
import type { DeliveryKind, DeliveryState } from '../../../api/webhooks/queue/delivery.ts';

/** When everything in these tests begins. */
export const START = new Date('2026-11-20T12:00:00Z');
const START_MS = START.getTime();

/** Deliveries queued in one statement; it must not take longer than PostgreSQL's timeout. */
const MANY_AT_ONCE = 10_000;

/** Ids that sort by their time, and then in the order in which they were made. */
let made = 0;
function idAt(at = START): string {
  made += 1;
  return encodeTime(at.getTime(), 10) + String(made).padStart(16, '0');
}

export const SECRET_KEYS = new SecretKeys([Buffer.alloc(32, 7)]);
export const SECRET = secretFromBytes(Buffer.alloc(32, 5));

/** How deliveries are queued: as an event of {@link START} that waits, unless given. */
interface DeliveryOptions {
  readonly kind?: DeliveryKind;
  readonly at?: Date;
  /** Ended then, after every attempt, where it doesn't wait. */
  readonly state?: DeliveryState;
  /** The endpoint whose own event it is. */
  readonly own?: string | null;
}

/** Adds an endpoint of the organization `org_1`, active since {@link START} and listening to scores unless told otherwise. */
export async function insertEndpoint(
  { kysely }: ControlDatabase,
  endpoint: Pick<WebhookEndpointRow, 'id'> & Partial<WebhookEndpointRow>,
): Promise<void> {
  await kysely
    .insertInto('organizations')
    .values({ id: 'org_1', name: 'Acme', created_at: START_MS })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await kysely
    .insertInto('webhook_endpoints')
    .values({
      organization_id: 'org_1',
      url: 'https://example.com/hook',
      description: '',
      topics: '["score.updated"]',
      filters: '{}',
      mode: 'each',
      sealed_secret: '',
      secret_changed_at: START_MS,
      state: 'active',
      state_changed_at: START_MS,
      consecutive_failures: 0,
      notice: null,
      created_at: START_MS,
      ...endpoint,
    })
    .execute();
}

/** A control database with one organization, into which tests put endpoints and deliveries. */
export class WebhookDatabase {
  readonly database: ControlDatabase;

  constructor(database: ControlDatabase) {
    this.database = database;
  }

  static async open(url: string): Promise<WebhookDatabase> {
    return new WebhookDatabase(await openDatabase(url));
  }

  async addEndpoint({
    secret = SECRET,
    failures = 0,
    ...endpoint
  }: {
    readonly url?: string;
    readonly state?: EndpointState;
    readonly secret?: string;
    readonly failures?: number;
  } = {}): Promise<string> {
    const id = `whe_${idAt()}`;
    const sealed_secret = SECRET_KEYS.seal(secret, id);
    await insertEndpoint(this.database, { id, sealed_secret, consecutive_failures: failures, ...endpoint });
    return id;
  }

  /** Queues very many deliveries of one event. */
  async addMany(endpointId: string, count: number): Promise<void> {
    const event = `evt_${idAt()}`;
    const row = { id: event, topic: 'score.updated', endpoint_id: null, occurred_at: START_MS, seq: 1, data: '{}' };
    await this.database.kysely.insertInto('webhook_events').values(row).execute();
    for (let queued = 0; queued < count; queued += MANY_AT_ONCE) {
      const [prefix, some] = [`dlv_${idAt()}`, Math.min(MANY_AT_ONCE, count - queued)];
      await sql`
        insert into webhook_deliveries (id, event_id, endpoint_id, kind, state, attempts, due_at, created_at)
        select ${prefix} || '-' || i, ${event}, ${endpointId}, 'event', 'waiting', 0, ${START_MS}, ${START_MS}
        from (with recursive n (i) as (select 1 union all select i + 1 from n where i < ${some}) select i from n) as numbers
        `.execute(this.database.kysely);
    }
  }

  /** Queues deliveries, each of an event of its own; resolves to their ids. */
  async addDeliveries(
    endpointId: string,
    count: number,
    { kind = 'event', at: date = START, state = 'waiting', own = null }: DeliveryOptions = {},
  ): Promise<readonly string[]> {
    const at = date.getTime();
    const isWaiting = state === 'waiting';
    const rows = Array.from({ length: count }, (_, index) => {
      const id = idAt(date);
      const data = JSON.stringify({ model_id: 'acme/one', benchmark_id: 'mmlu', seq: index + 1 });
      const ended = { state, attempts: isWaiting ? 0 : 6, finished_at: isWaiting ? null : at };
      const times = { due_at: at, created_at: at };
      return {
        event: { id: `evt_${id}`, topic: 'score.updated', endpoint_id: own, occurred_at: at, seq: index, data },
        delivery: { id: `dlv_${id}`, event_id: `evt_${id}`, endpoint_id: endpointId, kind, ...ended, ...times },
      };
    });
    for (let from = 0; from < rows.length; from += 1000) {
      const some = rows.slice(from, from + 1000);
      const [events, deliveries] = [some.map(({ event }) => event), some.map(({ delivery }) => delivery)];
      await this.database.kysely.transaction().execute(async (transaction) => {
        await transaction.insertInto('webhook_events').values(events).execute();
        await transaction.insertInto('webhook_deliveries').values(deliveries).execute();
      });
    }
    return rows.map(({ delivery }) => delivery.id);
  }

  async addDelivery(endpointId: string, options: DeliveryOptions = {}): Promise<string> {
    const [id = ''] = await this.addDeliveries(endpointId, 1, options);
    return id;
  }

  delivery(id: string) {
    return this.database.kysely
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }

  attempts(deliveryId: string) {
    return this.database.kysely
      .selectFrom('webhook_attempts')
      .selectAll()
      .where('delivery_id', '=', deliveryId)
      .orderBy('attempt')
      .execute();
  }

  endpoint(id: string) {
    return this.database.kysely
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }

  async states(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.database.kysely
      .selectFrom('webhook_deliveries')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .groupBy('state')
      .execute();
    return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
