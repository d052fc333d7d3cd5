import type { FastifyInstance } from 'fastify';
import { API_ERRORS } from '../../schemas/api-errors.ts';
import { longestSegment } from '../access/path-below.ts';
import { ApiError } from '../api-error.ts';

/** An id of 200 characters, each of which may take four bytes of UTF-8 and so twelve characters of a URL. */
const SEGMENT_LENGTH_MAX = 2400;

/**
 * Refuses ids beyond measure on the routes that are there. The router could do so too, but before any hook, which would tell
 * a switched-off capability from a route that never was.
 */
export function refuseLongSegments(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ url }) => {
    if (url.length > SEGMENT_LENGTH_MAX && longestSegment(url) > SEGMENT_LENGTH_MAX)
      throw new ApiError('uri_too_long', API_ERRORS.uri_too_long.title);
  });
}
