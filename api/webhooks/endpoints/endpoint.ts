/**
 * An endpoint of an organization and its states (specification "Webhook endpoints"):
 *
 *     registered ─ping answered 2xx─► active ─20 deliveries in a row failed─► revoked
 *         ▲                             │                                        │
 *         │◄────────── enable ──────────┼────────────────────────────────────────┘
 *         │                             │ the plan lost webhooks (also while registered)
 *         └─── the plan has them again ─┴─► suspended              any ─remove─► removed
 *
 * Only active endpoints get events. Leaving `active` drops waiting deliveries: they are never sent later.
 */

import { z } from 'zod';
import { AppError } from '../../../runtime/errors.ts';
import { type Database, parseEnum, type Transaction } from '../../database/tables/tables.ts';
import type { WebhookEndpointRow } from '../../database/tables/webhook-tables.ts';
import { isTopic, TOPICS } from '../topics/topics.ts';
import { FiltersSchema, parseStoredFilters } from './filters.ts';

export const ENDPOINT_STATES = ['registered', 'active', 'revoked', 'suspended', 'removed'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** `each`: one delivery per event; `digest`: one per topic and night. */
export const ENDPOINT_MODES = ['each', 'digest'] as const;
export type EndpointMode = (typeof ENDPOINT_MODES)[number];

/** Per organization, without removed ones (specification "Webhook endpoints"). */
export const ENDPOINTS_MAX = 10;
/** Failed deliveries in a row before revocation (specification "Webhook endpoints"). */
export const FAILURES_MAX = 20;

export function endpointFromRow(row: WebhookEndpointRow) {
  const state = parseEnum(ENDPOINT_STATES, row.state);
  const { filters, unknownFilters } = parseStoredFilters(row.filters);
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    description: row.description,
    topics: (JSON.parse(row.topics) as readonly string[]).filter(isTopic), // A newer version may have stored others.
    filters,
    /** An endpoint that has any gets no events. */
    unknownFilters,
    mode: parseEnum(ENDPOINT_MODES, row.mode),
    state,
    stateChangedAt: new Date(row.state_changed_at),
    /** Failed deliveries of events in a row; if revoked, those before it. */
    consecutiveFailures: state === 'revoked' ? FAILURES_MAX : row.consecutive_failures, // A change of state resets the stored count.
    secretChangedAt: new Date(row.secret_changed_at),
    createdAt: new Date(row.created_at),
  };
}

export type Endpoint = Readonly<ReturnType<typeof endpointFromRow>>;

/** Rejects with `not_found`, also for a removed endpoint. */
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

/** {@link readEndpoint} that locks the endpoint until the transaction ends. */
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

/** Throws `usage` with a remedy. */
export function assertState({ id, state }: Endpoint, states: readonly EndpointState[]): void {
  if (states.includes(state)) return;
  const hint = state === 'suspended' ? 'its plan has no webhooks' : `verify it with modelstats webhooks enable ${id}`;
  throw new AppError('usage', `the endpoint ${id} is ${state}: ${hint}`);
}

function noEndpoint(id: string): AppError {
  return new AppError('not_found', `there is no endpoint ${id}`);
}

/** Why the guard of outgoing requests refuses an address. */
export type FindUrlProblem = (url: string) => string | undefined;

const DESCRIPTION_CHARACTERS_MAX = 200;

/** Input of a registration (specification "Webhook endpoints"). */
const RegistrationSchema = z.object({
  organizationId: z.string(),
  url: z.string(),
  description: z.string().refine((text) => [...text].length <= DESCRIPTION_CHARACTERS_MAX && !/\p{Cc}/u.test(text), {
    error: `must be one line of at most ${DESCRIPTION_CHARACTERS_MAX} characters`,
  }),
  topics: z.array(z.enum(TOPICS)).min(1, 'must name at least one topic').readonly(),
  filters: FiltersSchema.readonly(),
  mode: z.enum(ENDPOINT_MODES),
});
export type Registration = Readonly<z.infer<typeof RegistrationSchema>>;

/** Normalizes the address. Throws `usage` with all problems, one per line. */
export function parseRegistration(input: unknown, findUrlProblem: FindUrlProblem): Registration {
  const parsed = RegistrationSchema.safeParse(input);
  const url = RegistrationSchema.pick({ url: true }).safeParse(input).data?.url;
  const urlProblem = url === undefined ? undefined : findUrlProblem(url);
  const problems = [
    ...(urlProblem === undefined ? [] : [`the address of the endpoint: ${urlProblem}`]),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
  ];
  if (problems.length > 0 || parsed.data === undefined) throw new AppError('usage', problems.join('\n'));
  const address = new URL(parsed.data.url);
  address.hash = '';
  return { ...parsed.data, url: address.href };
}
