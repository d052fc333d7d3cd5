/** Endpoints that listen, and what lies in the queue for them, read and written as plain rows. */
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import type { EndpointMode, EndpointState } from '../../../api/webhooks/endpoints/endpoint.ts';
import type { Filters } from '../../../api/webhooks/endpoints/filters.ts';
import { TOPICS, type Topic } from '../../../api/webhooks/topics/topics.ts';
import { insertEndpoint } from './webhook-database.ts';

export interface SubscriberOptions {
  /** Default: all. */
  readonly topics?: readonly Topic[];
  readonly filters?: Filters | Readonly<Record<string, unknown>>;
  readonly mode?: EndpointMode;
  readonly state?: EndpointState;
  /** Since when it is in its state. */
  readonly since?: string;
}

/** Adds an endpoint, active since long ago unless told otherwise. */
export async function addSubscriber(
  control: ControlDatabase,
  id: string,
  {
    topics = TOPICS,
    filters = {},
    mode = 'each',
    state = 'active',
    since = '2000-01-01T00:00:00Z',
  }: SubscriberOptions = {},
): Promise<void> {
  const rules = { topics: JSON.stringify(topics), filters: JSON.stringify(filters), mode };
  const at = Date.parse(since);
  await insertEndpoint(control, { id, ...rules, state, state_changed_at: at, created_at: at });
}

/** One event as it is queued for one endpoint. */
export type Told = Awaited<ReturnType<typeof readTold>>[number];

/** All that is told: by endpoint, then topic, then seq. Throws where something is queued twice or for nobody. */
export async function readTold({ kysely }: ControlDatabase) {
  const rows = await kysely
    .selectFrom('webhook_events')
    .leftJoin('webhook_deliveries', 'webhook_deliveries.event_id', 'webhook_events.id')
    .where(({ or, eb }) => or([eb('state', 'is', null), eb('state', '<>', 'dropped')]))
    .select(['webhook_deliveries.endpoint_id as endpoint', 'topic', 'data', 'seq', 'occurred_at'])
    .execute();
  const told = rows.map(({ endpoint, topic, data, seq }) => {
    if (endpoint === null) throw new Error(`nobody is told ${topic} ${data}`);
    return { endpoint, topic, data, seq };
  });
  // By its instant, too: in two nights without a change of the feed an event may say the same.
  const texts = rows.map((row) => JSON.stringify(row));
  const twice = texts.find((text, index) => texts.indexOf(text) !== index && texts.length < 5_000);
  if (twice !== undefined || new Set(texts).size !== texts.length) throw new Error(`queued twice: ${twice}`);
  const order = (row: (typeof told)[number]) => [row.endpoint, row.topic, String(row.seq).padStart(12, '0')].join(' ');
  return told
    .sort((a, b) => (order(a) < order(b) ? -1 : 1))
    .map(({ endpoint, topic, data }) => ({ endpoint, topic, data: JSON.parse(data) as unknown }));
}
