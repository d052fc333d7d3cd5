/** How routes without a key are answered: limited by address, kept for as long as nothing changes, and shared with other sites. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { dayTeller } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { ToldReasons } from '../../runtime/told-reasons.ts';
import { PUBLIC_REQUESTS } from '../accounts/address-limit.ts';
import type { Capability } from '../data/access/capabilities.ts';
import type { FaceDeps } from '../data/app.ts';
import { API_ERRORS } from '../data/errors/api-errors.ts';
import type { AnswerHeaders } from '../http/answer-headers.ts';
import { errorAnswerFrom } from '../server/errors/error-answer.ts';
import { logFailure, TOLD_AGAIN_MS } from '../server/errors/error-handling.ts';
import { HttpError } from '../server/errors/http-error.ts';
import { askerOf } from './ask.ts';
import { KeptAnswers } from './kept-answers.ts';
import type { PublicQuestion, PublicRoute } from './public-route.ts';

export interface PublicSettings {
  /** Requests of one client address to all these routes in any 60 seconds. */
  readonly requestsPerMinute: number;
  /** Of all answers that are kept, in bytes. */
  readonly cacheBytes: number;
  /** Smallest body that is packed where the request says that it may be, in bytes. */
  readonly packFromBytes: number;
  readonly isLive: (capability: Capability) => boolean;
  readonly clock: () => Date;
}

/** Answers that are made at once, so that callers with a key have the rest of the machine, and those that may wait for their turn. */
const [MAKING_MAX, WAITING_MAX] = [2, 500];

/** Of all URLs whose meaning is remembered, and what they mean. */
const URL_CHARACTERS_MAX = 1 << 20;

/** Others may keep an answer for an hour: data change once a night. */
const CACHE_CONTROL = 'public, max-age=3600';
/** What is not there now may be there soon. */
const REFUSAL_CACHE_CONTROL = 'public, max-age=60';

/** Other sites show and read these answers, whoever asks; the defaults of the service keep its answers to itself. */
const FOR_OTHER_SITES = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

/** Adds routes to the app. */
export function bindPublicRoutes(
  app: FastifyInstance,
  routes: readonly PublicRoute[],
  { answers, views, limitAddress, baseUrlOf, sendWhole, ...settings }: FaceDeps & PublicSettings,
): void {
  const { requestsPerMinute: perMinute, packFromBytes, isLive, clock } = settings;
  const kept = new KeptAnswers({ bytesMax: settings.cacheBytes, packFromBytes });
  const keyOf = keysByUrl();
  const dayOf = dayTeller();
  const reasons = new ToldReasons({ againMs: TOLD_AGAIN_MS });
  const making = pLimit(MAKING_MAX);

  const inTurn = async (make: () => Promise<string>) => {
    if (making.pendingCount < WAITING_MAX) return making(make);
    throw new AppError('unavailable', 'too many requests wait for an answer; try again in a moment');
  };

  const answer = async ({ route, headers }: Bound, request: FastifyRequest, reply: FastifyReply) => {
    await limitAddress(request.ip, { what: PUBLIC_REQUESTS, perMinute });
    const view = views.current();
    const release = view.lease();
    try {
      const now = clock();
      const [today, baseUrl] = [dayOf(now), baseUrlOf(request)];
      const { params, query, url, headers: conditions } = request;
      const key = [view.version, today, baseUrl, keyOf(url, () => route.read({ params, query }))].join('\n');
      const { isHit, ...whole } = await kept.answer(key, { headers, conditions }, () => {
        const context = { view, ask: askerOf(answers, now), isLive, now, today, baseUrl };
        return inTurn(() => route.read({ params, query }).answer(context));
      });
      request.cacheResult = isHit ? 'HIT' : 'MISS';
      return sendWhole(request, reply, whole);
    } finally {
      release();
    }
  };

  const refuse = (thrown: unknown, route: PublicRoute, request: FastifyRequest, reply: FastifyReply) => {
    const context = { requestId: request.id, baseUrl: baseUrlOf(request), errors: API_ERRORS };
    const { error, status } = errorAnswerFrom(thrown, context);
    const refusal = route.refuse?.(error, request);
    if (refusal === undefined) throw thrown;
    logFailure(thrown, { error, status }, { log: request.log, told: reasons });
    const headers = {
      ...headersOf(route),
      ...(error instanceof HttpError ? error.options.headers : {}),
      // Whoever shares a cache with somebody who asks too often, or at a bad moment, has no part in that.
      'Cache-Control': status === 404 || status === 422 ? REFUSAL_CACHE_CONTROL : 'no-store',
    };
    return sendWhole(request, reply, { ...refusal, headers });
  };

  // Also on what is refused before there is a route to ask, such as a URL that is not properly encoded.
  app.addHook('onSend', async (_, reply) => void reply.headers(FOR_OTHER_SITES));
  for (const route of routes) {
    const headers = { ...headersOf(route), 'Cache-Control': CACHE_CONTROL, Vary: 'accept-encoding' };
    app.get(route.path, async (request, reply) => {
      try {
        return await answer({ route, headers }, request, reply);
      } catch (error) {
        return refuse(error, route, request, reply);
      }
    });
  }
}

/** Tells the keys of what URLs ask for; reading a URL takes long beside an answer that is at hand, and most are asked for again. */
function keysByUrl(): (url: string, read: () => PublicQuestion) => string {
  const keys = new LRUCache<string, string>({
    maxSize: URL_CHARACTERS_MAX,
    sizeCalculation: (key, url) => key.length + url.length + 100,
  });
  return (url, read) => {
    const known = keys.get(url);
    if (known !== undefined) return known;
    const { key } = read();
    keys.set(url, key);
    return key;
  };
}

interface Bound {
  readonly route: PublicRoute;
  /** Of each answer that is no refusal. */
  readonly headers: AnswerHeaders;
}

function headersOf({ type, headers }: PublicRoute): AnswerHeaders {
  return { ...FOR_OTHER_SITES, ...headers, 'Content-Type': type };
}
