import { z } from 'zod';

/** Codes common to all HTTP services, with their status. */
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

export interface ErrorInfo {
  readonly status: number;
  /** What happened, briefly. */
  readonly title: string;
  /** What the caller can do. */
  readonly help: string;
}

/** All codes of a service: the common ones and its own. Each has a page at `help_url`. */
export type ErrorTable = {
  readonly [Code in HttpErrorCode]: ErrorInfo & { readonly status: (typeof HTTP_ERROR_STATUS)[Code] };
} & Readonly<Record<string, ErrorInfo>>;

export interface HttpErrorOptions {
  /** The offending field. */
  readonly param?: string | null;
  /** Additional fields of the envelope; undefined ones are omitted. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error response (specification "Error envelope"); the message is for people. */
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

export function httpError(code: HttpErrorCode, message: string, options: HttpErrorOptions = {}): HttpError {
  return new HttpError({ code, status: HTTP_ERROR_STATUS[code] }, message, options);
}

/** Missing, or not visible to the caller; both look the same. */
export function notFound(param: string | null, message: string): HttpError {
  return httpError('not_found', message, { param });
}

/** Fields of every error, in order; a service's own come before `request_id`. */
export const ERROR_FIELDS = {
  code: z.string().describe('Stable and machine-readable'),
  message: z.string().describe('Human-readable; do not parse it'),
  param: z.string().nullable().describe('The offending field'),
  help_url: z.string().nullable().describe('Documentation of the error'),
};
export const REQUEST_ID_FIELD = { request_id: z.string().nullable().describe('For support') };

/** A problem in the format of pydantic v2 (specification "Validation errors"). */
const RequestProblemSchema = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).describe('Location: "query" or "path", then the parameter'),
    msg: z.string().describe('Human-readable'),
    type: z.string().describe('Stable and machine-readable, such as missing or int_parsing'),
    input: z.unknown().describe('The value received'),
    ctx: z.record(z.string(), z.unknown()).describe('Context, for example the limit exceeded'),
  })
  .meta({ id: 'RequestProblem' });
export type RequestProblem = z.infer<typeof RequestProblemSchema>;

export const ValidationBodySchema = z
  .object({ detail: z.array(RequestProblemSchema).describe('Every problem of the request') })
  .meta({ id: 'ValidationError' });

/** Invalid parameters; responds with 422 and all problems. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid';
  readonly detail: readonly RequestProblem[];

  constructor(detail: readonly RequestProblem[]) {
    super(detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.detail = detail;
  }
}

/** The first element of `loc`. */
export type RequestPart = 'query' | 'path';

/** For problems of several parameters, or of parameters and data. */
export function queryProblem(
  name: string,
  input: unknown,
  problem: Pick<RequestProblem, 'msg' | 'type'> & Partial<RequestProblem>,
): RequestProblem {
  const { msg, type, ctx = {} } = problem;
  return { loc: ['query', name], msg, type, input: input ?? null, ctx };
}

/** Put into custom zod issues, to report them in pydantic's format. */
export interface IssueParams {
  readonly type: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Returns problems instead of throwing. */
export function parsePart<T>(
  schema: z.ZodType<T>,
  value: unknown,
  part: RequestPart,
): { readonly value: T } | { readonly problems: readonly RequestProblem[] } {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { value: result.data };
  return { problems: result.error.issues.map((issue) => problemFromIssue(issue, part)) };
}

function problemFromIssue(issue: z.core.$ZodIssue, part: RequestPart): RequestProblem {
  const loc = [part, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  return { loc, ...descriptionOf(issue), input: issue.input ?? null, ctx: contextFrom(issue) };
}

function descriptionOf(issue: z.core.$ZodIssue): Pick<RequestProblem, 'msg' | 'type'> {
  if (issue.input === undefined) return { msg: 'Field required', type: 'missing' };
  switch (issue.code) {
    case 'invalid_type':
      return { msg: 'Input should be a valid string; give this parameter once', type: 'string_type' };
    case 'invalid_value':
      return { msg: `Input should be ${expectedFrom(issue.values)}`, type: 'enum' };
    case 'custom':
      return { msg: issue.message, type: paramsOf(issue).type ?? 'value_error' };
    default:
      return { msg: issue.message, type: 'value_error' };
  }
}

function contextFrom(issue: z.core.$ZodIssue): RequestProblem['ctx'] {
  if (issue.code === 'custom') return { ...paramsOf(issue).ctx };
  if (issue.code === 'invalid_value' && issue.input !== undefined) return { expected: expectedFrom(issue.values) };
  return {};
}

function paramsOf(issue: z.core.$ZodIssueCustom): Partial<IssueParams> {
  return (issue.params ?? {}) as Partial<IssueParams>; // Set by the parameter schema that raised it.
}

/** `'a', 'b' or 'c'`. */
function expectedFrom(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}
