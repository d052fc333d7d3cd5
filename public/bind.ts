/** How routes without a key are answered: limited by address, kept for as long as nothing changes, and shared with other sites. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { hitFixed } from '../accounts/fixed-limit.ts';
import { limitedOrigin } from '../accounts/people/limits/limited-origin.ts';
import type { Capability } from '../api/access/capabilities.ts';
import { AnswerCache } from '../api/answers/answer-cache.ts';
import type { FaceDeps } from '../api/app.ts';
import { etagOf, etagWithEncoding, findMatchingEtag } from '../http/conditional.ts';
import { HttpError, httpError } from '../http/errors/http-error.ts';
import { RequestInvalid } from '../http/errors/validation.ts';
import { acceptsGzip, gzip } from '../http/gzip.ts';
import { dayTeller } from '../schemas/day.ts';
import { askerOf } from './ask.ts';
import type { PublicRoute } from './public-route.ts';

export interface PublicSettings {
  /** Where requests of a client address are counted; undefined: they are not limited. */
  readonly accounts: Pick<Accounts, 'backstop'> | undefined;
  /** Requests of one client address to all these routes in any 60 seconds. */
  readonly requestsPerMinute: number;
  /** Of all answers that are kept, in bytes. */
  readonly cacheBytes: number;
  /** Smallest body that is packed where the request says that it may be, in bytes. */
  readonly packFromBytes: number;
  readonly isLive: (capability: Capability) => boolean;
  readonly clock: () => Date;
}

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
  { answers, views, baseUrlOf, sendWhole, ...settings }: FaceDeps & PublicSettings,
): void {
  const { accounts, requestsPerMinute: limit, packFromBytes, isLive, clock } = settings;
  const cache = new AnswerCache(settings.cacheBytes);
  const dayOf = dayTeller();

  const assertNotTooMany = async ({ ip }: FastifyRequest) => {
    if (accounts === undefined) return;
    const state = await hitFixed(accounts, limitedOrigin(ip), { what: 'public', limit, now: clock() });
    if (state.refused) throw tooMany(state.retryAfterSeconds);
  };

  const bodyOf = async (route: PublicRoute, request: FastifyRequest) => {
    const view = views.current();
    const release = view.lease();
    try {
      const now = clock();
      const [today, baseUrl] = [dayOf(now), baseUrlOf(request)];
      const { params, query, url } = request;
      const key = [view.version, today, baseUrl, url].join('\n');
      const context = { view, ask: askerOf(answers, now), isLive, now, today, baseUrl };
      return { key, ...(await cache.get(key, () => route.answer({ params, query }, context))) };
    } finally {
      release();
    }
  };

  const answer = async (route: PublicRoute, request: FastifyRequest, reply: FastifyReply) => {
    await assertNotTooMany(request);
    const { key, body, isHit } = await bodyOf(route, request);
    request.cacheResult = isHit ? 'HIT' : 'MISS';
    const etag = etagOf(body);
    const headers = {
      ...FOR_OTHER_SITES,
      ...route.headers,
      ETag: `"${etag}"`,
      'Cache-Control': CACHE_CONTROL,
      Vary: 'accept-encoding',
      'X-Cache': request.cacheResult,
    };
    const matching = findMatchingEtag(request.headers['if-none-match'], etag);
    if (matching !== undefined)
      return sendWhole(request, reply, { status: 304, headers: { ...headers, ETag: matching }, body: undefined });
    const whole = { ...headers, 'Content-Type': route.type };
    if (body.length < packFromBytes || !acceptsGzip(request.headers['accept-encoding']))
      return sendWhole(request, reply, { status: 200, headers: whole, body });
    const packed = await cache.get(`gzip ${key}`, () => gzip(body));
    const packedHeaders = { ...whole, ETag: etagWithEncoding(whole.ETag, 'gzip'), 'Content-Encoding': 'gzip' };
    return sendWhole(request, reply, { status: 200, headers: packedHeaders, body: packed.body });
  };

  for (const route of routes) {
    app.get(route.path, async (request, reply) => {
      try {
        return await answer(route, request, reply);
      } catch (error) {
        const isRefusal = error instanceof HttpError || error instanceof RequestInvalid;
        const refusal = isRefusal ? route.refuse?.(error, request) : undefined;
        reply.headers(FOR_OTHER_SITES);
        if (refusal === undefined) throw error;
        const headers = {
          ...FOR_OTHER_SITES,
          ...route.headers,
          'Cache-Control': REFUSAL_CACHE_CONTROL,
          'Content-Type': route.type,
        };
        return sendWhole(request, reply, { ...refusal, headers });
      }
    });
  }
}

function tooMany(seconds: number) {
  return httpError('rate_limit_exceeded', 'Too many requests come from your address', {
    headers: { 'Retry-After': String(seconds) },
  });
}
