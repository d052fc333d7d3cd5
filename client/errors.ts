/**
 * Errors of calls. Fields are named as in the service's error envelope (specification "Error envelope"), so the
 * documentation of a code applies here.
 */

export interface ErrorFields {
  /**
   * Stable and machine-readable, such as `quota_exceeded`. Client codes: `invalid_request` for a 422, `no_answer`,
   * `answer_too_large`, `redirected`, and `http_<status>` for responses that aren't the service's.
   */
  readonly code: string;
  /** The HTTP status; undefined without a response. */
  readonly status?: number | undefined;
  /** The invalid parameter. */
  readonly param?: string | null | undefined;
  /** For questions to the service. */
  readonly request_id?: string | undefined;
  readonly help_url?: string | undefined;
  readonly limit_type?: 'burst' | 'daily_quota' | undefined;
  /** Which limit per minute. */
  readonly limit_scope?: 'route' | 'organization' | undefined;
  /** When a request may succeed again. */
  readonly retry_after_seconds?: number | undefined;
  /** When the limit resets, ISO 8601. */
  readonly reset_at?: string | undefined;
  readonly plan?: string | undefined;
  /** The first day in the change feed. */
  readonly retained_from?: string | undefined;
  /** All problems of a 422. */
  readonly detail?: readonly InvalidParameter[] | undefined;
}

export interface InvalidParameter {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

/** Messages of servers may have any length. */
const MESSAGE_CHARACTERS_MAX = 2000;

/** Base of all errors of calls. */
export class ClientError extends Error implements ErrorFields {
  override readonly name: string = 'ClientError';
  readonly code: string;
  readonly status: number | undefined;
  readonly param: string | null;
  readonly request_id: string | undefined;
  readonly help_url: string | undefined;
  readonly limit_type: 'burst' | 'daily_quota' | undefined;
  readonly limit_scope: 'route' | 'organization' | undefined;
  readonly retry_after_seconds: number | undefined;
  readonly reset_at: string | undefined;
  readonly plan: string | undefined;
  readonly retained_from: string | undefined;
  readonly detail: readonly InvalidParameter[];

  constructor(message: string, fields: ErrorFields, options?: ErrorOptions) {
    super(message.slice(0, MESSAGE_CHARACTERS_MAX), options);
    this.code = fields.code;
    this.status = fields.status;
    this.param = fields.param ?? null;
    this.request_id = fields.request_id;
    this.help_url = fields.help_url;
    this.limit_type = fields.limit_type;
    this.limit_scope = fields.limit_scope;
    this.retry_after_seconds = fields.retry_after_seconds;
    this.reset_at = fields.reset_at;
    this.plan = fields.plan;
    this.retained_from = fields.retained_from;
    this.detail = fields.detail ?? [];
  }
}

/** Nothing changed since the response with the given ETag (304). */
export class NotModifiedError extends ClientError {
  override readonly name = 'NotModifiedError';
}

/** The key is missing, unknown or revoked (401). */
export class UnauthenticatedError extends ClientError {
  override readonly name = 'UnauthenticatedError';
}

/** The plan doesn't include the data, or not its history so far back (403). */
export class NotInPlanError extends ClientError {
  override readonly name = 'NotInPlanError';
}

/** No such route, record or snapshot (404). */
export class NotFoundError extends ClientError {
  override readonly name = 'NotFoundError';
}

/** The change feed no longer has the cursor (410): import the newest snapshot. */
export class CursorExpiredError extends ClientError {
  override readonly name = 'CursorExpiredError';
}

/** Parameters are missing or invalid (422); `detail` lists all. */
export class InvalidRequestError extends ClientError {
  override readonly name = 'InvalidRequestError';
}

/** Too many requests in a minute (429), for longer than the client may wait. */
export class RateLimitError extends ClientError {
  override readonly name = 'RateLimitError';
}

/** The organization's daily units are used up (429) until `reset_at`. */
export class QuotaExceededError extends ClientError {
  override readonly name = 'QuotaExceededError';
}

/** The service failed or is unavailable (5xx), also after all retries. */
export class ServiceError extends ClientError {
  override readonly name = 'ServiceError';
}

/** A response or file exceeds the limit of the settings. */
export class AnswerTooLargeError extends ClientError {
  override readonly name = 'AnswerTooLargeError';
}

/** No response, or no readable one, after all retries. */
export class ConnectionError extends ClientError {
  override readonly name = 'ConnectionError';
}
