/**
 * The kinds of parameters that a URL can carry. Each parses text strictly, says in pydantic's words what is wrong
 * (DECISIONS "Errors") and describes itself for the OpenAPI document.
 */
import { z } from 'zod';
import { isDay } from '../schemas/day.ts';
import type { IssueParams } from './validation.ts';

interface Described {
  readonly description: string;
  readonly example?: string | number;
}

function issue(context: z.RefinementCtx, message: string, params: IssueParams): never {
  context.addIssue({ code: 'custom', message, params: { ...params } });
  return z.NEVER;
}

interface NumberOptions extends Described {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number in decimal digits; `fallback` where it is left out. */
export function integer({ fallback, ...options }: NumberOptions & { readonly fallback: number }) {
  return wholeNumber(options).default(fallback).meta({ default: fallback });
}

/** A whole number in decimal digits that may be left out. */
export function wholeNumber(options: NumberOptions) {
  return z
    .string()
    .transform((word, context) =>
      /^[+-]?\d{1,15}$/.test(word)
        ? bounded(Number(word), options, context)
        : issue(context, 'Input should be a valid integer', { type: 'int_parsing' }),
    )
    .meta({ type: 'integer', ...bounds(options), ...described(options) });
}

/** A finite number as JSON writes it. */
export function decimal(options: NumberOptions) {
  return z
    .string()
    .transform((word, context) =>
      /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) && Number.isFinite(Number(word))
        ? bounded(Number(word), options, context)
        : issue(context, 'Input should be a valid number', { type: 'float_parsing' }),
    )
    .meta({ type: 'number', ...bounds(options), ...described(options) });
}

function bounded(value: number, { min, max }: NumberOptions, context: z.RefinementCtx): number {
  if (min !== undefined && value < min) {
    const message = `Input should be greater than or equal to ${min}`;
    return issue(context, message, { type: 'greater_than_equal', ctx: { ge: min } });
  }
  if (max !== undefined && value > max) {
    const message = `Input should be less than or equal to ${max}`;
    return issue(context, message, { type: 'less_than_equal', ctx: { le: max } });
  }
  return value;
}

function bounds({ min, max }: NumberOptions) {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}

/** A calendar day, `YYYY-MM-DD`. */
export function day(options: Described) {
  return z
    .string()
    .transform((word, context) =>
      isDay(word) && word >= '0001-01-01'
        ? word
        : issue(context, 'Input should be a valid date, YYYY-MM-DD', {
            type: 'date_from_datetime_parsing',
            ctx: { error: 'not a day of the calendar' },
          }),
    )
    .meta({ type: 'string', format: 'date', ...described(options) });
}

/** Any text of 1 to `max` characters; one outside the basic plane is one, not two. */
export function text({ max, ...options }: Described & { readonly max: number }) {
  return z
    .string()
    .min(1)
    .superRefine((word, context) => {
      if ([...word].length <= max) return;
      issue(context, `String should have at most ${max} characters`, {
        type: 'string_too_long',
        ctx: { max_length: max },
      });
    })
    .meta({ maxLength: max, ...described(options) });
}

/** One of a closed set of words. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T, options: Described) {
  return z.enum(values).meta(described(options));
}

/** `true` or `false`, the latter where it is left out. */
export function flag(options: Described) {
  return z
    .string()
    .transform((word, context) =>
      word === 'true' || word === 'false'
        ? word === 'true'
        : issue(context, 'Input should be true or false', { type: 'bool_parsing' }),
    )
    .meta({ type: 'boolean', ...described(options) })
    .default(false)
    .meta({ default: false });
}

function described({ description, example }: Described) {
  return { description, ...(example === undefined ? {} : { example }) };
}
