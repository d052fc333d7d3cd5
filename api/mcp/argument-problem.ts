import { RequestInvalid, type RequestProblem } from '../server/errors/http-error.ts';

/** Where the arguments of a tool are wrong; the first element of `loc`, in place of the part of a URL. */
const PLACE = 'arguments';

/** A problem of one argument, in the form that all have. */
export function argumentProblem(
  name: string,
  input: unknown,
  { msg, type }: Pick<RequestProblem, 'msg' | 'type'>,
): RequestProblem {
  return { loc: [PLACE, name], msg, type, input: input ?? null, ctx: {} };
}

/** An error of a route as a tool tells it: its parameters are the tool's arguments. */
export function inArguments(error: unknown): unknown {
  if (!(error instanceof RequestInvalid)) return error;
  return new RequestInvalid(error.detail.map((problem) => ({ ...problem, loc: [PLACE, ...problem.loc.slice(1)] })));
}
