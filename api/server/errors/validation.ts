import { z } from 'zod';

/** One problem of a request, as pydantic v2 writes it (specification "Validation errors"). */
export const RequestProblemSchema = z
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
