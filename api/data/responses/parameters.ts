/**
 * Parameters of URLs: each parses strictly, reports problems in pydantic's wording (specification "Validation errors")
 * and describes itself for the OpenAPI document.
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

export function integer({ fallback, ...options }: NumberOptions & { readonly fallback: number }) {
  return plainInteger(options).default(fallback).meta({ default: fallback });
}

export function plainInteger(options: NumberOptions) {
  return z
    .string()
    .transform((text, context) => {
      if (!/^[+-]?\d+$/.test(text)) {
        const message = 'Input should be a valid integer, unable to parse string as an integer';
        return issue(context, message, { type: 'int_parsing' });
      }
      const value = bounded(Number(text), options, context);
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
    .transform((text, context) => {
      if (!/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i.test(text)) {
        const message = 'Input should be a valid number, unable to parse string as a number';
        return issue(context, message, { type: 'float_parsing' });
      }
      if (Number.isFinite(Number(text))) return bounded(Number(text), options, context);
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
    .transform((text, context) => {
      const error = dayProblem(text);
      if (error === undefined) return text;
      const message = `Input should be a valid date or datetime, ${error}`;
      return issue(context, message, { type: 'date_from_datetime_parsing', ctx: { error } });
    })
    .meta({ type: 'string', format: 'date', ...described(options) });
}

/** The day of something that is served, as {@link idOf}. */
export function dayOf(kind: IdKind, options: Described) {
  return day(options).register(ID_KINDS, { kind });
}

/** Text of 1 to `max` characters; a UTF-16 surrogate pair counts once. */
export function freeText({ max, ...options }: Described & { readonly max: number }) {
  return z
    .string()
    .superRefine((text, context) => {
      if (text === '') {
        const message = 'String should have at least 1 character';
        issue(context, message, { type: 'string_too_short', ctx: { min_length: 1 } });
      } else if (text.length > max && [...text].length > max) {
        const message = `String should have at most ${max} characters`;
        issue(context, message, { type: 'string_too_long', ctx: { max_length: max } });
      }
    })
    .meta({ minLength: 1, maxLength: max, ...described(options) });
}

export function id(description: string, example?: string) {
  return freeText({ max: ID_LENGTH_MAX, description, ...(example === undefined ? {} : { example }) });
}

/** Ids separated by commas: each once, in order. An id that contains a comma can't be among them. */
export function idsOf(kind: IdKind, { max, ...options }: Described & { readonly max: number }) {
  return z
    .string()
    .transform((text, context): readonly string[] => {
      const ids = [...new Set(text.split(','))].sort();
      if (ids.some((each) => each === '' || [...each].length > ID_LENGTH_MAX)) {
        const message = `Input should be ids of 1 to ${ID_LENGTH_MAX} characters, separated by commas`;
        return issue(context, message, { type: 'value_error' });
      }
      if (ids.length <= max) return ids;
      const message = `Input should have at most ${max} ids; it has ${ids.length}`;
      return issue(context, message, { type: 'too_long', ctx: { max_length: max, actual_length: ids.length } });
    })
    .meta({ type: 'string', pattern: '^[^,]+(,[^,]+)*$', ...described(options) })
    .register(ID_KINDS, { kind });
}

export type IdKind = 'model' | 'priced model' | 'benchmark' | 'category' | 'provider' | 'snapshot';

/** An id of something that is served; the reference fills in an existing one (specification "The reference"). */
export function idOf(kind: IdKind, description: string, example?: string) {
  return id(description, example).register(ID_KINDS, { kind });
}

export function idKindOf(parameter: unknown): IdKind | undefined {
  const given = parameter instanceof z.ZodOptional ? parameter.unwrap() : parameter;
  return given instanceof z.ZodType ? ID_KINDS.get(given)?.kind : undefined;
}

/** Not in zod's own metadata, which would be in the OpenAPI document. */
const ID_KINDS = z.registry<{ readonly kind: IdKind }>();

export function oneOf<const T extends readonly [string, ...string[]]>(values: T, options: Described) {
  return z.enum(values).meta(described(options));
}

/** A name for each of some keys, such as `image_out:image,audio_in:second`. */
export function namesByKey<Key extends string>(
  keys: readonly Key[],
  names: readonly string[],
  options: Described,
): z.ZodType<Readonly<Partial<Record<Key, string>>>, string> {
  return z
    .string()
    .transform((text, context) => {
      const found: Partial<Record<Key, string>> = {};
      for (const part of text.split(',')) {
        const [given, name = '', ...more] = part.split(':');
        const key = keys.find((known) => known === given);
        if (key === undefined || found[key] !== undefined || !names.includes(name) || more.length > 0) {
          const message = `Input should be KEY:NAME, comma-separated, each key once; keys: ${keys.join(', ')}; names: ${names.join(', ')}`;
          return issue(context, message, { type: 'value_error' });
        }
        found[key] = name;
      }
      return found;
    })
    .meta({ type: 'string', ...described(options) });
}

/** `true` or `false`; default `false`. */
export function flag(options: Described) {
  return z
    .string()
    .transform((text, context) =>
      text === 'true' || text === 'false'
        ? text === 'true'
        : issue(context, 'Input should be a valid boolean, unable to interpret input', { type: 'bool_parsing' }),
    )
    .meta({ type: 'boolean', ...described(options) })
    .default(false)
    .meta({ default: false });
}

function described({ description, example }: Described) {
  return { description, ...(example === undefined ? {} : { example }) };
}

/** Why a text is no day, in pydantic's wording; undefined: it is one. */
function dayProblem(text: string): string | undefined {
  const [year, month, date] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)];
  if (text.length < 'YYYY-MM-DD'.length) return 'input is too short';
  if (!isDigits(year)) return 'invalid character in year';
  if (text[4] !== '-' || text[7] !== '-') return 'invalid date separator, expected `-`';
  if (!isDigits(month)) return 'invalid character in month';
  if (!isDigits(date)) return 'invalid character in day';
  if (month < '01' || month > '12') return 'month value is outside expected range of 1-12';
  if (!isDay(`${year}-${month}-${date}`)) return 'day value is outside expected range';
  if (year === '0000') return 'year 0 is out of range';
  return text.length > 'YYYY-MM-DD'.length ? 'unexpected extra characters at the end of the input' : undefined;
}

function isDigits(text: string): boolean {
  return /^\d+$/.test(text);
}
