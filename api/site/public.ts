/**
 * What is seen without a key: the service's first page, badges, pages to embed, feeds (specification "Without a key"). All of it is made
 * of the API's own answers, on the terms of Community.
 */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { AddFace } from '../data/app.ts';
import { addVersionedAssets } from '../server/assets.ts';
import { readLook } from '../server/pages/look.ts';
import { sourceBadgeRoutes } from './badges/badge-routes.ts';
import { modelBadgeRoutes } from './badges/model-badge.ts';
import { bindPublicRoutes, type PublicSettings } from './bind.ts';
import type { Embed } from './embeds/embed.tsx';
import { addEmbedStyles } from './embeds/frame.ts';
import { modelEmbed } from './embeds/model-embed.tsx';
import { oembedRoute } from './embeds/oembed.ts';
import { rankingEmbed } from './embeds/ranking-embed.tsx';
import { FEED_ROUTES } from './feeds/feed-routes.ts';
import { homeRoute } from './home.tsx';
import type { PublicRoute } from './public-route.ts';

export interface PublicFaceSettings extends PublicSettings {
  /** Whether the console is served beside it. */
  readonly hasConsole: boolean;
}

/** Adds the routes, below the base path; the first page is there also where `embeds` is not live. */
export function publicFace(settings: PublicFaceSettings): AddFace {
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
