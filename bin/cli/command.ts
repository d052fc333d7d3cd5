import { Argument, type Command, Option } from 'commander';
import { timestampFromDate } from '../../runtime/day.ts';
import type { Config, Environment } from '../config/config.ts';
import { choiceValue } from './option-values.ts';
import type { paint, showProgress, tableText } from './terminal.ts';

/** Where a command differs from most. */
export interface RunMode {
  /** It handles a stop signal itself; others end at once. */
  readonly stopsItself?: boolean;
  /** It starts with wrong settings too; then reading `config` throws `configuration`. */
  readonly toleratesBadSettings?: boolean;
  /** The process exits when it is done, whatever connections are open. */
  readonly endsAtOnce?: boolean;
}

export interface Call {
  readonly json: boolean;
  readonly mode: RunMode;
  /** Resolves to the exit code. */
  readonly run: (context: CommandContext) => Promise<number>;
}

export type RunCall = (call: Call) => Promise<void>;

export type AddCommand = (parent: Command, run: RunCall) => void;

/** An argument or option, parsed to a value of type `T`. */
interface Input<T, Built> {
  readonly build: (name: string) => Built;
  readonly value?: T;
}
type Inputs<Built> = Readonly<Record<string, Input<unknown, Built>>>;
export type ValuesOf<I> = { readonly [Name in keyof I]: I[Name] extends Input<infer T, unknown> ? T : never };

interface CommandDefinition<A extends Inputs<Argument>, O extends Inputs<Option>> extends RunMode {
  readonly name: string;
  readonly description: string;
  /** By the names that the help shows, in order. */
  readonly arguments?: A;
  /** In camel case: `dryRun` is `--dry-run`. Every command also has `--json`. */
  readonly options?: O;
  /** Help of `--json`, where it differs. */
  readonly json?: string;
  /** Complete command lines. */
  readonly examples: readonly string[];
  /** Help below the examples, such as exit codes. */
  readonly notes?: string;
  /** Resolves to the exit code. Imports what only this command needs and is slow to load. */
  readonly run: (
    context: CommandContext,
    values: ValuesOf<A> & ValuesOf<O> & { readonly json: boolean },
  ) => Promise<number>;
}

/** Declares a command. */
export function defineCommand<
  A extends Inputs<Argument> = Record<never, never>,
  O extends Inputs<Option> = Record<never, never>,
>(definition: CommandDefinition<A, O>): AddCommand {
  const { name, description, examples, notes, json: jsonText = 'one JSON object on stdout' } = definition;
  return (parent, run) => {
    const command = parent.command(name).description(description);
    const names = Object.keys(definition.arguments ?? {});
    for (const [key, { build }] of Object.entries(definition.arguments ?? {})) command.addArgument(build(key));
    // Last, unless declared elsewhere.
    const options: Inputs<Option> = { ...definition.options, json: flag(jsonText) };
    for (const [key, { build }] of Object.entries(options)) command.addOption(build(flagOf(key)));
    command.addHelpText('after', `\nExample${examples.length > 1 ? 's' : ''}:\n  ${examples.join('\n  ')}`);
    if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
    command.action(async () => {
      const args = Object.fromEntries(names.map((key, at) => [key, command.processedArgs[at]]));
      const json = command.opts()['json'] === true;
      // Each was parsed by its declaration.
      const values = { ...command.opts(), ...args, json } as ValuesOf<A> & ValuesOf<O> & { readonly json: boolean };
      await run({ json, mode: definition, run: (context) => definition.run(context, values) });
    });
  };
}

/** Commands under one name, such as `keys create` and `keys list`. */
export function commandGroup(name: string, description: string, commands: readonly AddCommand[]): AddCommand {
  return (parent, run) => {
    const group = parent.command(name).description(description);
    for (const add of commands) add(group, run);
  };
}

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function flag(text: string): Input<true | undefined, Option> {
  return { build: (name) => new Option(name, text) };
}

/** A required option without a value. */
export function requiredFlag(text: string): Input<true, Option> {
  return { build: (name) => new Option(name, text).makeOptionMandatory() };
}

type Parse<T> = (value: string, before?: T) => T;

/**
 * An option with a value.
 * @param placeholder such as `<dir>`; `[time]` for an optional value
 * @param parse default: the text
 */
export function option(placeholder: string, text: string): Input<string | undefined, Option>;
export function option<T>(placeholder: string, text: string, parse: Parse<T>): Input<T | undefined, Option>;
export function option<T>(placeholder: string, text: string, parse?: Parse<T>): Input<T | undefined, Option> {
  return { build: (name) => optionWith(`${name} ${placeholder}`, text, parse) };
}

export function required(placeholder: string, text: string): Input<string, Option>;
export function required<T>(placeholder: string, text: string, parse: Parse<T>): Input<T, Option>;
export function required<T>(placeholder: string, text: string, parse?: Parse<T>): Input<T, Option> {
  return { build: (name) => optionWith(`${name} ${placeholder}`, text, parse).makeOptionMandatory() };
}

export function optionOr<T>(fallback: T, placeholder: string, text: string, parse: Parse<T>): Input<T, Option> {
  return { build: (name) => optionWith(`${name} ${placeholder}`, text, parse).default(fallback) };
}

/** The option with a closed set of values, for help and shell completion. */
export function choiceOf<T>(choices: readonly string[], { build }: Input<T, Option>): Input<T, Option> {
  return {
    build(name) {
      const built = build(name);
      const { parseArg } = built;
      built.choices(choices);
      return parseArg === undefined ? built : built.argParser(parseArg);
    },
  };
}

function optionWith<T>(flags: string, text: string, parse: Parse<T> | undefined): Option {
  const built = new Option(flags, text);
  return parse === undefined ? built : built.argParser(parse);
}

export function argument(text: string): Input<string, Argument> {
  return { build: (name) => new Argument(`<${name}>`, text) };
}

export function optionalArgument(text: string): Input<string | undefined, Argument> {
  return { build: (name) => new Argument(`[${name}]`, text) };
}

export function choiceArgument<const W extends string>(text: string, choices: readonly W[]): Input<W, Argument> {
  return { build: (name) => new Argument(`<${name}>`, text).choices(choices).argParser(choiceValue(choices)) };
}

export interface CommandContext {
  readonly config: Config;
  readonly env: Environment;
  readonly clock: () => Date;
  readonly toolVersion: string;
  /** Prints a line on stdout: the result. */
  readonly print: (line: string) => void;
  /** Prints the result: the value with `--json`, else the text. */
  readonly printResult: (value: unknown, text: string | (() => string)) => void;
  /** Prints a line on stderr: progress, warnings, problems. */
  readonly log: (line: string) => void;
  /** Whether stderr is a terminal that can show progress. */
  readonly isTerminal: boolean;
  readonly paint: typeof paint;
  readonly tableText: typeof tableText;
  /** A progress bar on stderr; silent without a terminal. */
  readonly showProgress: (items: { readonly total: number }) => ReturnType<typeof showProgress>;
  readonly program: Command;
}

/** Fields of a value for JSON output: in this order, named in snake case, times as text. */
export function fieldJson<T extends object>(value: T, fields: readonly (keyof T & string)[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const given = value[field];
      return [snakeCase(field), given instanceof Date ? timestampFromDate(given) : given];
    }),
  );
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
