/**
 * Routes without a key: home page, badges, embeds, feeds (specification "Without a key"), made from the API's responses
 * with the terms of Community.
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
import { bindRoute, type WholeResponse } from '../server/bind-route.ts';
import { logFailure, REPORT_INTERVAL_MS } from '../server/errors/error-handling.ts';
import { errorResponseFrom } from '../server/errors/error-response.ts';
import { HttpError } from '../server/errors/http-error.ts';
import { readStyleSheet } from '../server/pages/styles.ts';
import { Responder } from '../server/responder.ts';
import { acceptsGzip, ResponseCache } from '../server/response-cache.ts';
import type { ResponseHeaders } from '../server/response-headers.ts';
import { sourceBadgeRoutes } from './badge.ts';
import type { Embed } from './embeds/embed.tsx';
import { addEmbedStyles } from './embeds/frame.ts';
import { modelEmbed } from './embeds/model-embed.tsx';
import { oembedRoute } from './embeds/oembed.ts';
import { rankingEmbed } from './embeds/ranking-embed.tsx';
import { EXPORT_ROUTES } from './exports.ts';
import { FEED_ROUTES } from './feeds/feed-routes.ts';
import { LIFECYCLE_FEEDS } from './feeds/lifecycle-feeds.ts';
import { homeRoute } from './home.tsx';
import { modelBadgeRoutes } from './model-badge.ts';
import { type PublicContext, type PublicRoute, publicFetcher } from './public-route.ts';

export interface PublicSurfaceSettings extends PublicSettings {
  readonly hasConsole: boolean;
}

/** The home page is served even if `embeds` is not live. */
export function publicSurface(settings: PublicSurfaceSettings): AddSurface {
  return async (app, deps) => {
    const stylesheet = addStylesheet(app);
    const home = homeRoute({ root: app.prefix, stylesheet, hasConsole: settings.hasConsole });
    await app.register((scope, _, done) => {
      const { isLive } = settings;
      const routes = publicRoutes(isLive, addEmbedStyles(scope));
      bindPublicRoutes(scope, [home, ...routes], { ...deps, ...settings });
      done();
    });
  };
}

/** Routes of the capability `embeds`. */
function routesToEmbed(stylesVersion: string): readonly PublicRoute[] {
  return [...sourceBadgeRoutes, ...modelBadgeRoutes, ...embedRoutes(stylesVersion), ...FEED_ROUTES, ...LIFECYCLE_FEEDS];
}

const EMBEDS: readonly Embed[] = [modelEmbed, rankingEmbed];

/**
 * Pages for frames on other sites, and their discovery (specification "Embeds"; specification "oEmbed").
 *
 * @param version of the style sheets
 */
function embedRoutes(version: string): readonly PublicRoute[] {
  return [...EMBEDS.map((embed) => embed.route(version)), oembedRoute(EMBEDS)];
}

const [FOLDER, FILE] = ['home', 'home.css'];

/** Returns the versioned address. */
function addStylesheet(app: FastifyInstance): string {
  const files = { [FILE]: readStyleSheet(join(import.meta.dirname, FILE)) };
  const version = addVersionedAssets(app, FOLDER, { files });
  return `${app.prefix}/${FOLDER}/${FILE}?v=${version}`;
}

type IsLive = (capability: Capability) => boolean;

/**
 * The routes that are live.
 * @param stylesVersion of the style sheets of embeds; the OpenAPI document needs none
 */
export function publicRoutes(isLive: IsLive, stylesVersion = ''): readonly PublicRoute[] {
  const routes = [...(isLive('embeds') ? routesToEmbed(stylesVersion) : []), ...EXPORT_ROUTES];
  return routes.filter(({ capability }) => capability === undefined || isLive(capability));
}

/** Rate limit per address, cache, compression. */
export interface PublicSettings {
  /** Per client address, over all these routes, in any 60 seconds. */
  readonly requestsPerMinute: number;
  /** Of all cached responses, in bytes. */
  readonly cacheBytes: number;
  /** Smallest body to compress, in bytes. */
  readonly compressFromBytes: number;
  readonly isLive: IsLive;
  readonly clock: () => Date;
}

/** Rendered at once, few so that callers with a key come first, and waiting. */
const [MAKING_MAX, WAITING_MAX] = [2, 500];

/** An hour, because data changes once a night. */
const CACHE_CONTROL = 'public, max-age=3600';
/** Missing data may appear soon. */
const REFUSAL_CACHE_CONTROL = 'public, max-age=60';

/** Lets other sites show and read these responses, unlike the service's default. */
const CROSS_SITE_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

export function bindPublicRoutes(
  app: FastifyInstance,
  routes: readonly PublicRoute[],
  { answers, views, exports, limitAddress, baseUrlOf, sendWhole, ...settings }: SurfaceDeps & PublicSettings,
): void {
  const { requestsPerMinute: perMinute, isLive, clock } = settings;
  const responder = responderOf(settings);
  const dayOf = createDayReader();
  const reasons = new ReportedReasons({ againMs: REPORT_INTERVAL_MS });

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
        context: { view, exports, fetchRoute: publicFetcher(answers, now), isLive, now, today, baseUrl },
        now,
        scope: [view.version, today, baseUrl].join('\n'),
        key,
        mayPack: acceptsGzip(headers['accept-encoding']),
      });
    } finally {
      release();
    }
  };

  /** Rejects with what was thrown if the route has no form of its own for it. */
  const refuse = async (thrown: unknown, route: PublicRoute, request: FastifyRequest): Promise<WholeResponse> => {
    const context = { requestId: request.id, baseUrl: baseUrlOf(request), errors: API_ERRORS };
    const { error, status } = errorResponseFrom(thrown, context);
    const refusal = await route.refuse?.(error, request);
    if (refusal === undefined) throw thrown;
    logFailure(thrown, { error, status }, { log: request.log, reported: reasons });
    const headers = {
      ...headersOf(route),
      ...(error instanceof HttpError ? error.options.headers : {}),
      // A shared cache must not spread one client's rate limit or a temporary failure.
      'Cache-Control': status === 404 || status === 422 ? REFUSAL_CACHE_CONTROL : 'no-store',
    };
    return { ...refusal, headers };
  };

  // Also on refusals before routing, for example of a badly encoded URL.
  app.addHook('onSend', async (_, reply) => void reply.headers(CROSS_SITE_HEADERS));
  for (const route of routes) {
    const respondOrRefuse = (request: FastifyRequest) =>
      respond(route, request).catch((thrown: unknown) => refuse(thrown, route, request));
    bindRoute(app, { path: route.path, respond: respondOrRefuse }, sendWhole);
  }
}

/** Caches responses, and limits how many are rendered at once. */
function responderOf({ cacheBytes, compressFromBytes }: PublicSettings): Responder<PublicContext, PublicRoute> {
  const making = pLimit(MAKING_MAX);
  return new Responder({
    cache: new ResponseCache(cacheBytes),
    compressFromBytes,
    headersOf: (route) => ({ ...headersOf(route), 'Cache-Control': CACHE_CONTROL, Vary: 'accept-encoding' }),
    enqueue: async (make) => {
      if (making.pendingCount < WAITING_MAX) return making(make);
      throw new AppError('unavailable', 'too many requests are waiting; try again in a moment');
    },
  });
}

function headersOf({ type, headers }: PublicRoute): ResponseHeaders {
  return { ...CROSS_SITE_HEADERS, ...headers, 'Content-Type': type };
}
