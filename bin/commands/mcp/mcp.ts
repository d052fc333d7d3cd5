import { UnauthenticatedError } from '../../../client/errors.ts';
import { bridgeMcp } from '../../../client/mcp/bridge.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { firstSignal } from '../../cli/process-events.ts';
import { clientSettings, type ServiceOptions } from '../client-settings.ts';

/**
 * `modelstats mcp --stdio`: a server of MCP for a program that starts it, which passes every message on to the service, until its
 * input ends, nobody reads its output any more, or a signal.
 */
export async function mcpOverStdio(context: CommandContext, options: ServiceOptions): Promise<number> {
  const stop = new AbortController();
  const settings = clientSettings(context, options);
  void firstSignal({ onSecond: () => undefined }).then(() => stop.abort());
  process.stdout.once('error', () => stop.abort());
  const { log } = context;
  // Even where the write fails: then its reader is gone, which ends everything.
  const write = (line: string) =>
    new Promise<void>((resolve) => void process.stdout.write(`${line}\n`, () => resolve()));
  try {
    await bridgeMcp(process.stdin, settings, { write, log, signal: stop.signal });
  } catch (error) {
    if (!(error instanceof UnauthenticatedError)) throw error;
    throw new AppError('usage', error.message, { cause: error });
  }
  return 0;
}
