import type { Client } from './client.ts';
import { compareRequest } from './compare/compare.ts';
import { describeDifference } from './compare/difference.ts';
import type { Verdict } from './compare/exchange.ts';
import type { ApiState } from './expected.ts';
import { type ApiRequest, targetFromRequest } from './request.ts';
import { type GenerateOptions, generateRequests } from './requests.ts';

export interface CheckOptions extends GenerateOptions {
  /** The check ends after so many differences. */
  readonly differencesMax: number;
}

/** Sends random requests one after another and compares every answer: the differences, as a person reads them. */
export async function checkApi(client: Client, state: ApiState, options: CheckOptions): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const request of generateRequests(state, options)) {
    const difference = await compareSafely(client, state, request);
    if (difference !== undefined) differences.push(describeDifference(difference));
    if (differences.length >= options.differencesMax) break;
  }
  return differences;
}

/** An answer that can't be read at all, such as a connection that breaks, is a difference like any other. */
async function compareSafely(client: Client, state: ApiState, request: ApiRequest): Promise<Verdict> {
  try {
    return await compareRequest(client, state, request);
  } catch (error) {
    const actual = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
    return { target: targetFromRequest(request), path: '(exception)', expected: 'an answer', actual };
  }
}
