/**
 * What is seen without a key: the service's first page, badges, pages to embed, feeds (specification "Without a key"). All of it is made
 * of the API's own answers, on the terms of Community.
 */
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { createDayReader } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { ReportedReasons } from '../../runtime/repeat.ts';
import { PUBLIC_REQUESTS } from '../accounts/address-limit.ts';
import type { Capability } from '../data/access/rights.ts';
import { API_ERRORS } from '../data/api-errors.ts';
import type { AddSurface, SurfaceDeps } from '../data/app.ts';
import { addVersionedAssets } from '../server/assets.ts';
import { type BoundRoute, bindRoute, type WholeResponse } from '../server/bind-route.ts';
import { logFailure, TOLD_AGAIN_MS } from '../server/errors/error-handling.ts';
import { errorResponseFrom } from '../server/errors/error-response.ts';
import { HttpError } from '../server/errors/http-error.ts';
import { readLook } from '../server/pages/look.ts';
import { Responder } from '../server/responder.ts';
import { acceptsGzip, ResponseCache } from '../server/response-cache.ts';
import type { ResponseHeaders } from '../server/response-headers.ts';
import { sourceBadgeRoutes } from './badge.ts';
import type { Embed } from './embeds/embed.tsx';
import { addEmbedStyles } from './embeds/frame.ts';
import { modelEmbed } from './embeds/model-embed.tsx';
import { oembedRoute } from './embeds/oembed.ts';
import { rankingEmbed } from './embeds/ranking-embed.tsx';
import { FEED_ROUTES } from './feeds/feed-routes.ts';
import { homeRoute } from './home.tsx';
import { modelBadgeRoutes } from './model-badge.ts';
import { askAsAnybody, type PublicContext, type PublicRoute } from './public-route.ts';

export interface PublicSurfaceSettings extends PublicSettings {
  /** Whether the console is served beside it. */
  readonly hasConsole: boolean;
}

/** Adds the routes, below the base path; the first page is there also where `embeds` is not live. */
export function publicSurface(settings: PublicSurfaceSettings): AddSurface {
  return async (app, deps) => {
    const stylesheet = addStylesheet(app);
    const home = homeRoute({ root: app.prefix, stylesheet, hasConsole: settings.hasConsole });
    await app.register((scope, _, done) => {
      const others = settings.isLive('embeds') ? routesToEmbed(addEmbedStyles(scope)) : [];
      bindPublicRoutes(scope, [home, ...others], { ...deps, ...settings });
      done();
    });
  };
}

/** What `embeds` switches. */
function routesToEmbed(stylesVersion: string): readonly PublicRoute[] {
  return [...sourceBadgeRoutes, ...modelBadgeRoutes, ...embedRoutes(stylesVersion), ...FEED_ROUTES];
}

const EMBEDS: readonly Embed[] = [modelEmbed, rankingEmbed];

/**
 * Pages that others show in frames on theirs, and how programs find out about them (specification "Embeds"; specification "oEmbed").
 *
 * @param version of the style sheets
 */
function embedRoutes(version: string): readonly PublicRoute[] {
  return [...EMBEDS.map((embed) => embed.route(version)), oembedRoute(EMBEDS)];
}

const [FOLDER, FILE] = ['home', 'home.css'];

/** Adds the stylesheet of the first page, read once; its address, which changes with it. */
function addStylesheet(app: FastifyInstance): string {
  const files = { [FILE]: readLook(join(import.meta.dirname, FILE)) };
  const version = addVersionedAssets(app, FOLDER, { files });
  return `${app.prefix}/${FOLDER}/${FILE}?v=${version}`;
}

/** What `embeds` switches for the OpenAPI document, which knows no style sheets. */
export const PUBLIC_ROUTES = routesToEmbed('');

/** How routes without a key are answered: limited by address, kept for as long as nothing changes, and shared with other sites. */
export interface PublicSettings {
  /** Requests of one client address to all these routes in any 60 seconds. */
  readonly requestsPerMinute: number;
  /** Of all answers that are kept, in bytes. */
  readonly cacheBytes: number;
  /** Smallest body that is packed where the request says that it may be, in bytes. */
  readonly compressFromBytes: number;
  readonly isLive: (capability: Capability) => boolean;
  readonly clock: () => Date;
}

/** Answers that are made at once, so that callers with a key have the rest of the machine, and those that may wait for their turn. */
const [MAKING_MAX, WAITING_MAX] = [2, 500];

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
  { answers, views, limitAddress, baseUrlOf, sendWhole, ...settings }: SurfaceDeps & PublicSettings,
): void {
  const { requestsPerMinute: perMinute, isLive, clock } = settings;
  const responder = responderOf(settings);
  const dayOf = createDayReader();
  const reasons = new ReportedReasons({ againMs: TOLD_AGAIN_MS });

  const respond = async (route: PublicRoute, request: FastifyRequest) => {
    await limitAddress(request.ip, { what: PUBLIC_REQUESTS, perMinute });
    const view = views.current();
    const release = view.lease();
    try {
      const now = clock();
      const [today, baseUrl] = [dayOf(now), baseUrlOf(request)];
      const { url: key, headers } = request;
      return await responder.respond(route, {
        request,
        context: { view, ask: askAsAnybody(answers, now), isLive, now, today, baseUrl },
        now,
        scope: [view.version, today, baseUrl].join('\n'),
        key,
        mayPack: acceptsGzip(headers['accept-encoding']),
      });
    } finally {
      release();
    }
  };

  const refuse = (thrown: unknown, route: PublicRoute, request: FastifyRequest): WholeResponse | undefined => {
    const context = { requestId: request.id, baseUrl: baseUrlOf(request), errors: API_ERRORS };
    const { error, status } = errorResponseFrom(thrown, context);
    const refusal = route.refuse?.(error, request);
    if (refusal === undefined) return undefined;
    logFailure(thrown, { error, status }, { log: request.log, told: reasons });
    const headers = {
      ...headersOf(route),
      ...(error instanceof HttpError ? error.options.headers : {}),
      // Whoever shares a cache with somebody who asks too often, or at a bad moment, has no part in that.
      'Cache-Control': status === 404 || status === 422 ? REFUSAL_CACHE_CONTROL : 'no-store',
    };
    return { ...refusal, headers };
  };

  // Also on what is refused before there is a route to ask, such as a URL that is not properly encoded.
  app.addHook('onSend', async (_, reply) => void reply.headers(FOR_OTHER_SITES));
  for (const route of routes) {
    const bound: BoundRoute = {
      path: route.path,
      respond: (request) => respond(route, request),
      refuse: (thrown, request) => refuse(thrown, route, request),
    };
    bindRoute(app, bound, sendWhole);
  }
}

/** Keeps what was made for as long as it is good, and lets few make something at once. */
function responderOf({ cacheBytes, compressFromBytes }: PublicSettings): Responder<PublicContext, PublicRoute> {
  const making = pLimit(MAKING_MAX);
  return new Responder({
    cache: new ResponseCache(cacheBytes),
    compressFromBytes,
    headersOf: (route) => ({ ...headersOf(route), 'Cache-Control': CACHE_CONTROL, Vary: 'accept-encoding' }),
    inTurn: async (make) => {
      if (making.pendingCount < WAITING_MAX) return making(make);
      throw new AppError('unavailable', 'too many requests wait for an answer; try again in a moment');
    },
  });
}

function headersOf({ type, headers }: PublicRoute): ResponseHeaders {
  return { ...FOR_OTHER_SITES, ...headers, 'Content-Type': type };
}
