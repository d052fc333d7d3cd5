import { AppError } from '../../../runtime/errors.ts';
import { defineCommand, requiredFlag } from '../../cli/command.ts';
import { firstSignal } from '../../cli/process-events.ts';
import { SERVICE_OPTIONS } from './service-options.ts';

/** Runs until its input ends, its output is closed, or a signal. */
export const mcpOverStdio = defineCommand({
  name: 'mcp',
  description: 'Serve MCP on standard input and output by passing messages to a service with an API key',
  options: {
    stdio: requiredFlag('use standard input and output; for HTTP use `serve`'),
    ...SERVICE_OPTIONS,
  },
  json: 'no effect: messages are JSON, one per line',
  examples: ['MODELSTATS_API_KEY=msk_… modelstats mcp --stdio --url https://api.example.com'],
  notes: 'Ends with its input or a signal. Exit codes: 0 ended, 2 usage or a refused key, 1 other errors',
  stopsItself: true,
  async run(context, options) {
    const [{ UnauthenticatedError }, { bridgeMcp }, { clientSettings }] = await Promise.all([
      import('../../../client/errors.ts'),
      import('../../../client/bridge.ts'),
      import('./service-options.ts'),
    ]);
    const stop = new AbortController();
    const settings = clientSettings(context, options);
    void firstSignal({ onSecond: () => undefined }).then(() => stop.abort());
    process.stdout.once('error', () => stop.abort());
    // Resolves also if the write fails: then the reader is gone, which ends everything.
    const write = (line: string) =>
      new Promise<void>((resolve) => void process.stdout.write(`${line}\n`, () => resolve()));
    try {
      await bridgeMcp(process.stdin, settings, { write, log: context.log, signal: stop.signal });
    } catch (error) {
      if (!(error instanceof UnauthenticatedError)) throw error;
      throw new AppError('usage', error.message, { cause: error });
    }
    return 0;
  },
});
