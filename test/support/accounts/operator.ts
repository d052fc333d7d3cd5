import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished } from 'vitest';
import { callCli, responsesFrom, startCli } from '../processes/cli.ts';
import { newFolder } from '../temporary-folder.ts';

export type Operator = Awaited<ReturnType<typeof openOperator>>;

/** A service in a folder of the test that runs, as an operator works with it. */
export async function openOperator(settings: Readonly<Record<string, string>>) {
  const folder = await newFolder();
  const env: Record<string, string> = {
    MODELSTATS_STORE: `file:${join(folder, 'store')}`,
    MODELSTATS_WORK: join(folder, 'work'),
    MODELSTATS_VIEW: join(folder, 'view'),
    MODELSTATS_MAIL: join(folder, 'mail'),
    MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}`,
    MODELSTATS_OUTBOUND_ALLOW: '127.0.0.0/8',
    MODELSTATS_PORT: '0',
    ...settings,
  };
  /** How a command ends in this process, with other settings where they are given. */
  const call = (words: readonly string[], changes: Readonly<Record<string, string>> = {}) =>
    callCli(words, { env: { ...env, ...changes } });
  return {
    folder,
    env,
    call,
    /** What a command answers with `--json`, when it ends with this code. */
    async run(words: readonly string[], code = 0) {
      const ended = await call([...words, '--json']);
      expect(ended.code, ended.stderr + ended.stdout).toBe(code);
      return responsesFrom(ended.stdout)[0] ?? {};
    },
    /** Starts a command that goes on, until the test is over; what it says with `--json`, once it says the first line. */
    async start(...words: string[]) {
      const { child, ended } = startCli([...words, '--json'], { env });
      onTestFinished(async () => {
        child.kill('SIGTERM');
        await ended;
      });
      let said = '';
      child.stdout?.on('data', (chunk) => {
        said += chunk;
      });
      await until(() => said.includes('\n'));
      return () => responsesFrom(said.slice(0, said.lastIndexOf('\n')));
    },
  };
}

/** Has this process trust an authority, until the test is over; others are told with NODE_EXTRA_CA_CERTS. */
export function trust(ca: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, ca]);
  onTestFinished(() => setDefaultCACertificates(before));
}

/** Waits for something to be so; the test's own time limit ends it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
