import { z } from 'zod';
import { ERROR_FIELDS, HttpError, type HttpErrorOptions, REQUEST_ID_FIELD } from '../../server/errors/http-error.ts';
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

const CODES = Object.keys(API_ERRORS) as readonly ApiErrorCode[]; // Of a literal.

const ErrorCodeSchema = z.enum(CODES).meta({
  id: 'ErrorCode',
  description: 'Stable and machine-readable. Minor versions may add codes: take an unknown one by its status',
});
const LimitTypeSchema = z
  .enum(['burst', 'daily_quota'])
  .meta({ id: 'LimitType', description: 'Minor versions may add types' });
const LimitScopeSchema = z
  .enum(['route', 'organization'])
  .meta({ id: 'LimitScope', description: 'Minor versions may add scopes' });

const ErrorDetailSchema = z
  .object({
    ...ERROR_FIELDS,
    code: ErrorCodeSchema,
    limit_type: LimitTypeSchema.nullable().optional().describe('Which limit was reached'),
    limit_scope: LimitScopeSchema.nullable()
      .optional()
      .describe('Whose limit per minute it was: of this route, or of the whole organization'),
    plan: z.string().nullable().optional().describe('The plan of the organization'),
    reset_at: z.iso
      .datetime()
      .nullable()
      .optional()
      .describe(
        'When the limit resets, as ISO 8601 date-time; in the answer of GET /v1/account it is a number, Unix seconds',
      ),
    retained_from: z.iso.date().nullable().optional().describe('The first day that the change feed still has'),
    ...REQUEST_ID_FIELD,
  })
  .meta({ id: 'ErrorDetail', description: 'What went wrong' });

export const ErrorBodySchema = z.object({ error: ErrorDetailSchema }).meta({ id: 'Error' });
