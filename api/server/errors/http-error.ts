import { z } from 'zod';

/** The codes of refusals that any HTTP service gives, with their status. What they say to people is the service's own. */
export const HTTP_ERROR_STATUS = {
  bad_request: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limit_exceeded: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const;
export type HttpErrorCode = keyof typeof HTTP_ERROR_STATUS;

/** What a service says about one of its codes. */
export interface ErrorInfo {
  readonly status: number;
  /** What happened, in a few words. */
  readonly title: string;
  /** What the caller can do about it. */
  readonly help: string;
}

/** Every code that a service answers with: those above and its own. Each has a page behind `help_url`. */
export type ErrorTable = {
  readonly [Code in HttpErrorCode]: ErrorInfo & { readonly status: (typeof HTTP_ERROR_STATUS)[Code] };
} & Readonly<Record<string, ErrorInfo>>;

export interface HttpErrorOptions {
  /** The offending field; null for none. */
  readonly param?: string | null;
  /** Fields of the envelope beyond those of every error; undefined ones are left out. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An answer that is an error; the message is for people (specification "Error envelope"). */
export class HttpError extends Error {
  override readonly name: string = 'HttpError';
  readonly code: string;
  readonly status: number;
  readonly options: HttpErrorOptions;

  constructor(
    { code, status }: { readonly code: string; readonly status: number },
    message: string,
    options: HttpErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = status;
    this.options = options;
  }
}

/** An error of the codes that every service has. */
export function httpError(code: HttpErrorCode, message: string, options: HttpErrorOptions = {}): HttpError {
  return new HttpError({ code, status: HTTP_ERROR_STATUS[code] }, message, options);
}

/** Something that isn't there, or isn't the caller's to see; both look the same. */
export function notFound(param: string | null, message: string): HttpError {
  return httpError('not_found', message, { param });
}

/** The fields of every error, in their order; a service's own come before `request_id`. */
export const ERROR_FIELDS = {
  code: z.string().describe('Stable and machine-readable'),
  message: z.string().describe('For people; never to be parsed'),
  param: z.string().nullable().describe('The offending field'),
  help_url: z.string().nullable().describe('A page about the condition'),
};
export const REQUEST_ID_FIELD = { request_id: z.string().nullable().describe('For support') };
