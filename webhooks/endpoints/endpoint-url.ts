import { AppError } from '../../schemas/errors.ts';

/** Longest address of an endpoint, in characters. */
export const URL_LENGTH_MAX = 2048;

/** Says why a request to an address would be refused before anything is sent; undefined where it would not be. */
export type FindUrlProblem = (url: string) => string | undefined;

/** The address as it will be called; throws `usage` where it can't be an endpoint's (specification "Webhook endpoints"). */
export function parseEndpointUrl(text: string, findUrlProblem: FindUrlProblem): string {
  if (text.length > URL_LENGTH_MAX)
    throw new AppError('usage', `the address is longer than ${URL_LENGTH_MAX} characters`);
  const problem = findUrlProblem(text);
  if (problem !== undefined) throw new AppError('usage', `not the address of an endpoint: ${problem}`);
  const url = new URL(text);
  url.hash = ''; // Never sent.
  return url.href;
}
