/**
 * Reads responses within limits. Bodies are counted while they are unpacked, so endless or packed ones can't exhaust
 * memory (decision 0104).
 */

import { z } from 'zod';
import { isNestedDeeper } from '../runtime/json-depth.ts';
import type { ClientSettings } from './client-settings.ts';
import {
  AnswerTooLargeError,
  ClientError,
  CursorExpiredError,
  type ErrorFields,
  InvalidRequestError,
  NotFoundError,
  NotInPlanError,
  NotModifiedError,
  QuotaExceededError,
  RateLimitError,
  ServiceError,
  UnauthenticatedError,
} from './errors.ts';

/** For error responses; more than their messages need. */
const ERROR_BYTES_MAX = 64 * 1024;
/** Nesting of responses; the service's own have six levels at most. */
const LEVELS_MAX = 64;

export interface BodyText {
  readonly text: string;
  /** Unpacked. */
  readonly bytes: number;
}

export interface Answer<T> {
  readonly body: T;
  /** Of the body, unpacked. */
  readonly bytes: number;
  /** For {@link ModelstatsClient.ifChanged}. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** The time of the data, ISO 8601. */
  readonly dataAsOf: string | null;
  /** Units left today; null: unlimited, or not reported. */
  readonly quotaRemaining: number | null;
}

/** Throws a SyntaxError for a body that can't be parsed, which counts as no response. */
export async function readResponse<T>(
  response: Response,
  { answerBytesMax }: Pick<ClientSettings, 'answerBytesMax'>,
): Promise<Answer<T>> {
  await throwUnlessOk(response);
  const { headers } = response;
  const remaining = Number(headers.get('x-quota-remaining') ?? Number.NaN);
  const { text, bytes } = await readText(response, answerBytesMax);
  return {
    body: parseResponse(text) as T, // As the OpenAPI document specifies.
    bytes,
    etag: headers.get('etag'),
    lastModified: headers.get('last-modified'),
    dataAsOf: headers.get('x-data-as-of'),
    quotaRemaining: Number.isFinite(remaining) ? remaining : null,
  };
}

/** Rejects for responses other than 2xx. */
export async function throwUnlessOk(response: Response): Promise<void> {
  if (!response.ok) throw errorFromResponse(response.status, response.headers, await readErrorText(response));
}

/** Rejects with an {@link AnswerTooLargeError}, and disconnects, if the body exceeds `bytesMax`. */
export async function readText(response: Response, bytesMax: number): Promise<BodyText> {
  const { isCut, ...body } = await readUpTo(response, bytesMax);
  if (!isCut) return body;
  const { origin, pathname } = new URL(response.url);
  const message = `the response of ${origin}${pathname} is larger than ${bytesMax} bytes: ${LIMITED_BY.answer}`;
  throw new AnswerTooLargeError(message, { code: 'answer_too_large', status: response.status });
}

/** Reads the start of an error response, and disconnects if there is more. */
export async function readErrorText(response: Response): Promise<string> {
  return (await readUpTo(response, ERROR_BYTES_MAX)).text;
}

/** Throws a SyntaxError for invalid or too deeply nested JSON. */
export function parseResponse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!isNestedDeeper(value, LEVELS_MAX)) return value;
  throw new SyntaxError(`the response is nested more than ${LEVELS_MAX} levels deep`);
}

export const LIMITED_BY = {
  answer: 'increase answerBytesMax or MODELSTATS_CLIENT_ANSWER_BYTES_MAX to allow more',
  file: 'increase fileBytesMax or MODELSTATS_CLIENT_FILE_BYTES_MAX to allow more',
} as const;

async function readUpTo(
  { body }: Pick<Response, 'body'>,
  bytesMax: number,
): Promise<BodyText & { readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body ?? []) {
    const room = bytesMax - bytes;
    bytes += Math.min(chunk.length, room);
    text += decoder.decode(chunk.subarray(0, room), { stream: true });
    // Leaving the loop closes the connection.
    if (chunk.length > room) return { text, bytes, isCut: true };
  }
  return { text: text + decoder.decode(), bytes, isCut: false };
}

const optional = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);

const EnvelopeSchema = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
    param: z.string().nullish().catch(null),
    help_url: optional(z.string()),
    request_id: optional(z.string()),
    limit_type: optional(z.enum(['burst', 'daily_quota'])),
    limit_scope: optional(z.enum(['route', 'organization'])),
    plan: optional(z.string()),
    reset_at: optional(z.string()),
    retained_from: optional(z.string()),
  }),
});

const InvalidSchema = z.looseObject({
  detail: z.array(
    z.looseObject({
      loc: z.array(z.union([z.string(), z.int()]).transform(String)),
      msg: z.string(),
      type: z.string(),
    }),
  ),
});

/** Maps an error response. Proxies may send errors of their own. */
export function errorFromResponse(status: number, headers: Headers, body: string): ClientError {
  const retryAfter = secondsFrom(headers.get('retry-after'));
  const common = {
    status,
    retry_after_seconds: retryAfter,
    request_id: headers.get('x-request-id') ?? undefined,
  };
  const json = parseJson(body);
  const { data: invalid } = InvalidSchema.safeParse(json);
  if (status === 422 && invalid !== undefined) {
    const problems = invalid.detail.map(({ loc, msg }) => `${loc.at(-1) ?? 'request'}: ${msg}`);
    return new InvalidRequestError(problems.join('; '), { ...common, code: 'invalid_request', detail: invalid.detail });
  }
  const { data: envelope } = EnvelopeSchema.safeParse(json);
  const { message, ...fields } = envelope?.error ?? errorOfStatus(status, headers.get('location'));
  return errorOf(message, { ...common, ...fields });
}

function errorOfStatus(status: number, location: string | null): { readonly code: string; readonly message: string } {
  if (status < 300 || status > 399 || location === null) {
    return { code: `http_${status}`, message: `HTTP status ${status}` };
  }
  const message = `the service redirects to ${location}: use that URL, with its protocol and host`;
  return { code: 'redirected', message };
}

function errorOf(message: string, fields: ErrorFields & { readonly status: number }): ClientError {
  const { status } = fields;
  if (status === 429) {
    if (fields.limit_type === 'daily_quota') return new QuotaExceededError(message, fields);
    return new RateLimitError(message, fields);
  }
  if (status >= 500) return new ServiceError(message, fields);
  const Class = CLASSES.get(status) ?? ClientError;
  return new Class(message, fields);
}

const CLASSES = new Map<number, typeof ClientError>([
  [304, NotModifiedError],
  [401, UnauthenticatedError],
  [403, NotInPlanError],
  [404, NotFoundError],
  [410, CursorExpiredError],
  [422, InvalidRequestError],
]);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After`: seconds or a date. */
function secondsFrom(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  return header.endsWith(' GMT') ? Math.max(0, (Date.parse(header) - Date.now()) / 1000) || undefined : undefined;
}
