import { randomBytes } from 'node:crypto';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { openAccountsOn } from '../../../api/accounts/open-accounts.ts';
import { createOrganization } from '../../../api/accounts/organizations/organizations.ts';
import type { PlanName } from '../../../api/accounts/organizations/plans.ts';
import { NO_SUBSCRIPTION } from '../../../api/accounts/organizations/terms.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { DeliveryLog } from '../../../api/webhooks/delivery-log.ts';
import { EndpointAdministration, type NewEndpoint } from '../../../api/webhooks/endpoint-administration.ts';
import { SecretKeys } from '../../../api/webhooks/endpoints/signature.ts';
import { moveEndpoint } from '../../../api/webhooks/endpoints/transitions.ts';
import { findUrlProblem } from '../../../runtime/outbound/address-check.ts';
import { TestClock } from '../accounts/subject.ts';

export type WebhookSubject = Awaited<ReturnType<typeof openWebhookSubject>>;

/** Endpoints and their log on a control database, with a clock that stands still until it is moved. */
export async function openWebhookSubject(url: string) {
  const [database, clock] = [await openDatabase(url), new TestClock()];
  const accounts = await openAccountsOn(database, { clock: clock.now });
  /** Organizations that webhooks are not live for. */
  const notOffered = new Set<string>();
  const isOffered = (organizationId: string) => !notOffered.has(organizationId);
  const keys = new SecretKeys([randomBytes(32)]);
  const deps = { database: database.kysely, clock: clock.now, keys };
  const endpoints = new EndpointAdministration(
    { ...deps, findUrlProblem: (text) => findUrlProblem(text, { allow: [] }), isOffered },
    { operator: 'test' },
  );
  const wanted = (organizationId: string, changes: Partial<NewEndpoint> = {}): NewEndpoint => ({
    organizationId,
    url: 'https://example.com/hooks',
    description: 'ours',
    topics: ['score.updated'],
    filters: {},
    mode: 'each',
    ...changes,
  });
  return {
    database,
    accounts,
    clock,
    keys,
    notOffered,
    isOffered,
    endpoints,
    log: new DeliveryLog(deps, { operator: 'test' }),
    async organization(plan: PlanName = 'commercial') {
      const subscription = { ...NO_SUBSCRIPTION, plan };
      return (await createOrganization({ name: 'Acme', subscription }, accounts.as(SYSTEM))).id;
    },
    wanted,
    async active(organizationId: string, changes: Partial<NewEndpoint> = {}) {
      const { endpoint } = await endpoints.add(wanted(organizationId, changes));
      await moveEndpoint(database.kysely, endpoint.id, { from: ['registered'], to: 'active', now: clock.now() });
      return endpoint.id;
    },
    async close() {
      await accounts.close();
      await database.close();
    },
  };
}
