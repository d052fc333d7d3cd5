/**
 * An endpoint: where an organization is told what changed. Its life (specification "Webhook endpoints"):
 *
 *     registered ─ping answered 2xx─► active ─20 deliveries in a row failed─► revoked
 *         ▲                             │                                        │
 *         │◄────────── enable ──────────┼────────────────────────────────────────┘
 *         │                             │ the plan lost webhooks (also while registered)
 *         └─── the plan has them again ─┴─► suspended              any ─remove─► removed
 *
 * Events go to active endpoints alone, and what happened while an endpoint was not active is never sent later: leaving `active`
 * drops what waits.
 */

import { z } from 'zod';
import { AppError } from '../../../runtime/errors.ts';
import { type Database, parseEnum, type Transaction } from '../../database/tables/tables.ts';
import type { WebhookEndpointRow } from '../../database/tables/webhook-tables.ts';
import { isTopic, TOPICS } from '../topics/topics.ts';
import { FiltersSchema } from './filters.ts';

export const ENDPOINT_STATES = ['registered', 'active', 'revoked', 'suspended', 'removed'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** `each`: a delivery per event; `digest`: one per topic and night. */
export const ENDPOINT_MODES = ['each', 'digest'] as const;
export type EndpointMode = (typeof ENDPOINT_MODES)[number];

/** Endpoints that an organization may have, removed ones aside (specification "Webhook endpoints"). */
export const ENDPOINTS_MAX = 10;
/** Deliveries in a row that fail before an endpoint is revoked (specification "Webhook endpoints"). */
export const FAILURES_MAX = 20;

/** An endpoint as it is stored, without its secret. */
export function endpointFromRow(row: WebhookEndpointRow) {
  const state = parseEnum(ENDPOINT_STATES, row.state);
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    description: row.description,
    topics: (JSON.parse(row.topics) as readonly string[]).filter(isTopic), // We wrote it; a later version may know more.
    filters: FiltersSchema.parse(JSON.parse(row.filters)),
    mode: parseEnum(ENDPOINT_MODES, row.mode),
    state,
    stateChangedAt: new Date(row.state_changed_at),
    /** Deliveries of events that failed since the last one that did not; of a revoked endpoint those that led to it. */
    consecutiveFailures: state === 'revoked' ? FAILURES_MAX : row.consecutive_failures, // The count begins anew with the state.
    secretChangedAt: new Date(row.secret_changed_at),
    createdAt: new Date(row.created_at),
  };
}

export type Endpoint = Readonly<ReturnType<typeof endpointFromRow>>;

/** An endpoint that was not removed; rejects with `not_found`. */
export async function readEndpoint(database: Database, id: string): Promise<Endpoint> {
  const row = await database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .executeTakeFirst();
  if (row === undefined) throw noEndpoint(id);
  return endpointFromRow(row);
}

/**
 * {@link readEndpoint} that writes nothing new, but keeps others from changing the endpoint until the transaction ends.
 */
export async function lockEndpoint(transaction: Transaction, id: string): Promise<Endpoint> {
  const row = await transaction
    .updateTable('webhook_endpoints')
    .set(({ ref }) => ({ description: ref('description') }))
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw noEndpoint(id);
  return endpointFromRow(row);
}

/** Throws `usage` where an endpoint is in none of these states, with what to do about it. */
export function assertState({ id, state }: Endpoint, states: readonly EndpointState[]): void {
  if (states.includes(state)) return;
  const hint =
    state === 'suspended' ? 'its plan has no webhooks' : `modelstats webhooks enable ${id} asks it to prove itself`;
  throw new AppError('usage', `the endpoint ${id} is ${state}: ${hint}`);
}

function noEndpoint(id: string): AppError {
  return new AppError('not_found', `there is no endpoint ${id}`);
}

/** Says why a request to an address would be refused before anything is sent; undefined where it would not be. */
export type FindUrlProblem = (url: string) => string | undefined;

const DESCRIPTION_CHARACTERS_MAX = 200;

/** What an organization asks for (specification "Webhook endpoints"). */
const RegistrationSchema = z.object({
  organizationId: z.string(),
  url: z.string(),
  description: z.string().refine((text) => [...text].length <= DESCRIPTION_CHARACTERS_MAX && !/\p{Cc}/u.test(text), {
    error: `must be one line of at most ${DESCRIPTION_CHARACTERS_MAX} characters`,
  }),
  topics: z.array(z.enum(TOPICS)).min(1, 'must be one or more').readonly(),
  filters: FiltersSchema.readonly(),
  mode: z.enum(ENDPOINT_MODES),
});
export type Registration = Readonly<z.infer<typeof RegistrationSchema>>;

/** What is asked for, its address as it will be called. Throws `usage` with all that is wrong, a problem a line. */
export function parseRegistration(wanted: unknown, findUrlProblem: FindUrlProblem): Registration {
  const parsed = RegistrationSchema.safeParse(wanted);
  const url = RegistrationSchema.pick({ url: true }).safeParse(wanted).data?.url;
  const urlProblem = url === undefined ? undefined : findUrlProblem(url);
  const problems = [
    ...(urlProblem === undefined ? [] : [`the address of the endpoint: ${urlProblem}`]),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
  ];
  if (problems.length > 0 || parsed.data === undefined) throw new AppError('usage', problems.join('\n'));
  const address = new URL(parsed.data.url);
  address.hash = ''; // Never sent.
  return { ...parsed.data, url: address.href };
}
