/**
 * One message and the answers of the API that it asks for. Each is asked with a visit of its own, on its route's own rules: feature,
 * backstop, capability and quota are the same as over HTTP, the burst limit has counted the message.
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
  /** The visit of the message. */
  readonly whole: Admission;
  readonly access: Pick<AccessControl, 'admitPart' | 'isThere'>;
  readonly answers: Pick<DataResponses, 'ask'>;
  readonly baseUrl: string;
  readonly requestId: string;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

export type Body = JsonObject;

/** The body of a route's answer, and the moment that it reflects. */
export type RouteBody<B extends Body = Body> = ParsedResponse<B>;

/** What a model is told of a refusal or a fault: the body that the HTTP answer has, and its status. */
export interface Told {
  readonly status: number;
  readonly body: Body;
}

export class Exchange {
  readonly #deps: ExchangeDeps;
  readonly #visits: Admission[] = [];
  #hasEnded = false;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  /** Whether a route is there for the caller. */
  isThere(route: RouteAccess): boolean {
    return this.#deps.access.isThere(this.#deps.whole, route);
  }

  /** Asks a route, for one unit; rejects with what the route would refuse the same request with. */
  async ask<P, Q, B extends Body>(route: DataRoute<P, Q, B>, question: RouteArguments<P, Q>): Promise<RouteBody<B>> {
    const { answers, baseUrl } = this.#deps;
    return answers.ask(route, question, { caller: await this.#open(route.access), baseUrl });
  }

  /** Asks for another part of what was asked for before, at no cost. */
  askAgain<P, Q, B extends Body>(route: DataRoute<P, Q, B>, question: RouteArguments<P, Q>): Promise<RouteBody<B>> {
    const { answers, baseUrl, whole } = this.#deps;
    return answers.ask(route, question, { caller: { rights: whole.rights }, baseUrl });
  }

  /** The account object; it costs nothing. */
  async account(): Promise<Account> {
    return (await this.#open(ACCOUNT_ROUTE)).account();
  }

  /**
   * Does what a tool does, and settles what it asked for: where it fails nothing of it has cost anything, as nothing of it is told.
   */
  async settled<T>(work: () => Promise<T>): Promise<{ readonly done: T } | { readonly told: Told }> {
    try {
      const done = await work();
      await this.#settle(200);
      return { done };
    } catch (error) {
      const told = this.#toldOf(error);
      await this.#settle(told.status);
      return { told };
    }
  }

  /** The answer to the message was sent, or never will be. */
  end(abort: Abort | undefined): void {
    this.#hasEnded = true;
    for (const admission of this.#visits.splice(0)) {
      if (abort === undefined) admission.finish();
      else void admission.abandon(abort);
    }
  }

  async #open(route: RouteAccess): Promise<Admission> {
    const admission = await this.#deps.access.admitPart(this.#deps.whole, route);
    if (this.#hasEnded) {
      void admission.abandon({ hasBegun: false });
      throw httpError('request_timeout', 'Nobody waits for the answer any more');
    }
    this.#visits.push(admission);
    if (admission.refusal !== undefined) throw admission.refusal;
    return admission;
  }

  async #settle(status: number): Promise<void> {
    await Promise.all(this.#visits.map((admission) => admission.settle(status)));
  }

  #toldOf(error: unknown): Told {
    const { requestId, baseUrl, log } = this.#deps;
    const context = { requestId, baseUrl, errors: API_ERRORS };
    const { status, error: told } = errorResponseFrom(inArguments(error), context);
    if (status >= 500) log.error({ err: told.cause ?? told }, 'a tool failed');
    return { status, body: contentOf(told, context) };
  }
}

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
function inArguments(error: unknown): unknown {
  if (!(error instanceof RequestInvalid)) return error;
  return new RequestInvalid(error.detail.map((problem) => ({ ...problem, loc: [PLACE, ...problem.loc.slice(1)] })));
}
