/**
 * What calls reject with. Fields have the names of the service's error envelope (specification "Error envelope"), so what the
 * documentation of a code says holds here too.
 */

export interface ErrorFields {
  /**
   * Stable and machine-readable, such as `quota_exceeded`. Of this module's own: `invalid_request` for a 422, `no_answer`,
   * `answer_too_large`, `redirected`, and `http_<status>` for what is no answer of the service.
   */
  readonly code: string;
  /** The HTTP status; undefined where no answer came. */
  readonly status?: number | undefined;
  /** The offending parameter. */
  readonly param?: string | null | undefined;
  /** To cite in a question to the service. */
  readonly request_id?: string | undefined;
  /** A page about the code. */
  readonly help_url?: string | undefined;
  /** Which limit was reached. */
  readonly limit_type?: 'burst' | 'daily_quota' | undefined;
  /** Whose limit per minute it was. */
  readonly limit_scope?: 'route' | 'organization' | undefined;
  /** After how many seconds a request may pass again. */
  readonly retry_after_seconds?: number | undefined;
  /** When the limit resets, ISO 8601. */
  readonly reset_at?: string | undefined;
  /** The plan of the organization. */
  readonly plan?: string | undefined;
  /** The first day that the change feed still has. */
  readonly retained_from?: string | undefined;
  /** All problems of a request that is 422. */
  readonly detail?: readonly InvalidParameter[] | undefined;
}

/** What is wrong with one parameter of a request. */
export interface InvalidParameter {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

/** Of a message, which may be as long as a server likes. */
const MESSAGE_CHARACTERS_MAX = 2000;

/** A call that didn't succeed. */
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

/** Nothing changed since the answer whose tag was sent (304). */
export class NotModifiedError extends ClientError {
  override readonly name = 'NotModifiedError';
}

/** The key is missing, unknown or revoked (401). */
export class UnauthenticatedError extends ClientError {
  override readonly name = 'UnauthenticatedError';
}

/** The plan doesn't include what was asked for (403), or its history doesn't reach as far. */
export class NotInPlanError extends ClientError {
  override readonly name = 'NotInPlanError';
}

/** There is no such route, record or snapshot (404). */
export class NotFoundError extends ClientError {
  override readonly name = 'NotFoundError';
}

/** The cursor is older than what the change feed retains (410): import the newest snapshot. */
export class CursorExpiredError extends ClientError {
  override readonly name = 'CursorExpiredError';
}

/** Parameters are missing or wrong (422); `detail` has every one. */
export class InvalidRequestError extends ClientError {
  override readonly name = 'InvalidRequestError';
}

/** Too many requests within a minute (429), and waiting was not allowed to take as long as it would have. */
export class RateLimitError extends ClientError {
  override readonly name = 'RateLimitError';
}

/** The organization's units of the day are used up (429); `reset_at` is when there are more. */
export class QuotaExceededError extends ClientError {
  override readonly name = 'QuotaExceededError';
}

/** The service failed, or can't answer just now (5xx), however often it was asked. */
export class ServiceError extends ClientError {
  override readonly name = 'ServiceError';
}

/** The answer, or a file, is larger than the settings allow. */
export class AnswerTooLargeError extends ClientError {
  override readonly name = 'AnswerTooLargeError';
}

/** No answer came, or none that can be understood, however often it was asked for. */
export class ConnectionError extends ClientError {
  override readonly name = 'ConnectionError';
}
