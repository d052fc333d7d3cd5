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

/** One problem of a request, as pydantic v2 writes it (specification "Validation errors"). */
const RequestProblemSchema = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).describe('Where: "query" or "path", then the parameter'),
    msg: z.string().describe('For people'),
    type: z.string().describe('Stable and machine-readable, such as missing or int_parsing'),
    input: z.unknown().describe('What was sent'),
    ctx: z.record(z.string(), z.unknown()).describe('Facts, such as the bound that was exceeded'),
  })
  .meta({ id: 'RequestProblem' });
export type RequestProblem = z.infer<typeof RequestProblemSchema>;

export const ValidationBodySchema = z
  .object({ detail: z.array(RequestProblemSchema).describe('Every problem of the request') })
  .meta({ id: 'ValidationError' });

/** A request whose parameters are wrong; answered with 422 and every problem at once. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid';
  readonly detail: readonly RequestProblem[];

  constructor(detail: readonly RequestProblem[]) {
    super(detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.detail = detail;
  }
}

/** Which part of a request; the first element of `loc`. */
export type Place = 'query' | 'path';

/** A problem that only shows when parameters are seen together, or beside the data. */
export function queryProblem(
  name: string,
  input: unknown,
  problem: Pick<RequestProblem, 'msg' | 'type'> & Partial<RequestProblem>,
): RequestProblem {
  const { msg, type, ctx = {} } = problem;
  return { loc: ['query', name], msg, type, input: input ?? null, ctx };
}

/** What a kind of parameter puts into a zod issue of its own, so that it can be told in pydantic's words. */
export interface IssueParams {
  readonly type: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Parses one part of a request; problems come back, they are not thrown. */
export function parsePart<T>(
  schema: z.ZodType<T>,
  value: unknown,
  place: Place,
): { readonly value: T } | { readonly problems: readonly RequestProblem[] } {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { value: result.data };
  return { problems: result.error.issues.map((issue) => problemFromIssue(issue, place)) };
}

function problemFromIssue(issue: z.core.$ZodIssue, place: Place): RequestProblem {
  const loc = [place, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  return { loc, ...toldFrom(issue), input: issue.input ?? null, ctx: contextFrom(issue) };
}

function toldFrom(issue: z.core.$ZodIssue): Pick<RequestProblem, 'msg' | 'type'> {
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
  return (issue.params ?? {}) as Partial<IssueParams>; // Put there by the kind of parameter that raised it.
}

/** `'a', 'b' or 'c'`. */
function expectedFrom(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}
