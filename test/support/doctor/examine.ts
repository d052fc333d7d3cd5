import { runDoctor } from '../../../bin/commands/doctor/run-doctor.ts';
import { configFromEnv, type Environment } from '../../../bin/config/config.ts';
import { useFolder } from '../temporary-folder.ts';

interface Answer {
  readonly ok: boolean;
  readonly checks: readonly { check: string; result: string; message: string; advice: string | null }[];
}

/** What `modelstats doctor --json` answers with these variables set. */
export async function examine(env: Environment, now = new Date()) {
  const written: string[] = [];
  const context = {
    get config() {
      return configFromEnv(env);
    },
    env,
    clock: () => now,
    toolVersion: '0.0.0-test',
    printResult: (value: unknown) => void written.push(JSON.stringify(value)),
  };
  const code = await runDoctor(context);
  const text = written.join('\n');
  const { ok, checks }: Answer = JSON.parse(text);
  /** The result and the message of a check; undefined where it was not made. */
  const of = (name: string) => {
    const found = checks.find(({ check }) => check === name);
    return found && `${found.result}: ${found.message}`;
  };
  return { code, ok, checks, text, of };
}

/** A folder for each test of a file, which is a machine on which nothing was done yet. */
export function useNewMachine() {
  const path = useFolder({ perTest: true });
  return {
    folder: () => path(),
    /** The settings of a machine that is used for everything. */
    env: () => ({
      MODELSTATS_STORE: `file:${path('store')}`,
      MODELSTATS_WORK: path('work'),
      MODELSTATS_VIEW: path('view'),
      MODELSTATS_DATABASE: `sqlite:${path('accounts.db')}`,
      MODELSTATS_PORT: '0',
    }),
  };
}
