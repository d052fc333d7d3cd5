import type { CommandAction } from './commands/command-context.ts';

/**
 * Turns a command's action into what commander calls: sets it to work, and its exit code to the process. A signal ends the
 * process at once, unless the action `stopsItself`.
 */
export type RunAction = <Options>(
  action: CommandAction<Options>,
  how?: { readonly stopsItself?: boolean },
) => (options: Options) => Promise<void>;
