/** `modelstats mcp --stdio` without a client: lines in, lines out. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { COMMAND, startCli } from '../processes/cli.ts';
import type { HostedServer } from './clients.ts';

export function hostedServer(env: Readonly<Record<string, string>>): HostedServer {
  return { command: process.execPath, args: [COMMAND, 'mcp', '--stdio'], env };
}

/** Starts it; killed after the test where it still runs. */
export function startStdio(env: Readonly<Record<string, string>>) {
  const { child, ended } = startCli(['mcp', '--stdio'], { env, hasInput: true });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the process has no pipes');
  onTestFinished(() => void child.kill('SIGKILL'));
  stdin.on('error', () => undefined); // It has ended: its exit code says more.
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    /** Writes a line: a message, or a text as it stands. */
    send: (message: unknown) =>
      void stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    /** The next line that it answers, parsed; undefined at the end. */
    next: async (): Promise<unknown> => {
      const { value, done } = await lines.next();
      return done === true ? undefined : JSON.parse(value);
    },
    endInput: () => void stdin.end(),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Stops reading its output; resolves to its exit code. */
    closeOutput: async () => {
      ended.catch(() => undefined); // It can't tell all that was said.
      stdout.destroy();
      const [code]: (number | null)[] = await once(child, 'exit');
      return code;
    },
    ended,
  };
}
