import { afterAll, beforeAll } from 'vitest';
import type { PlanName } from '../../../api/accounts/organizations/plans.ts';
import { openSampleStore } from '../pipeline/sample-store.ts';
import { answersFrom, runCli } from '../processes/cli.ts';
import { freePort } from '../processes/servers.ts';
import { ServingProcess } from '../processes/serving-process.ts';
import { useFolder } from '../temporary-folder.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';

/** `modelstats serve --with-console` over the sample days, with a real mail server. */
export interface ConsoleService {
  /** Scheme, host and port. */
  readonly url: string;
  readonly mailbox: Mailbox;
  /** What the operator does on the command line beside it. */
  setPlan(organizationId: string, plan: PlanName): Promise<void>;
}

export interface ConsoleServiceOptions {
  /** Options of `serve` besides. */
  readonly args?: readonly string[];
  /** Settings besides; asked when it starts. */
  readonly env?: () => Readonly<Record<string, string>>;
}

/** A {@link ConsoleService} for a test file, running while its tests do. */
export function useConsoleService({ args = [], env = () => ({}) }: ConsoleServiceOptions = {}): ConsoleService {
  const folder = useFolder();
  const service = {} as { -readonly [Part in keyof ConsoleService]: ConsoleService[Part] }; // Whole before the first test.
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const store = await openSampleStore();
    closing.push(() => store.dispose());
    service.mailbox = await openMailbox();
    closing.push(service.mailbox.close);
    const port = await freePort();
    service.url = `http://127.0.0.1:${port}`;
    const database = `sqlite:${folder('accounts.db')}`;
    const serving = await ServingProcess.start({
      store: store.folder,
      database,
      args: ['--with-console', ...args],
      env: {
        MODELSTATS_PORT: String(port),
        MODELSTATS_PUBLIC_URL: service.url,
        MODELSTATS_SMTP: service.mailbox.smtp,
        MODELSTATS_SIGN_IN: 'link,password',
        MODELSTATS_USAGE_DETAIL_SECONDS: '1',
        // All people of the tests come from one address, and read faster than people do.
        MODELSTATS_MAILS_PER_ORIGIN_MAX: '1000',
        MODELSTATS_CONSOLE_PAGES_MAX: '100000',
        ...env(),
      },
    });
    closing.push(() => serving.dispose());
    service.setPlan = async (organizationId, plan) => {
      const words = ['orgs', 'set-plan', '--org', organizationId, '--plan', plan, '--json'];
      const { code, stdout, stderr } = await runCli(words, { env: { MODELSTATS_DATABASE: database } });
      if (code !== 0 || answersFrom(stdout).length === 0) throw new Error(`orgs set-plan failed: ${stderr}${stdout}`);
    };
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });
  return service;
}
