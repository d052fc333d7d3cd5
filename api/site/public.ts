/**
 * What is seen without a key: the service's first page, badges, pages to embed, feeds (specification "Without a key"). All of it is made
 * of the API's own answers, on the terms of Community.
 */
import type { AddFace } from '../data/app.ts';
import { modelBadgeRoutes } from './badges/model-badge.ts';
import { sourceBadgeRoutes } from './badges/source-badge.ts';
import { bindPublicRoutes, type PublicSettings } from './bind.ts';
import { embedRoutes } from './embeds/embeds.ts';
import { addEmbedStyles } from './embeds/styles.ts';
import { FEED_ROUTES } from './feeds/feed-routes.ts';
import { homeRoute } from './home/home.tsx';
import { addStylesheet } from './home/stylesheet.ts';
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

/** The same for the OpenAPI document, which knows no style sheets. */
export const PUBLIC_ROUTES = routesToEmbed('');
