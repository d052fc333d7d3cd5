import { expect } from 'vitest';
import { useFolder } from '../temporary-folder.ts';
import { answersFrom, type CalledCli, callCli, envOf } from './cli.ts';

type Answer = Readonly<Record<string, unknown>>;

/** Commands that tests of a file call in this process, in a folder of their own with a store, a work folder and a control database. */
export interface CliPlace {
  readonly path: (...names: readonly string[]) => string;
  readonly env: () => Record<string, string>;
  /** The address of the control database. */
  readonly database: () => string;
  run(...args: readonly string[]): Promise<CalledCli>;
  /** The same with further settings. */
  runWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CalledCli>;
  /** The one JSON object that a command answers, which must succeed and say nothing else. */
  ask(...args: readonly string[]): Promise<Answer>;
}

/** @param perTest whether each test begins with an empty folder */
export function useCli({ perTest = false } = {}): CliPlace {
  const path = useFolder({ perTest });
  const database = () => `sqlite:${path('accounts.db')}`;
  const places = () => envOf({ store: path('store'), work: path('work') });
  const env = () => ({ ...places(), MODELSTATS_DATABASE: database() });
  const runWith: CliPlace['runWith'] = (more, ...args) => callCli(args, { env: { ...env(), ...more }, cwd: path() });
  return {
    path,
    env,
    database,
    runWith,
    run: (...args) => runWith({}, ...args),
    ask: async (...args) => {
      const { code, stdout, stderr } = await runWith({}, ...args, '--json');
      expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
      const answers = answersFrom(stdout);
      expect(answers).toHaveLength(1);
      return answers[0] ?? {};
    },
  };
}
