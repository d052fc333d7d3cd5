import { z } from 'zod';
import { ApiError } from '../../data/api-errors.ts';
import { JSON_TYPE } from '../../data/responses/data-responses.ts';
import { freeText, plainInteger } from '../../data/responses/parameters.ts';
import { HttpError, notFound, queryProblem, RequestInvalid } from '../../server/errors/http-error.ts';
import type { GivenRequest } from '../../server/route.ts';
import { type PublicContext, type PublicRoute, publicRoute } from '../public-route.ts';
import type { Embed, FoundEmbed } from './embed.tsx';
import { FRAME_HEIGHT_MIN, FRAME_WIDTH_MIN, type FrameSize, frameSizeIn, hasHistories } from './frame.ts';

/** An id of 200 characters, each percent-encoded in up to twelve, and parameters. */
const URL_LENGTH_MAX = 8000;

/** How long clients may cache a response, in seconds. */
const CACHE_AGE = 3600;

/** `GET /oembed`: how to embed a page, given its address (oEmbed 1.0, https://oembed.com). */
export function oembedRoute(embeds: readonly Embed[]): PublicRoute {
  return publicRoute({
    path: '/oembed',
    type: JSON_TYPE,
    query: z.object({
      url: freeText({ max: URL_LENGTH_MAX, description: 'Address of a page to embed' }),
      maxwidth: plainInteger({ min: FRAME_WIDTH_MIN, description: 'Available space in CSS pixels' }).optional(),
      maxheight: plainInteger({ min: FRAME_HEIGHT_MIN, description: 'Available space in CSS pixels' }).optional(),
      format: freeText({ max: 20, description: 'json' }).default('json'),
    }),
    response: async ({ query: { url, format, ...room } }, context) => {
      if (format !== 'json')
        throw new ApiError('format_not_supported', 'This service supports only json', { param: 'format' });
      const { embed, ...found } = await findEmbed(url, embeds, context);
      const size = frameSizeIn(room, embed.heights, hasHistories(context));
      return JSON.stringify({
        version: '1.0',
        type: 'rich',
        title: found.title,
        provider_name: 'modelstats',
        provider_url: `${context.baseUrl}/`,
        cache_age: CACHE_AGE,
        html: frameHtml({ ...found, ...size }),
        ...size,
      });
    },
  });
}

function frameHtml({ title, url, width, height }: FoundEmbed & FrameSize): string {
  const attributes = { src: url, title, width, height, loading: 'lazy', style: 'border:0;max-width:100%' };
  // Only a quote ends a quoted attribute.
  const written = Object.entries(attributes).map(
    ([name, value]) => `${name}="${String(value).replaceAll('"', '&#34;')}"`,
  );
  return `<iframe ${written.join(' ')}></iframe>`;
}

/** Rejects with RequestInvalid for an invalid address, `not_found` for another page's. */
async function findEmbed(
  text: string,
  embeds: readonly Embed[],
  context: PublicContext,
): Promise<FoundEmbed & { readonly embed: Embed }> {
  const url = URL.parse(text);
  if (url === null) {
    const msg = 'Input should be a valid URL, such as https://example.com/page';
    throw new RequestInvalid([queryProblem('url', text, { msg, type: 'url_parsing' })]);
  }
  const [, folder, id] = PAGE.exec(pathBelow(url, context.baseUrl) ?? '') ?? [];
  const embed = embeds.find((known) => known.folder === folder);
  if (embed === undefined || id === undefined) throw noSuchPage();
  try {
    return { embed, ...(await embed.find({ params: { id: decoded(id) }, query: parametersOf(url) }, context)) };
  } catch (error) {
    if (error instanceof RequestInvalid) throw noSuchPage();
    throw error instanceof HttpError && error.status === 404 ? notFound('url', error.message) : error;
  }
}

/** Below the base path. */
const PAGE = /^\/embed\/(models|rankings)\/([^/]+)$/;

/** Undefined if the address is not below the base URL. */
function pathBelow({ origin, pathname }: URL, baseUrl: string): string | undefined {
  const base = URL.parse(baseUrl);
  if (base === null || origin !== base.origin) return undefined;
  const prefix = base.pathname.replace(/\/$/, '');
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw noSuchPage();
  }
}

/** As a server does: a repeated parameter is a list. */
function parametersOf({ searchParams }: URL): GivenRequest['query'] {
  return Object.fromEntries(
    [...searchParams.keys()].map((name) => {
      const all = searchParams.getAll(name);
      return [name, all.length > 1 ? all : all[0]];
    }),
  );
}

function noSuchPage(): HttpError {
  return notFound('url', 'This is not the address of a page to embed');
}
