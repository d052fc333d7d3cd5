import { z } from 'zod';

/** One problem of a request, as pydantic v2 writes it (SPEC "Envelope", DECISIONS "Errors"). */
export const ProblemSchema = z.object({
  loc: z.array(z.union([z.string(), z.int()])).describe('Where: "query" or "path", then the parameter'),
  msg: z.string().describe('For people'),
  type: z.string().describe('Stable and machine-readable, such as missing or int_parsing'),
  input: z.unknown().describe('What was sent'),
  ctx: z.record(z.string(), z.unknown()).describe('Facts, such as the bound that was exceeded'),
});
export type Problem = z.infer<typeof ProblemSchema>;

export const ValidationBodySchema = z.object({ detail: z.array(ProblemSchema) }).meta({ id: 'ValidationError' });

/** A request whose parameters are wrong; answered with 422 and every problem at once. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid';
  readonly detail: readonly Problem[];

  constructor(detail: readonly Problem[]) {
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
  problem: Pick<Problem, 'msg' | 'type'> & Partial<Problem>,
): Problem {
  return { loc: ['query', name], input: input ?? null, ctx: {}, ...problem };
}

/** What the parameters of this folder put into a zod issue, so that it can be told in pydantic's words. */
export interface IssueParams {
  readonly type: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Parses one part of a request; problems come back, they are not thrown. */
export function parsePart<T>(
  schema: z.ZodType<T>,
  value: unknown,
  place: Place,
): { readonly value: T } | { readonly problems: readonly Problem[] } {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { value: result.data };
  return { problems: result.error.issues.map((issue) => problemFromIssue(issue, place)) };
}

function problemFromIssue(issue: z.core.$ZodIssue, place: Place): Problem {
  const loc = [place, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  const input = issue.input ?? null;
  const told = { loc, input, ctx: {} };
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? { ...told, msg: 'Field required', type: 'missing' }
        : { ...told, msg: 'Give this parameter once', type: 'string_type' };
    case 'too_big':
      return {
        ...told,
        msg: `String should have at most ${issue.maximum} characters`,
        type: 'string_too_long',
        ctx: { max_length: Number(issue.maximum) },
      };
    case 'too_small':
      return {
        ...told,
        msg: `String should have at least ${issue.minimum} character`,
        type: 'string_too_short',
        ctx: { min_length: Number(issue.minimum) },
      };
    case 'invalid_value':
      return enumProblem(told, issue.values.map(String));
    case 'custom': {
      const { type = 'value_error', ctx = {} } = (issue.params ?? {}) as Partial<IssueParams>; // Put there by parameters.ts.
      return { ...told, msg: issue.message, type, ctx: { ...ctx } };
    }
    default:
      return { ...told, msg: issue.message, type: 'value_error' };
  }
}

function enumProblem(told: Pick<Problem, 'loc' | 'input' | 'ctx'>, values: readonly string[]): Problem {
  if (told.input === null) return { ...told, msg: 'Field required', type: 'missing' };
  const expected = values.map((value) => `'${value}'`).join(', ');
  return { ...told, msg: `Input should be one of ${expected}`, type: 'enum', ctx: { expected } };
}
