import { Argument, type Command, Option } from 'commander';
import { timestampFromDate } from '../../runtime/day.ts';
import type { Config, Environment } from '../config/config.ts';
import { wordValue } from './option-values.ts';
import type { paint, showProgress, tableText } from './terminal.ts';

/** How a command is run, where not as most are. */
export interface Manner {
  /** A signal asks it to stop; the others it ends at once. */
  readonly stopsItself?: boolean;
  /** Wrong settings don't stop it before it begins: then reading `config` throws `configuration`. */
  readonly meetsSettings?: boolean;
  /** The process ends with it, whatever connections it leaves open. */
  readonly endsAtOnce?: boolean;
}

/** A call of a command, whose words have been read. */
export interface Call {
  readonly json: boolean;
  readonly manner: Manner;
  /** Does its work; resolves to the exit code. */
  readonly run: (context: CommandContext) => Promise<number>;
}

/** Runs a call, once commander has understood it, and makes its exit code the process's. */
export type RunCall = (call: Call) => Promise<void>;

/** A command, or several under one name, as part of a program. */
export type AddCommand = (parent: Command, run: RunCall) => void;

/** What a command is given beside its name, read as a value of type `T`. */
interface Input<T, Built> {
  readonly build: (name: string) => Built;
  /** Only for the compiler. */
  readonly value?: T;
}
type Inputs<Built> = Readonly<Record<string, Input<unknown, Built>>>;
/** What a command is given, by its declared inputs. */
export type ValuesOf<I> = { readonly [Name in keyof I]: I[Name] extends Input<infer T, unknown> ? T : never };

interface CommandDefinition<A extends Inputs<Argument>, O extends Inputs<Option>> extends Manner {
  readonly name: string;
  readonly description: string;
  /** By the names that the help shows; in the order of the words. */
  readonly arguments?: A;
  /** By their names in camel case: `dryRun` is `--dry-run`. Every command has `--json` besides. */
  readonly options?: O;
  /** What `--json` does, where it is something else than usual. */
  readonly json?: string;
  /** Whole lines as one types them. */
  readonly examples: readonly string[];
  /** Below the examples: exit codes, and what else has to be said. */
  readonly notes?: string;
  /** Does its work; resolves to the exit code. What only this command needs, and takes time to load, it imports itself. */
  readonly run: (
    context: CommandContext,
    values: ValuesOf<A> & ValuesOf<O> & { readonly json: boolean },
  ) => Promise<number>;
}

/** Declares a command: all that there is to say of it, and what it does. */
export function defineCommand<
  A extends Inputs<Argument> = Record<never, never>,
  O extends Inputs<Option> = Record<never, never>,
>(definition: CommandDefinition<A, O>): AddCommand {
  const { name, description, examples, notes, json: jsonText = 'one JSON object on stdout' } = definition;
  return (parent, run) => {
    const command = parent.command(name).description(description);
    const names = Object.keys(definition.arguments ?? {});
    for (const [key, { build }] of Object.entries(definition.arguments ?? {})) command.addArgument(build(key));
    // Last, unless its place is declared.
    const options: Inputs<Option> = { ...definition.options, json: flag(jsonText) };
    for (const [key, { build }] of Object.entries(options)) command.addOption(build(flagOf(key)));
    command.addHelpText('after', `\nExample${examples.length > 1 ? 's' : ''}:\n  ${examples.join('\n  ')}`);
    if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
    command.action(async () => {
      const words = Object.fromEntries(names.map((key, at) => [key, command.processedArgs[at]]));
      const json = command.opts()['json'] === true;
      // Read by what each was declared with.
      const values = { ...command.opts(), ...words, json } as ValuesOf<A> & ValuesOf<O> & { readonly json: boolean };
      await run({ json, manner: definition, run: (context) => definition.run(context, values) });
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

/** An option that is there or not. */
export function flag(text: string): Input<true | undefined, Option> {
  return { build: (name) => new Option(name, text) };
}

/** An option without a value that has to be there. */
export function requiredFlag(text: string): Input<true, Option> {
  return { build: (name) => new Option(name, text).makeOptionMandatory() };
}

type Parse<T> = (value: string, before?: T) => T;

/**
 * An option with a value.
 * @param placeholder such as `<dir>`; `[time]` where the value may be left out
 * @param parse from the text to the value; default: the text
 */
export function option(placeholder: string, text: string): Input<string | undefined, Option>;
export function option<T>(placeholder: string, text: string, parse: Parse<T>): Input<T | undefined, Option>;
export function option<T>(placeholder: string, text: string, parse?: Parse<T>): Input<T | undefined, Option> {
  return { build: (name) => optionWith(`${name} ${placeholder}`, text, parse) };
}

/** An option with a value that has to be there. */
export function required(placeholder: string, text: string): Input<string, Option>;
export function required<T>(placeholder: string, text: string, parse: Parse<T>): Input<T, Option>;
export function required<T>(placeholder: string, text: string, parse?: Parse<T>): Input<T, Option> {
  return { build: (name) => optionWith(`${name} ${placeholder}`, text, parse).makeOptionMandatory() };
}

/** An option with a value that has one anyway. */
export function optionOr<T>(fallback: T, placeholder: string, text: string, parse: Parse<T>): Input<T, Option> {
  return { build: (name) => optionWith(`${name} ${placeholder}`, text, parse).default(fallback) };
}

/** The same option, whose values are words of a closed set, which its help and the completion of shells tell. */
export function choiceOf<T>(words: readonly string[], { build }: Input<T, Option>): Input<T, Option> {
  return {
    build(name) {
      const built = build(name);
      const { parseArg } = built;
      built.choices(words);
      return parseArg === undefined ? built : built.argParser(parseArg);
    },
  };
}

function optionWith<T>(flags: string, text: string, parse: Parse<T> | undefined): Option {
  const built = new Option(flags, text);
  return parse === undefined ? built : built.argParser(parse);
}

/** A word behind the command. */
export function argument(text: string): Input<string, Argument> {
  return { build: (name) => new Argument(`<${name}>`, text) };
}

/** A word behind the command that may be left out. */
export function optionalArgument(text: string): Input<string | undefined, Argument> {
  return { build: (name) => new Argument(`[${name}]`, text) };
}

/** A word of a closed set behind the command. */
export function choiceArgument<const W extends string>(text: string, words: readonly W[]): Input<W, Argument> {
  return { build: (name) => new Argument(`<${name}>`, text).choices(words).argParser(wordValue(words)) };
}

/** What every command is given. */
export interface CommandContext {
  readonly config: Config;
  /** For what tells where settings come from. */
  readonly env: Environment;
  readonly clock: () => Date;
  readonly toolVersion: string;
  /** One line on stdout: the answer. */
  readonly print: (line: string) => void;
  /** Prints the answer: with `--json` the value, else the text for people. */
  readonly answer: (value: unknown, text: string | (() => string)) => void;
  /** One line on stderr: progress, warnings, problems. */
  readonly log: (line: string) => void;
  /** True where stderr is a terminal that can show progress. */
  readonly isTerminal: boolean;
  readonly paint: typeof paint;
  readonly tableText: typeof tableText;
  /** A bar on stderr; silent where stderr is no terminal. */
  readonly showProgress: (items: { readonly total: number }) => ReturnType<typeof showProgress>;
  /** All commands, for what describes them. */
  readonly program: Command;
}

/** Fields of a value as commands answer them: in this order, under their names in snake case, times as text. */
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
