import { runDoctor } from '../../../bin/commands/doctor/run-doctor.ts';
import { configFromEnv, type Environment } from '../../../bin/config/config.ts';
import { useFolder } from '../temporary-folder.ts';

/** What `modelstats doctor --json` answers with these variables set. */
export interface Examined {
  readonly code: number;
  readonly ok: boolean;
  readonly checks: readonly {
    readonly check: string;
    readonly result: string;
    readonly message: string;
    readonly advice: string | null;
  }[];
  /** All that it said. */
  readonly text: string;
  /** The result and the message of a check; undefined where it was not made. */
  readonly of: (check: string) => string | undefined;
}

export async function examine(env: Environment, now = new Date()): Promise<Examined> {
  const written: string[] = [];
  const context = {
    get config() {
      return configFromEnv(env);
    },
    env,
    clock: () => now,
    toolVersion: '0.0.0-test',
    answer: (value: unknown) => void written.push(JSON.stringify(value)),
  };
  const code = await runDoctor(context);
  const text = written.join('\n');
  const { ok, checks }: Pick<Examined, 'ok' | 'checks'> = JSON.parse(text);
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
