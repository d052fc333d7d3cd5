import { z } from 'zod';
import {
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

/** What an answer that is no success says. Whatever stands between here and the service may answer in words of its own. */
export function errorFromAnswer(status: number, headers: Headers, body: string): ClientError {
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

/** What can be said of an answer that has no words of the service. */
function errorOfStatus(status: number, location: string | null): { readonly code: string; readonly message: string } {
  if (status < 300 || status > 399 || location === null) {
    return { code: `http_${status}`, message: `HTTP status ${status}` };
  }
  const message = `the service redirects to ${location}: name the address that it is at, with its protocol and host`;
  return { code: 'redirected', message };
}

/** The class that fits the status; of 429, the limit. */
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

/** `Retry-After`, which is seconds or a date. */
function secondsFrom(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  return header.endsWith(' GMT') ? Math.max(0, (Date.parse(header) - Date.now()) / 1000) || undefined : undefined;
}
