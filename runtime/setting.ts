import { z } from 'zod';

/**
 * A setting, declared in the room of the factory that takes its value, under the name of the factory's option. From the declaration follow
 * what is read from the environment, `config show` and docs/configuration.md; bin/config/config.ts collects them.
 */
export interface Setting<N extends string = string, T = unknown> {
  /** Of the variable, without `MODELSTATS_`. */
  readonly name: N;
  /** From the text of the variable to the value; also where it is not set. */
  readonly schema: z.ZodType<T>;
  /** The default as one would write it; undefined where there is none. */
  readonly fallback: string | undefined;
  /** The meaning, in Markdown. */
  readonly text: string;
  /** The default in Markdown, where it is more than a value. */
  readonly documented: string | undefined;
  /** How a value may be shown: `masked` is nothing but a secret, an `address` may hold a password. Default: as it is. */
  readonly shown: 'masked' | 'address' | ((value: string) => string) | undefined;
}
export type Settings = Readonly<Record<string, Setting>>;

/** The options that settings give: those of a factory. */
export type OptionsFrom<S> = { readonly [K in keyof S]: S[K] extends Setting<string, infer T> ? T : never };

/** What holds where none of these settings is set. */
export function defaultsOf<const S extends Settings>(group: S): OptionsFrom<S> {
  const defaults = Object.entries(group).map(([option, { schema }]) => [option, schema.parse(undefined)]);
  return Object.fromEntries(defaults) as OptionsFrom<S>; // Each value is what the schema of its setting has made.
}

interface Declaration extends Partial<Pick<Setting, 'documented' | 'shown'>> {
  readonly text: string;
  /** What holds where the setting is not set, as one would write it; without it the kind says what then is. */
  readonly fallback?: string | number;
}

/**
 * Declares a setting.
 * @param kind reads the text, and may turn it into the unit of the option
 */
export function setting<const N extends string, T>(
  name: N,
  kind: z.ZodType<T>,
  { text, fallback, documented, shown }: Declaration,
): Setting<N, T> {
  if (fallback === undefined) return { name, schema: kind, fallback, text, documented, shown };
  return { name, schema: z.prefault(kind, fallback), fallback: String(fallback), text, documented, shown };
}

export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message);
}

export const Milliseconds = wholeNumber(1, 86_400_000);
export const Bytes = wholeNumber(1, Number.MAX_SAFE_INTEGER);
/** At most a day; a timer of Node holds 24 days at most. */
export const Seconds = z.coerce.number().positive().max(86_400);

/** A number that is set in one unit and used in a smaller one, so many of which it has. */
export function inUnits(kind: z.ZodType<number>, perUnit: number) {
  return kind.transform((number) => number * perUnit);
}
