import type { PublicRoute } from '../public-route.ts';
import type { Embed } from './embed.tsx';
import { modelEmbed } from './model/model-embed.tsx';
import { oembedRoute } from './oembed.ts';
import { rankingEmbed } from './ranking/ranking-embed.tsx';

const EMBEDS: readonly Embed[] = [modelEmbed, rankingEmbed];

/**
 * Pages that others show in frames on theirs, and how programs find out about them (specification "Embeds"; specification "oEmbed").
 *
 * @param version of the style sheets
 */
export function embedRoutes(version: string): readonly PublicRoute[] {
  return [...EMBEDS.map((embed) => embed.route(version)), oembedRoute(EMBEDS)];
}
