import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { Mail } from '../../../api/accounts/mailer.ts';
import { type Accounts, openAccountsOn } from '../../../api/accounts/open-accounts.ts';
import { createOrganization } from '../../../api/accounts/organizations/organizations.ts';
import { NO_SUBSCRIPTION, type Subscription } from '../../../api/accounts/organizations/terms.ts';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { type CheckEvent, CheckService, type CheckServiceDeps } from '../../../api/integrations/check-service.ts';
import { checkCleanup } from '../../../api/integrations/claims.ts';
import type { Evidence, Integration } from '../../../api/integrations/integration.ts';
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

/** Integrations on a control database as one process sees them, with a clock that stands still and pages that are told. */
export interface IntegrationSubject {
  readonly database: ControlDatabase;
  readonly accounts: Accounts;
  readonly clock: TestClock;
  readonly integrations: Integrations;
  readonly deps: IntegrationsDeps;
  /** What looks at these addresses find; elsewhere the link is there. */
  readonly pages: Map<string, Evidence | (() => Promise<Evidence>)>;
  /** The addresses that were looked at. */
  readonly looked: string[];
  /** An organization on Community unless told otherwise, its id. */
  organization(subscription?: Partial<Subscription>): Promise<string>;
  /** A page that was declared. */
  declare(organizationId: string, url: string): Promise<Integration>;
  close(): Promise<void>;
}

/** @param clock shared by the processes of a test */
export async function openIntegrationSubject(
  url: string,
  {
    clock = new TestClock(),
    ...changes
  }: Partial<Omit<IntegrationsDeps, 'clock'>> & { readonly clock?: TestClock } = {},
): Promise<IntegrationSubject> {
  // Two processes of a test share a thread: one that waited for the other without giving way would wait in vain.
  const database = await openDatabase(url, { sqlite: { blockingTimeoutMs: 5 } });
  const accounts = await openAccountsOn(database, { clock: clock.now });
  const pages: IntegrationSubject['pages'] = new Map();
  const looked: string[] = [];
  const deps: IntegrationsDeps = {
    database: database.kysely,
    clock: clock.now,
    onChange: () => accounts.forgetCredentials(),
    publicUrl: PUBLIC_URL,
    offeredTo: 'everybody',
    findUrlProblem: (text) => findUrlProblem(text, { allow: [], protocols: ['https:', 'http:'] }),
    look: async (page) => {
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
    async organization(subscription = {}) {
      const made = await createOrganization(
        { name: 'Acme', subscription: { ...NO_SUBSCRIPTION, ...subscription } },
        accounts.as(SYSTEM),
      );
      return made.id;
    },
    declare: (organizationId, address) => integrations.declare({ organizationId, name: 'Ours', url: address }),
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
      const isBusy = isAppError(error, 'unavailable') || messageFromError(error).includes('at this moment');
      if (!isBusy || attempt === 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
  }
}

/** A job whose loops go on when they are told, with what it did. */
export interface TestService {
  readonly service: CheckService;
  readonly events: CheckEvent[];
  readonly mails: Mail[];
  readonly lines: string[];
  /** Lets both loops go once, and waits for the checks that they began. */
  turn(): Promise<void>;
  /** {@link turn} until nothing is begun any more. */
  work(): Promise<void>;
}

/** The job on a subject, started; stop it. */
export function startService(subject: IntegrationSubject, changes: Partial<CheckServiceDeps> = {}): TestService {
  const [events, mails, lines]: [CheckEvent[], Mail[], string[]] = [[], [], []];
  const sleeping: (() => void)[] = [];
  const note = (_: object, message?: string) => void lines.push(String(message));
  const log = { info: note, warn: note, error: note };
  const service = new CheckService({
    ...subject.deps,
    look: (page) => subject.deps.look(page),
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
    async work() {
      await idle();
      for (let before = -1; before < events.length; ) {
        before = events.length;
        await turn();
      }
    },
  };
}
