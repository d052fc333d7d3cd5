/**
 * The kinds of parameters that a URL can carry. Each parses text strictly, says in pydantic's words what is wrong
 * (specification "Validation errors") and describes itself for the OpenAPI document.
 */
import { z } from 'zod';
import { isDay } from '../../../runtime/day.ts';
import { ID_LENGTH_MAX } from '../../../schemas/datasets.ts';
import type { IssueParams } from '../../server/errors/http-error.ts';

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
  return plainInteger(options).default(fallback).meta({ default: fallback });
}

/** A whole number in decimal digits, without a default. */
export function plainInteger(options: NumberOptions) {
  return z
    .string()
    .transform((word, context) => {
      if (!/^[+-]?\d+$/.test(word)) {
        const message = 'Input should be a valid integer, unable to parse string as an integer';
        return issue(context, message, { type: 'int_parsing' });
      }
      const value = bounded(Number(word), options, context);
      if (value === z.NEVER || Number.isSafeInteger(value)) return value;
      const message = 'Unable to parse input string as an integer, exceeded maximum size';
      return issue(context, message, { type: 'int_parsing_size' });
    })
    .meta({ type: 'integer', ...bounds(options), ...described(options) });
}

/** A finite number as JSON writes it. */
export function decimal(options: NumberOptions) {
  return z
    .string()
    .transform((word, context) => {
      if (!/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i.test(word)) {
        const message = 'Input should be a valid number, unable to parse string as a number';
        return issue(context, message, { type: 'float_parsing' });
      }
      if (Number.isFinite(Number(word))) return bounded(Number(word), options, context);
      return issue(context, 'Input should be a finite number', { type: 'finite_number' });
    })
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
  return value === 0 ? 0 : value; // There is no minus zero.
}

function bounds({ min, max }: NumberOptions) {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}

/** A calendar day, `YYYY-MM-DD`. */
export function day(options: Described) {
  return z
    .string()
    .transform((word, context) => {
      const error = dayProblem(word);
      if (error === undefined) return word;
      const message = `Input should be a valid date or datetime, ${error}`;
      return issue(context, message, { type: 'date_from_datetime_parsing', ctx: { error } });
    })
    .meta({ type: 'string', format: 'date', ...described(options) });
}

/** Any text of 1 to `max` characters; what takes two units of UTF-16 is one. */
export function freeText({ max, ...options }: Described & { readonly max: number }) {
  return z
    .string()
    .superRefine((word, context) => {
      if (word === '') {
        const message = 'String should have at least 1 character';
        issue(context, message, { type: 'string_too_short', ctx: { min_length: 1 } });
      } else if (word.length > max && [...word].length > max) {
        const message = `String should have at most ${max} characters`;
        issue(context, message, { type: 'string_too_long', ctx: { max_length: max } });
      }
    })
    .meta({ minLength: 1, maxLength: max, ...described(options) });
}

/** An id of the data, as a filter or in a path. */
export function id(description: string, example?: string) {
  return freeText({ max: ID_LENGTH_MAX, description, ...(example === undefined ? {} : { example }) });
}

/** What an id can be of, where it names something that is served. */
export type IdKind = 'model' | 'benchmark' | 'category' | 'provider' | 'snapshot';

/** An id of something that is served. The reference fills in one that is answered (specification "The reference"). */
export function idOf(kind: IdKind, description: string, example?: string) {
  return id(description, example).register(ID_KINDS, { kind });
}

/** What a parameter is an id of; undefined where it is none of {@link idOf}. */
export function idKindOf(parameter: unknown): IdKind | undefined {
  const given = parameter instanceof z.ZodOptional ? parameter.unwrap() : parameter;
  return given instanceof z.ZodType ? ID_KINDS.get(given)?.kind : undefined;
}

/** Beside zod's own metadata, which would be in the OpenAPI document. */
const ID_KINDS = z.registry<{ readonly kind: IdKind }>();

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
        : issue(context, 'Input should be a valid boolean, unable to interpret input', { type: 'bool_parsing' }),
    )
    .meta({ type: 'boolean', ...described(options) })
    .default(false)
    .meta({ default: false });
}

function described({ description, example }: Described) {
  return { description, ...(example === undefined ? {} : { example }) };
}

/** What keeps a text from being a day written `YYYY-MM-DD`, in pydantic's words; undefined where nothing does. */
function dayProblem(word: string): string | undefined {
  const [year, month, date] = [word.slice(0, 4), word.slice(5, 7), word.slice(8, 10)];
  if (word.length < 'YYYY-MM-DD'.length) return 'input is too short';
  if (!isDigits(year)) return 'invalid character in year';
  if (word[4] !== '-' || word[7] !== '-') return 'invalid date separator, expected `-`';
  if (!isDigits(month)) return 'invalid character in month';
  if (!isDigits(date)) return 'invalid character in day';
  if (month < '01' || month > '12') return 'month value is outside expected range of 1-12';
  if (!isDay(`${year}-${month}-${date}`)) return 'day value is outside expected range';
  if (year === '0000') return 'year 0 is out of range';
  return word.length > 'YYYY-MM-DD'.length ? 'unexpected extra characters at the end of the input' : undefined;
}

function isDigits(word: string): boolean {
  return /^\d+$/.test(word);
}
