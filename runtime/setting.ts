import { z } from 'zod';

/**
 * A setting, declared beside the factory that takes its value and named as the factory's option. The declaration gives
 * the environment variable, `config show` and docs/configuration.md; bin/config/config.ts collects all.
 */
export interface Setting<N extends string = string, T = unknown> {
  /** The variable without `MODELSTATS_`. */
  readonly name: N;
  /** Parses the text of the variable, also when it is not set. */
  readonly schema: z.ZodType<T>;
  /** As an operator would write it. */
  readonly fallback: string | undefined;
  /** In Markdown. */
  readonly text: string;
  /** In Markdown, where it is more than a value. */
  readonly documented: string | undefined;
  /** How a value is displayed: `masked` for a secret, `address` for one that may hold a password. Default: in full. */
  readonly shown: 'masked' | 'address' | ((value: string) => string) | undefined;
}
export type Settings = Readonly<Record<string, Setting>>;

export type OptionsFrom<S> = { readonly [K in keyof S]: S[K] extends Setting<string, infer T> ? T : never };

export function defaultsOf<const S extends Settings>(group: S): OptionsFrom<S> {
  const defaults = Object.entries(group).map(([option, { schema }]) => [option, schema.parse(undefined)]);
  return Object.fromEntries(defaults) as OptionsFrom<S>; // Parsed by the schema of its setting.
}

interface Declaration extends Partial<Pick<Setting, 'documented' | 'shown'>> {
  readonly text: string;
  /** Without it, `kind` parses undefined. */
  readonly fallback?: string | number;
}

/** @param kind parses the text, and may convert it to the unit of the option */
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
/** At most a day; Node's timers hold 24 days. */
export const Seconds = z.coerce.number().positive().max(86_400);

export function inUnits(kind: z.ZodType<number>, perUnit: number) {
  return kind.transform((number) => number * perUnit);
}
