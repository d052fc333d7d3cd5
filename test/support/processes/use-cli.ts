import { expect } from 'vitest';
import { useFolder } from '../temporary-folder.ts';
import { callCli, envOf, responsesFrom } from './cli.ts';

/**
 * Commands that tests of a file call in this process, in a folder of their own with a store, a work folder and a control database.
 * @param perTest whether each test begins with an empty folder
 */
export function useCli({ perTest = false } = {}) {
  const path = useFolder({ perTest });
  const database = () => `sqlite:${path('accounts.db')}`;
  const places = () => envOf({ store: path('store'), work: path('work') });
  const env = (): Record<string, string> => ({ ...places(), MODELSTATS_DATABASE: database() });
  const runWith = (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    callCli(args, { env: { ...env(), ...more }, cwd: path() });
  /** The one JSON object that a command answers, which must succeed and say nothing else. */
  const ask = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runWith({}, ...args, '--json');
    expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
    const answers = responsesFrom(stdout);
    expect(answers).toHaveLength(1);
    return answers[0] ?? {};
  };
  return { path, env, database, runWith, run: (...args: readonly string[]) => runWith({}, ...args), ask };
}
