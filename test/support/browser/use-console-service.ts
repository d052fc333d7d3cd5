import type { PlanName } from '../../../api/accounts/organizations/plans.ts';
import { perFile } from '../per-test.ts';
import { openSampleStore } from '../pipeline/sample-store.ts';
import { responsesFrom, runCli } from '../processes/cli.ts';
import { freePort } from '../processes/servers.ts';
import { ServingProcess } from '../processes/serving-process.ts';
import { useFolder } from '../temporary-folder.ts';
import { openMailbox } from './mailbox.ts';

/** `modelstats serve --with-console` over the sample days, with a real mail server. */
export type ConsoleService = Awaited<ReturnType<typeof openConsoleService>>;

interface ConsoleServiceOptions {
  readonly args?: readonly string[];
  /** Settings besides; asked when it starts. */
  readonly env?: () => Readonly<Record<string, string>>;
}

/** A {@link ConsoleService} for a test file, running while its tests do. */
export function useConsoleService(options: ConsoleServiceOptions = {}): ConsoleService {
  const folder = useFolder();
  return perFile(() => openConsoleService(`sqlite:${folder('accounts.db')}`, options));
}

async function openConsoleService(database: string, { args = [], env = () => ({}) }: ConsoleServiceOptions) {
  const [store, mailbox, port] = [await openSampleStore(), await openMailbox(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const serving = await ServingProcess.start({
    store: store.folder,
    database,
    args: ['--with-console', ...args],
    env: {
      MODELSTATS_PORT: String(port),
      MODELSTATS_PUBLIC_URL: url,
      MODELSTATS_SMTP: mailbox.smtp,
      MODELSTATS_SIGN_IN: 'link,password',
      MODELSTATS_USAGE_DETAIL_SECONDS: '1',
      // All people of the tests come from one address, and read faster than people do.
      MODELSTATS_MAILS_PER_ORIGIN_MAX: '1000',
      MODELSTATS_CONSOLE_PAGES_MAX: '100000',
      ...env(),
    },
  });
  return {
    url,
    mailbox,
    /** What the operator does on the command line beside it. */
    async setPlan(organizationId: string, plan: PlanName) {
      const words = ['orgs', 'set-plan', '--org', organizationId, '--plan', plan, '--json'];
      const { code, stdout, stderr } = await runCli(words, { env: { MODELSTATS_DATABASE: database } });
      if (code !== 0 || responsesFrom(stdout).length === 0) throw new Error(`orgs set-plan failed: ${stderr}${stdout}`);
    },
    async close() {
      await serving.dispose();
      await mailbox.close();
      await store.dispose();
    },
  };
}
