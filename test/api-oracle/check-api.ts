import type { ApiState } from './api-state.ts';
import type { Client } from './client.ts';
import { compareRequest } from './compare/compare.ts';
import type { Difference } from './compare/difference.ts';
import { type ApiRequest, type Route, targetFromRequest } from './request.ts';
import { type GenerateOptions, generateRequests } from './requests.ts';

/** Of one route, or of one kind of expected answer. */
export interface Tally {
  requests: number;
  /** Pages and files count one each. */
  answers: number;
  different: number;
  ms: number;
}

export interface ApiReport {
  readonly byRoute: ReadonlyMap<Route, Tally>;
  /** How many requests had to be answered with a body, a list, a feed, a refusal, … */
  readonly byKind: ReadonlyMap<string, Tally>;
  readonly differences: readonly Difference[];
}

export interface CheckOptions extends GenerateOptions {
  /** The check ends after so many differences. */
  readonly differencesMax: number;
  readonly onRequest?: (done: number) => void;
}

/** Sends random requests one after another and compares every answer. */
export async function checkApi(client: Client, state: ApiState, options: CheckOptions): Promise<ApiReport> {
  const byRoute = new Map<Route, Tally>();
  const byKind = new Map<string, Tally>();
  const differences: Difference[] = [];
  let done = 0;
  for (const request of generateRequests(state, options)) {
    const started = performance.now();
    const { kind, answers, difference } = await compareSafely(client, state, request);
    const ms = performance.now() - started;
    count(byRoute, request.route, { answers, isDifferent: difference !== undefined, ms });
    count(byKind, kind, { answers, isDifferent: difference !== undefined, ms });
    if (difference !== undefined) differences.push(difference);
    done += 1;
    options.onRequest?.(done);
    if (differences.length >= options.differencesMax) break;
  }
  return { byRoute, byKind, differences };
}

/** An answer that can't be read at all, such as a connection that breaks, is a difference like any other. */
async function compareSafely(client: Client, state: ApiState, request: ApiRequest) {
  try {
    return await compareRequest(client, state, request);
  } catch (error) {
    const difference = {
      target: targetFromRequest(request),
      path: '(exception)',
      expected: 'an answer',
      actual: error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error),
    };
    return { kind: 'unreadable', answers: 0, difference };
  }
}

function count<T>(tallies: Map<T, Tally>, name: T, one: { answers: number; isDifferent: boolean; ms: number }): void {
  const tally = tallies.get(name) ?? { requests: 0, answers: 0, different: 0, ms: 0 };
  tally.requests += 1;
  tally.answers += one.answers;
  tally.different += Number(one.isDifferent);
  tally.ms += one.ms;
  tallies.set(name, tally);
}
