import { z } from 'zod';
import { ERROR_FIELDS, HttpError, type HttpErrorOptions, REQUEST_ID_FIELD } from '../../http/errors/http-error.ts';
import { API_ERRORS, type ApiErrorCode } from './api-errors.ts';

export interface ApiErrorOptions extends Omit<HttpErrorOptions, 'fields'> {
  readonly limitType?: 'burst' | 'daily_quota';
  readonly plan?: string | null | undefined;
  /** ISO 8601. */
  readonly resetAt?: string;
}

/** An answer of the API that is an error: the code decides the status (specification "Error codes"). */
export class ApiError extends HttpError {
  override readonly name = 'ApiError';

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    const { limitType, plan, resetAt, ...rest } = options;
    const fields = { limit_type: limitType, plan, reset_at: resetAt };
    super({ code, status: API_ERRORS[code].status }, message, { ...rest, fields });
  }
}

export const ErrorBodySchema = z
  .object({
    error: z
      .object({
        ...ERROR_FIELDS,
        limit_type: z.enum(['burst', 'daily_quota']).nullable().optional().describe('Which limit was reached'),
        plan: z.string().nullable().optional().describe('The plan of the organization'),
        reset_at: z.iso.datetime().nullable().optional().describe('When the limit resets'),
        ...REQUEST_ID_FIELD,
      })
      .describe('What went wrong'),
  })
  .meta({ id: 'Error' });
