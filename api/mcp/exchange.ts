/**
 * One message and the answers of the API that it asks for. Each is asked with a visit of its own, on its route's own rules: feature,
 * backstop, capability and quota are the same as over HTTP, the burst limit has counted the message.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { AccessControl, RouteAccess } from '../data/access/access-control.ts';
import type { Visit } from '../data/access/visit.ts';
import type { Answers, Asker } from '../data/answers/answers.ts';
import type { DataRoute } from '../data/answers/data-route.ts';
import { API_ERRORS } from '../data/errors/api-errors.ts';
import { ACCOUNT_ROUTE, answerAccount } from '../data/routes/account.ts';
import { errorAnswerFrom } from '../server/errors/error-answer.ts';
import { httpError } from '../server/errors/http-error.ts';
import type { Abort } from '../server/request-end.ts';
import { inArguments } from './argument-problem.ts';

export interface ExchangeDeps {
  /** The visit of the message. */
  readonly whole: Visit;
  readonly access: Pick<AccessControl, 'admitPart' | 'isThere'>;
  readonly answers: Pick<Answers, 'answer'>;
  readonly baseUrl: string;
  readonly requestId: string;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

/** Parameters of a route as text, as a URL has them. */
export interface RouteRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
}

export type Body = Readonly<Record<string, unknown>>;

/** The body of an answer, and the moment that it reflects. */
export interface RouteBody {
  readonly body: Body;
  /** Of the body as it was sent. */
  readonly characters: number;
  readonly dataAsOf: string | undefined;
}

/** What a model is told of a refusal or a fault: the body that the HTTP answer has, and its status. */
export interface Told {
  readonly status: number;
  readonly body: Body;
}

export class Exchange {
  readonly #deps: ExchangeDeps;
  readonly #visits: Visit[] = [];
  #hasEnded = false;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  /** Whether a route is there for the caller. */
  isThere(route: RouteAccess): boolean {
    return this.#deps.access.isThere(this.#deps.whole, route);
  }

  /** Asks a route, for one unit; rejects with what the route would refuse the same request with. */
  async ask(route: DataRoute, request: RouteRequest): Promise<RouteBody> {
    return this.#answer(route, request, await this.#open(route.access));
  }

  /** Asks for another part of what was asked for before, at no cost. */
  askAgain(route: DataRoute, request: RouteRequest): Promise<RouteBody> {
    return this.#answer(route, request, { rights: this.#deps.whole.rights });
  }

  /** The account object; it costs nothing. */
  async account(): Promise<Body> {
    const { body } = await answerAccount(await this.#open(ACCOUNT_ROUTE));
    return JSON.parse(String(body)) as Body; // Our own answer, an object.
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
    for (const visit of this.#visits.splice(0)) {
      if (abort === undefined) visit.finish();
      else void visit.abandon(abort);
    }
  }

  async #open(route: RouteAccess): Promise<Visit> {
    const visit = await this.#deps.access.admitPart(this.#deps.whole, route);
    if (this.#hasEnded) {
      void visit.abandon({ hasBegun: false });
      throw httpError('request_timeout', 'Nobody waits for the answer any more');
    }
    this.#visits.push(visit);
    if (visit.refusal !== undefined) throw visit.refusal;
    return visit;
  }

  async #answer(route: DataRoute, request: RouteRequest, asker: Asker): Promise<RouteBody> {
    const { answers, baseUrl } = this.#deps;
    const { body, headers, giveBack } = await answers.answer(route, { ...request, baseUrl }, asker);
    const json = String(body);
    giveBack?.();
    const parsed = JSON.parse(json) as Body; // Our own answer, an object.
    return { body: parsed, characters: json.length, dataAsOf: headers['X-Data-As-Of'] };
  }

  async #settle(status: number): Promise<void> {
    await Promise.all(this.#visits.map((visit) => visit.settle(status)));
  }

  #toldOf(error: unknown): Told {
    const { requestId, baseUrl, log } = this.#deps;
    const {
      status,
      body,
      error: told,
    } = errorAnswerFrom(inArguments(error), { requestId, baseUrl, errors: API_ERRORS });
    if (status >= 500) log.error({ err: told.cause ?? told }, 'a tool failed');
    return { status, body: JSON.parse(body) as Body }; // Our own envelope, an object.
  }
}
