import { AppError } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ulid.ts';
import type { Actor } from '../accounts/actor.ts';
import { type AuditDeps, AuditedChanges } from '../accounts/audit.ts';
import { lockOrganization, readOrganization } from '../accounts/organizations/organizations.ts';
import type { Database, Transaction } from '../database/tables/tables.ts';
import {
  assertState,
  ENDPOINTS_MAX,
  type Endpoint,
  endpointFromRow,
  type FindUrlProblem,
  lockEndpoint,
  parseRegistration,
  type Registration,
  readEndpoint,
} from './endpoints/endpoint.ts';
import { newSecret, type SecretKeys } from './endpoints/signature.ts';
import { entitledOrganizations, type IsOffered } from './endpoints/suspension.ts';
import { dropWaiting, moveEndpoint, queuePing } from './endpoints/transitions.ts';

export interface EndpointAdministrationDeps extends AuditDeps {
  readonly keys: SecretKeys;
  readonly findUrlProblem: FindUrlProblem;
  readonly isOffered: IsOffered;
}

export type NewEndpoint = Registration;

/**
 * Management of endpoints, for the command line and the console. Each change writes its audit entry in the same
 * transaction. Rejects with `not_found`, `unavailable`, and `usage` for impossible requests.
 */
export class EndpointAdministration {
  readonly #deps: EndpointAdministrationDeps;
  readonly #changes: AuditedChanges;

  constructor(deps: EndpointAdministrationDeps, actor: Actor) {
    this.#deps = deps;
    this.#changes = new AuditedChanges(deps, actor);
  }

  /**
   * Registers an endpoint and queues its ping (specification "Webhook endpoints"). Reports all problems at once. Only
   * this result has the secret.
   */
  async add(input: NewEndpoint) {
    const registration = parseRegistration(input, this.#deps.findUrlProblem);
    const { organizationId, url, description, topics, filters, mode } = registration;
    const [now, id, secret] = [this.#deps.clock(), newId('whe'), newSecret()];
    return this.#changes.change(async (transaction, note) => {
      await lockOrganization(transaction, organizationId);
      await this.#assertEntitled(transaction, organizationId);
      await assertRoom(transaction, organizationId);
      const row = {
        id,
        organization_id: organizationId,
        url,
        description,
        topics: JSON.stringify([...new Set(topics)]),
        filters: JSON.stringify(filters),
        mode,
        sealed_secret: this.#deps.keys.seal(secret, id),
        secret_changed_at: now.getTime(),
        state: 'registered',
        state_changed_at: now.getTime(),
        consecutive_failures: 0,
        notice: null,
        created_at: now.getTime(),
      };
      await transaction.insertInto('webhook_endpoints').values(row).execute();
      const endpoint = endpointFromRow(row);
      const pingId = await queuePing(transaction, endpoint, now);
      const details = { url, topics: endpoint.topics, filters, mode };
      await note({ organizationId, action: 'webhook.add', subjectId: id, details });
      return { endpoint, secret, pingId };
    });
  }

  /** Oldest first, without removed ones. */
  list(organizationId?: string): Promise<readonly Endpoint[]> {
    return this.#changes.read(async (database) => {
      if (organizationId !== undefined) await readOrganization(database, organizationId, this.#deps.clock());
      const rows = await database
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('state', '<>', 'removed')
        .$if(organizationId !== undefined, (query) => query.where('organization_id', '=', organizationId ?? ''))
        .orderBy('id')
        .execute();
      return rows.map(endpointFromRow);
    });
  }

  get(id: string): Promise<Endpoint> {
    return this.#changes.read((database) => readEndpoint(database, id));
  }

  /**
   * Verifies an endpoint that is not active. Resolves to the queued ping, or undefined if it is active. Rejects with
   * `usage` if the plan has no webhooks.
   */
  async enable(id: string): Promise<string | undefined> {
    const { state, organizationId } = await this.get(id);
    await this.#changes.read((database) => this.#assertEntitled(database, organizationId));
    if (state === 'active') return undefined;
    const now = this.#deps.clock();
    // Older deliveries are never sent, and only the newest ping counts.
    const states = ['registered', 'revoked', 'suspended'] as const;
    await this.#changes.read((database) => dropWaiting(database, id, { now, states }));
    return this.#changes.change(async (transaction, note) => {
      const move = { from: states, to: 'registered', now } as const;
      if (!(await moveEndpoint(transaction, id, move))) return undefined; // Meanwhile active or removed.
      const endpoint = await readEndpoint(transaction, id);
      await note({ organizationId, action: 'webhook.enable', subjectId: id, details: { was: state } });
      return queuePing(transaction, endpoint, now);
    });
  }

  /** Queues a ping that does not change an active endpoint; `usage` if it is revoked or suspended. */
  test(id: string): Promise<string> {
    return this.#changes.change(async (transaction, note) => {
      const endpoint = await lockEndpoint(transaction, id);
      assertState(endpoint, ['active', 'registered']);
      await note({ organizationId: endpoint.organizationId, action: 'webhook.test', subjectId: id, details: {} });
      return queuePing(transaction, endpoint, this.#deps.clock());
    });
  }

  /** Only this result has the secret, which signs every later attempt. */
  rotateSecret(id: string): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
    const secret = newSecret();
    return this.#changes.change(async (transaction, note) => {
      const { organizationId } = await lockEndpoint(transaction, id);
      const sealed_secret = this.#deps.keys.seal(secret, id);
      await transaction
        .updateTable('webhook_endpoints')
        .set({ sealed_secret, secret_changed_at: this.#deps.clock().getTime() })
        .where('id', '=', id)
        .execute();
      await note({ organizationId, action: 'webhook.rotate_secret', subjectId: id, details: {} });
      return { endpoint: await readEndpoint(transaction, id), secret };
    });
  }

  /** For good. The log stays until it expires. */
  async remove(id: string): Promise<Endpoint> {
    const now = this.#deps.clock();
    const removed = await this.#changes.change(async (transaction, note) => {
      const endpoint = await lockEndpoint(transaction, id);
      await moveEndpoint(transaction, id, { from: [endpoint.state], to: 'removed', now });
      await transaction
        .updateTable('webhook_endpoints')
        .set({ sealed_secret: '', notice: null })
        .where('id', '=', id)
        .execute();
      const { organizationId, url } = endpoint;
      await note({ organizationId, action: 'webhook.remove', subjectId: id, details: { url } });
      return endpoint;
    });
    await this.#changes.read((database) => dropWaiting(database, id, { now }));
    return removed;
  }

  /** With the first key; resolves to how many used another (specification "Secrets at rest"). */
  resealSecrets(): Promise<number> {
    const { keys } = this.#deps;
    return this.#changes.change(async (transaction, note) => {
      const rows = await transaction
        .updateTable('webhook_endpoints')
        .set(({ ref }) => ({ description: ref('description') })) // Locks them against rotation.
        .where('state', '<>', 'removed')
        .returning(['id', 'sealed_secret'])
        .execute();
      const others = rows.filter((row) => !keys.isCurrent(row.sealed_secret));
      for (const { id, sealed_secret: sealed } of others) {
        const sealed_secret = keys.seal(keys.open(sealed, id), id);
        await transaction.updateTable('webhook_endpoints').set({ sealed_secret }).where('id', '=', id).execute();
      }
      const details = { secrets: others.length };
      await note({ organizationId: null, action: 'webhook.reseal_secrets', subjectId: null, details });
      return others.length;
    });
  }

  async #assertEntitled(database: Database, organizationId: string): Promise<void> {
    const { isOffered, clock } = this.#deps;
    const entitled = await entitledOrganizations(database, [organizationId], { now: clock(), isOffered });
    if (entitled.has(organizationId)) return;
    const message = `the plan of ${organizationId} has no webhooks; Commercial has them, and so has a contract that names them`;
    throw new AppError('usage', message);
  }
}

async function assertRoom(transaction: Transaction, organizationId: string): Promise<void> {
  const { count } = await transaction
    .selectFrom('webhook_endpoints')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('state', '<>', 'removed')
    .executeTakeFirstOrThrow();
  if (count < ENDPOINTS_MAX) return;
  throw new AppError('usage', `${organizationId} has ${ENDPOINTS_MAX} endpoints, which is the limit: remove one first`);
}
