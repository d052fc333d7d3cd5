import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { Mail } from '../../../api/accounts/mailer.ts';
import { openAccountsOn } from '../../../api/accounts/open-accounts.ts';
import { createOrganization } from '../../../api/accounts/organizations/organizations.ts';
import { NO_SUBSCRIPTION, type Subscription } from '../../../api/accounts/organizations/terms.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { type CheckEvent, CheckService, type CheckServiceDeps } from '../../../api/integrations/check-service.ts';
import { checkCleanup } from '../../../api/integrations/claims.ts';
import type { Evidence } from '../../../api/integrations/integration.ts';
import { Integrations, type IntegrationsDeps } from '../../../api/integrations/integrations.ts';
import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import { findUrlProblem } from '../../../runtime/outbound/address-check.ts';
import { TestClock } from '../accounts/subject.ts';

export const PUBLIC_URL = 'https://stats.example.org';

export const FOUND: Evidence = {
  reason: 'FOUND',
  message: `a link to ${PUBLIC_URL}/ (Data)`,
  status: 200,
  finalUrl: 'https://shop.example/',
  found: { kind: 'link', href: `${PUBLIC_URL}/`, text: 'Data' },
  durationMs: 12.4,
};
export const NOT_FOUND: Evidence = { ...FOUND, reason: 'NOT_FOUND', message: 'the page shows no link', found: null };

export type IntegrationSubject = Awaited<ReturnType<typeof openIntegrationSubject>>;

/**
 * Integrations on a control database as one process sees them, with a clock that stands still.
 * @param clock shared by the processes of a test
 */
export async function openIntegrationSubject(
  url: string,
  {
    clock = new TestClock(),
    ...changes
  }: Partial<Omit<IntegrationsDeps, 'clock'>> & { readonly clock?: TestClock } = {},
) {
  // Two processes of a test share a thread: one that waited for the other without giving way would wait in vain.
  const database = await openDatabase(url, { sqlite: { blockingTimeoutMs: 5 } });
  const accounts = await openAccountsOn(database, { clock: clock.now });
  /** What looks at these addresses find; elsewhere the link is there. */
  const pages = new Map<string, Evidence | (() => Promise<Evidence>)>();
  const looked: string[] = [];
  const deps: IntegrationsDeps = {
    database: database.kysely,
    clock: clock.now,
    onChange: () => accounts.forgetCredentials(),
    publicUrl: PUBLIC_URL,
    offeredTo: 'everybody',
    findUrlProblem: (text) => findUrlProblem(text, { allow: [], protocols: ['https:', 'http:'] }),
    checkPage: async (page) => {
      looked.push(page.url);
      const told = pages.get(page.url) ?? FOUND;
      return typeof told === 'function' ? told() : told;
    },
    ...changes,
  };
  const integrations = new Integrations(deps, {
    person: { id: 'person_1', email: 'ada@example.com' },
    origin: { address: '192.0.2.7' },
  });
  return {
    database,
    accounts,
    clock,
    integrations,
    deps,
    pages,
    looked,
    /** An organization on Community unless given otherwise, its id. */
    async organization(terms: Partial<Subscription> = {}) {
      const subscription = { ...NO_SUBSCRIPTION, ...terms };
      return (await createOrganization({ name: 'Acme', subscription }, accounts.as(SYSTEM))).id;
    },
    declare: (organizationId: string, address: string) =>
      integrations.declare({ organizationId, name: 'Ours', url: address }),
    async close() {
      await accounts.close();
      await database.close();
    },
  };
}

/** Does it again while SQLite or the site is another one's at the moment. */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isBusy = isAppError(error, 'unavailable') || messageFromError(error).includes('is being checked');
      if (!isBusy || attempt === 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
  }
}

export type TestService = ReturnType<typeof startService>;

/** The job on a subject, started, whose loops go on when they are told; stop it. */
export function startService(subject: IntegrationSubject, changes: Partial<CheckServiceDeps> = {}) {
  const [events, mails, lines]: [CheckEvent[], Mail[], string[]] = [[], [], []];
  const sleeping: (() => void)[] = [];
  const note = (_: object, message?: string) => void lines.push(String(message));
  const log = { info: note, warn: note, error: note };
  const service = new CheckService({
    ...subject.deps,
    checkPage: (page) => subject.deps.checkPage(page),
    cleanup: checkCleanup(subject.database.kysely, log),
    mailer: { send: async (mail) => void mails.push(mail), close: () => undefined },
    sleep: (_, signal) =>
      new Promise((wake) => {
        if (signal.aborted) return wake();
        signal.addEventListener('abort', () => wake());
        sleeping.push(wake);
      }),
    onEvent: (event) => void events.push(event),
    log: log as CheckServiceDeps['log'], // Only called with fields and a message.
    ...changes,
  });
  service.start();
  const idle = async () => {
    while (sleeping.length < 2 || service.inFlight > 0) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Lets both loops go once, and waits for the checks that they began. */
  const turn = async () => {
    await idle();
    for (const wake of sleeping.splice(0)) wake();
    await idle();
  };
  return {
    service,
    events,
    mails,
    lines,
    turn,
    /** {@link turn} until nothing is begun any more. */
    async work() {
      await idle();
      for (let before = -1; before < events.length; ) {
        before = events.length;
        await turn();
      }
    },
  };
}
