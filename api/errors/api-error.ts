import { z } from 'zod';
import { ERROR_FIELDS, HttpError, type HttpErrorOptions, REQUEST_ID_FIELD } from '../../http/errors/http-error.ts';
import { API_ERRORS, type ApiErrorCode } from './api-errors.ts';

export interface ApiErrorOptions extends Omit<HttpErrorOptions, 'fields'> {
  readonly limitType?: 'burst' | 'daily_quota';
  /** Of a limit per minute: whose it is, a route's backstop or the organization's. */
  readonly limitScope?: 'route' | 'organization';
  readonly plan?: string | undefined;
  /** ISO 8601. */
  readonly resetAt?: string;
  /** The first day that the change feed still has; null before any. */
  readonly retainedFrom?: string | null;
}

/** An answer of the API that is an error: the code decides the status (specification "Error codes"). */
export class ApiError extends HttpError {
  override readonly name = 'ApiError';

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    const { limitType, limitScope, plan, resetAt, retainedFrom, ...rest } = options;
    const fields = {
      limit_type: limitType,
      limit_scope: limitScope,
      plan,
      reset_at: resetAt,
      retained_from: retainedFrom,
    };
    super({ code, status: API_ERRORS[code].status }, message, { ...rest, fields });
  }
}

export const ErrorBodySchema = z
  .object({
    error: z
      .object({
        ...ERROR_FIELDS,
        limit_type: z.enum(['burst', 'daily_quota']).nullable().optional().describe('Which limit was reached'),
        limit_scope: z
          .enum(['route', 'organization'])
          .nullable()
          .optional()
          .describe('Whose limit per minute it was: of this route, or of the whole organization'),
        plan: z.string().nullable().optional().describe('The plan of the organization'),
        reset_at: z.iso.datetime().nullable().optional().describe('When the limit resets'),
        retained_from: z.iso.date().nullable().optional().describe('The first day that the change feed still has'),
        ...REQUEST_ID_FIELD,
      })
      .describe('What went wrong'),
  })
  .meta({ id: 'Error' });
