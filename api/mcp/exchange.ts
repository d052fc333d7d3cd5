/**
 * One MCP message and its route calls. Each call has its own admission by its route's rules, as over HTTP; the burst
 * limit counts the message only.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Account } from '../accounts/caller.ts';
import type { AccessControl, RouteAccess } from '../data/access/access-control.ts';
import type { Admission } from '../data/access/admission.ts';
import { API_ERRORS } from '../data/api-errors.ts';
import type { DataResponses, ParsedResponse } from '../data/responses/data-responses.ts';
import type { DataRoute, JsonObject } from '../data/responses/data-route.ts';
import { ACCOUNT_ROUTE } from '../data/routes/data-routes.ts';
import { contentOf, errorResponseFrom } from '../server/errors/error-response.ts';
import { httpError, RequestInvalid, type RequestProblem } from '../server/errors/http-error.ts';
import type { Abort } from '../server/request-log.ts';
import type { RouteArguments } from '../server/route.ts';

export interface ExchangeDeps {
  /** The message's admission. */
  readonly parent: Admission;
  readonly access: Pick<AccessControl, 'admitPart' | 'isAvailable'>;
  readonly responses: Pick<DataResponses, 'fetch'>;
  readonly baseUrl: string;
  readonly requestId: string;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

export type Body = JsonObject;

/** A route's parsed response. */
export type RouteBody<B extends Body = Body> = ParsedResponse<B>;

/** A refusal or fault: status and body of the HTTP response. */
export interface Refusal {
  readonly status: number;
  readonly body: Body;
}

export class Exchange {
  readonly #deps: ExchangeDeps;
  readonly #admissions: Admission[] = [];
  #hasEnded = false;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  isAvailable(route: RouteAccess): boolean {
    return this.#deps.access.isAvailable(this.#deps.parent, route);
  }

  /** Calls a route, for one unit; rejects with the route's refusals. */
  async fetch<P, Q, B extends Body>(route: DataRoute<P, Q, B>, request: RouteArguments<P, Q>): Promise<RouteBody<B>> {
    const { responses, baseUrl } = this.#deps;
    return responses.fetch(route, request, { caller: await this.#open(route.access), baseUrl });
  }

  /** Fetches more of an earlier request, at no cost. */
  fetchFree<P, Q, B extends Body>(route: DataRoute<P, Q, B>, request: RouteArguments<P, Q>): Promise<RouteBody<B>> {
    const { responses, baseUrl, parent } = this.#deps;
    return responses.fetch(route, request, { caller: { rights: parent.rights }, baseUrl });
  }

  /** The account object, at no cost. */
  async account(): Promise<Account> {
    return (await this.#open(ACCOUNT_ROUTE)).account();
  }

  /** Runs a tool; if it fails, every unit is refunded. */
  async settled<T>(work: () => Promise<T>): Promise<{ readonly done: T } | { readonly refusal: Refusal }> {
    try {
      const done = await work();
      await this.#settle(200);
      return { done };
    } catch (error) {
      const refusal = this.#refusalOf(error);
      await this.#settle(refusal.status);
      return { refusal };
    }
  }

  /** The response to the message was sent, or never will be. */
  end(abort: Abort | undefined): void {
    this.#hasEnded = true;
    for (const admission of this.#admissions.splice(0)) {
      if (abort === undefined) admission.finish();
      else void admission.abandon(abort);
    }
  }

  async #open(route: RouteAccess): Promise<Admission> {
    const admission = await this.#deps.access.admitPart(this.#deps.parent, route);
    if (this.#hasEnded) {
      void admission.abandon({ hasBegun: false });
      throw httpError('request_timeout', 'The client has disconnected');
    }
    this.#admissions.push(admission);
    if (admission.refusal !== undefined) throw admission.refusal;
    return admission;
  }

  async #settle(status: number): Promise<void> {
    await Promise.all(this.#admissions.map((admission) => admission.settle(status)));
  }

  #refusalOf(error: unknown): Refusal {
    const { requestId, baseUrl, log } = this.#deps;
    const context = { requestId, baseUrl, errors: API_ERRORS };
    const { status, error: refusal } = errorResponseFrom(inArguments(error), context);
    if (status >= 500) log.error({ err: refusal.cause ?? refusal }, 'a tool failed');
    return { status, body: contentOf(refusal, context) };
  }
}

/** First element of `loc` for problems of tool arguments. */
const PLACE = 'arguments';

export function argumentProblem(
  name: string,
  input: unknown,
  { msg, type }: Pick<RequestProblem, 'msg' | 'type'>,
): RequestProblem {
  return { loc: [PLACE, name], msg, type, input: input ?? null, ctx: {} };
}

/** Reports a route's parameters as arguments of the tool. */
function inArguments(error: unknown): unknown {
  if (!(error instanceof RequestInvalid)) return error;
  return new RequestInvalid(error.detail.map((problem) => ({ ...problem, loc: [PLACE, ...problem.loc.slice(1)] })));
}
