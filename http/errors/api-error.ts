import { z } from 'zod';
import { API_ERRORS, type ApiErrorCode } from './error-codes.ts';

export interface ApiErrorOptions {
  /** The offending field; null for none. */
  readonly param?: string | null;
  readonly limitType?: 'burst' | 'daily_quota';
  readonly plan?: string | null;
  /** ISO 8601. */
  readonly resetAt?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An answer that is an error: the code decides the status, the message is for people (specification "Error envelope"). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly options: ApiErrorOptions;

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.options = options;
  }

  get status(): number {
    return API_ERRORS[this.code].status;
  }
}

/** Something that isn't there, or isn't the caller's to see; both look the same. */
export function notFound(param: string | null, message: string): ApiError {
  return new ApiError('not_found', message, { param });
}

export const ErrorBodySchema = z
  .object({
    error: z
      .object({
        code: z.string().describe('Stable and machine-readable'),
        message: z.string().describe('For people; never to be parsed'),
        param: z.string().nullable().describe('The offending field'),
        help_url: z.string().nullable().describe('A page about the condition'),
        limit_type: z.enum(['burst', 'daily_quota']).nullable().optional().describe('Which limit was reached'),
        plan: z.string().nullable().optional().describe('The plan of the organization'),
        reset_at: z.iso.datetime().nullable().optional().describe('When the limit resets'),
        request_id: z.string().nullable().describe('For support'),
      })
      .describe('What went wrong'),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBodySchema>;

export interface ErrorContext {
  readonly requestId: string;
  readonly baseUrl: string;
}

/** The envelope of an error (specification "Error envelope"). */
export function errorBody({ code, message, options }: ApiError, { requestId, baseUrl }: ErrorContext): ErrorBody {
  return {
    error: {
      code,
      message,
      param: options.param ?? null,
      help_url: `${baseUrl}/docs/errors/${code}`,
      ...(options.limitType === undefined ? {} : { limit_type: options.limitType }),
      ...(options.plan === undefined ? {} : { plan: options.plan }),
      ...(options.resetAt === undefined ? {} : { reset_at: options.resetAt }),
      request_id: requestId,
    },
  };
}
