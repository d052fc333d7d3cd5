import { AppError } from '../../schemas/errors.ts';

/** Says why a request to an address would be refused before anything is sent; undefined where it would not be. */
export type FindUrlProblem = (url: string) => string | undefined;

/** The address as it will be called; throws `usage` where it can't be an endpoint's (specification "Webhook endpoints"). */
export function parseEndpointUrl(text: string, findUrlProblem: FindUrlProblem): string {
  const problem = findUrlProblem(text);
  if (problem !== undefined) throw new AppError('usage', `not the address of an endpoint: ${problem}`);
  const url = new URL(text);
  url.hash = ''; // Never sent.
  return url.href;
}
