/**
 * What is seen without a key: badges, pages to embed, feeds (specification "Without a key"). All of it is made of the API's own answers,
 * on the terms of Community.
 */
import type { AddFace } from '../api/app.ts';
import { sourceBadgeRoutes } from './badges/source-badge.ts';
import { bindPublicRoutes, type PublicSettings } from './bind.ts';
import { embedRoutes } from './embeds/embeds.ts';
import { addEmbedStyles } from './embeds/styles.ts';

/** Adds the routes, below the base path. */
export function publicFace(settings: PublicSettings): AddFace {
  return async (app, deps) => {
    await app.register((scope, _, done) => {
      const embeds = embedRoutes(addEmbedStyles(scope));
      bindPublicRoutes(scope, [...PUBLIC_ROUTES, ...embeds], { ...deps, ...settings });
      done();
    });
  };
}

const PUBLIC_ROUTES = [...sourceBadgeRoutes];
