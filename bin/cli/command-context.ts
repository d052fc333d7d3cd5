import type { Config, Environment } from '../config/config.ts';

/** What every command is given. */
export interface CommandContext {
  readonly config: Config;
  /** For what tells where settings come from. */
  readonly env: Environment;
  readonly clock: () => Date;
  readonly toolVersion: string;
  /** One line on stdout: the answer. */
  readonly print: (line: string) => void;
  /** One line on stderr: progress, warnings, problems. */
  readonly log: (line: string) => void;
  /** True where stderr is a terminal that can show progress. */
  readonly isTerminal: boolean;
}

/** A command's work; resolves to the exit code. */
export type CommandAction<Options> = (context: CommandContext, options: Options) => Promise<number>;

/**
 * Turns a command's action into what commander calls, which loads it, runs it and makes its exit code the process's. A signal
 * ends the process at once, unless the action `stopsItself`. Wrong settings stop it before it begins, unless it `meetsSettings`: then
 * reading `config` throws `configuration`.
 */
export type RunAction = <Options>(
  load: () => Promise<CommandAction<Options>>,
  how?: { readonly stopsItself?: boolean; readonly meetsSettings?: boolean; readonly endsAtOnce?: boolean },
) => (options: Options) => Promise<void>;
