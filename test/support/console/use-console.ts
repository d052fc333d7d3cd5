import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type Actor, SYSTEM } from '../../../api/accounts/actor.ts';
import type { Mail } from '../../../api/accounts/mailer.ts';
import { createOrganization } from '../../../api/accounts/organizations/organizations.ts';
import type { PlanName } from '../../../api/accounts/organizations/plans.ts';
import { NO_SUBSCRIPTION } from '../../../api/accounts/organizations/terms.ts';
import { addMember } from '../../../api/accounts/people/memberships.ts';
import { openPeople } from '../../../api/accounts/people/open-people.ts';
import { PEOPLE_LIMITS, type Role, type SignInMethod } from '../../../api/accounts/people/people.ts';
import { consoleRoutes, consoleSurface } from '../../../api/console/console.ts';
import type { ConsoleDeps } from '../../../api/console/console-deps.ts';
import type { ConsoleRoute } from '../../../api/console/shell/routes.ts';
import { type CapabilityStates, isLive } from '../../../api/data/access/rights.ts';
import type { AddSurface } from '../../../api/data/app.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { StopLinks } from '../../../api/digests/digests.ts';
import type { Evidence } from '../../../api/integrations/integration.ts';
import { Integrations } from '../../../api/integrations/integrations.ts';
import { mcpSurface } from '../../../api/mcp/mcp.ts';
import { DeliveryLog } from '../../../api/webhooks/delivery-log.ts';
import { EndpointAdministration } from '../../../api/webhooks/endpoint-administration.ts';
import { SecretKeys } from '../../../api/webhooks/endpoints/signature.ts';
import { findUrlProblem } from '../../../runtime/outbound/address-check.ts';
import { type Days, openApi } from '../api/open-api.ts';
import type { TestAccounts } from '../api/test-accounts.ts';
import { NOT_FOUND } from '../integrations/integration-subject.ts';
import { newestMail, SETTINGS, tokenOf } from '../people/use-people.ts';
import { perFile } from '../per-test.ts';
import { SAMPLE_DAYS } from '../pipeline/sample-store.ts';
import { Visitor } from './visitor.ts';

/** The service's address as the tests' visitors use it. */
export const PUBLIC_URL = 'https://stats.example.com';
const OPERATOR = { operator: 'cli:test' };
const ORIGIN = { address: '203.0.113.7', userAgent: 'a test' };

/** The console over the sample days or others, asked without a network. */
export type TestConsole = Awaited<ReturnType<typeof openConsole>>;

const DEFAULTS: Required<TestConsoleOptions> = {
  days: SAMPLE_DAYS,
  pagesPerMinute: 10_000,
  now: '2026-06-03T12:00:00Z',
  methods: ['link', 'password'],
  signUp: 'open',
  capabilities: {},
  oauthPerMinute: 10_000,
  digestProblem: undefined,
};

export interface TestConsoleOptions {
  /** What the service has published. */
  readonly days?: Days;
  readonly pagesPerMinute?: number;
  /** Where the clock of the service stands; people's sessions go by the system's. */
  readonly now?: string;
  readonly methods?: readonly SignInMethod[];
  readonly signUp?: 'open' | 'invited';
  readonly capabilities?: CapabilityStates;
  readonly oauthPerMinute?: number;
  /** Why no digest can be sent. */
  readonly digestProblem?: string | undefined;
}

async function openConsole(given: TestConsoleOptions) {
  const options = { ...DEFAULTS, ...given };
  const { now, capabilities } = options;
  let opened: Awaited<ReturnType<typeof openFaces>> | undefined;
  const api = await openApi({
    days: options.days,
    now,
    accounts: { open: { mcpResource: `${PUBLIC_URL}/mcp` } },
    settings: { publicUrl: PUBLIC_URL, capabilities },
    surfaces: async (of) => {
      opened = await openFaces(of, options);
      return opened.surfaces;
    },
  });
  if (opened === undefined) throw new Error('the console was not opened');
  const { parts } = opened;
  const { people, mails, endpoints, database } = parts;
  const { accounts } = api.accounts;
  const members = people.as(OPERATOR);
  const stranger = () => new Visitor(api.app, PUBLIC_URL);
  const tokenFor = async (email: string) => tokenOf(await newestMail({ mails }, email));
  const signIn = async (email: string) => {
    await people.links.send({ email }, ORIGIN);
    const session = await people.links.redeem(await tokenFor(email), ORIGIN);
    return stranger().with(session?.cookies ?? expect.fail(`${email} could not sign in`));
  };
  const organization = async (roles: Readonly<Record<string, Role>>, plan: PlanName = 'commercial') => {
    const { id } = await createOrganization(
      { name: 'Acme', subscription: { ...NO_SUBSCRIPTION, plan } },
      accounts.as(SYSTEM),
    );
    for (const [email, role] of Object.entries(roles)) await addMember({ organizationId: id, email, role }, members);
    return id;
  };
  return {
    ...parts,
    api,
    accounts,
    members,
    /** An organization with these members, its id. */
    organization,
    /** An organization whose one member is Ada, and a browser in which she is signed in. */
    own: async (plan?: PlanName) => ({
      org: await organization({ 'ada@example.com': 'owner' }, plan),
      ada: await signIn('ada@example.com'),
    }),
    /** An endpoint of an organization that asks for scores; `changes` says what else it is. */
    addEndpoint: (organizationId: string, changes: Partial<Parameters<EndpointAdministration['add']>[0]> = {}) =>
      endpoints.add({
        organizationId,
        url: 'https://example.com/hooks',
        description: '',
        topics: ['score.updated'],
        filters: {},
        mode: 'each',
        ...changes,
      }),
    stranger,
    signIn,
    /** The token of the link in the newest mail to an address. */
    tokenFor,
    async close() {
      await people.close();
      await api.close();
      await database.close();
    },
  };
}

const NOTHING_FOUND = { ...NOT_FOUND, message: 'the page shows no link to the service', finalUrl: null };

/** The console, and MCP with what connects programs beside it, as `serve` has them. */
async function openFaces({ accounts, url }: TestAccounts, options: Required<TestConsoleOptions>) {
  const {
    pagesPerMinute,
    now,
    methods,
    signUp,
    capabilities,
    oauthPerMinute: requestsPerMinute,
    digestProblem,
  } = options;
  const database = await openDatabase(url);
  const clock = () => new Date(now);
  const mails: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void mails.push(mail), close: () => {} };
  const people = await openPeople(
    {
      ...SETTINGS,
      methods,
      signUp,
      limits: { ...PEOPLE_LIMITS, mailsPerOrigin: 10_000, mailsPerAddress: 1_000 },
    },
    { database, mailer, log: { warn: () => {} } },
  );
  const deps = { database: database.kysely, clock };
  const endpointDeps = {
    ...deps,
    keys: new SecretKeys([randomBytes(32)]),
    findUrlProblem: (text: string) => findUrlProblem(text, { allow: [] }),
    isOffered: () => true,
  };
  /** What a check finds on a page, by its URL; nothing is found on others. */
  const looks = new Map<string, Evidence>();
  const integrationDeps = {
    ...deps,
    onChange: () => accounts.forgetCredentials(),
    publicUrl: PUBLIC_URL,
    offeredTo: 'everybody' as const,
    findUrlProblem: endpointDeps.findUrlProblem,
    checkPage: async ({ url: page }: { readonly url: string }) => looks.get(page) ?? NOTHING_FOUND,
  };
  const stopLinks = new StopLinks(randomBytes(32));
  const consoleDeps = {
    accounts,
    people,
    webhooks: {
      endpointsAs: (actor: Actor) => new EndpointAdministration(endpointDeps, actor),
      logAs: (actor: Actor) => new DeliveryLog(deps, actor),
    },
    integrations: { as: (actor: Actor) => new Integrations(integrationDeps, actor) },
    digests: isLive(capabilities, 'digest', undefined) ? { stopLinks, hour: 7, problem: digestProblem } : undefined,
    capabilities,
    clock,
    formKey: randomBytes(32),
    settings: { publicUrl: PUBLIC_URL, pagesPerMinute },
  } satisfies ConsoleDeps;
  /** Every page and form, as they are served. */
  const routes: ConsoleRoute[] = [];
  const surface: AddSurface = (app, surfaceDeps) => {
    routes.push(...consoleRoutes({ ...consoleDeps, ...surfaceDeps }));
    return consoleSurface(consoleDeps)(app, surfaceDeps);
  };
  const { authorization } = people;
  const oauth = authorization && { authorization, publicUrl: PUBLIC_URL, accounts, requestsPerMinute };
  const endpoints = new EndpointAdministration(endpointDeps, OPERATOR);
  const integrations = new Integrations(integrationDeps, OPERATOR);
  return {
    surfaces: [surface, mcpSurface({ publicUrl: PUBLIC_URL, version: '1', oauth })],
    parts: { people, mails, endpoints, integrations, database, looks, routes, stopLinks },
  };
}

export function useConsole(options: TestConsoleOptions = {}): TestConsole {
  return perFile(() => openConsole(options));
}
