import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JSX } from 'preact';
import { etagOf, findTagUnchanged } from '../server/conditional.ts';
import { HttpError } from '../server/errors/http-error.ts';
import { HTML_TYPE } from '../server/response-headers.ts';
import { GUIDE_HEADERS, REFUSAL_HEADERS } from './frame-page.ts';
import { type Frame, renderGuidePage } from './layout.tsx';
import { GUIDE } from './pages.ts';
import { type Found, QUERY_LENGTH_MAX, type SearchIndex } from './search-index.ts';
import { Refusal, Results } from './search-page.tsx';

export interface SearchDeps {
  readonly frame: Frame;
  readonly index: SearchIndex;
  /** A text with the address of the service in place of the one that pages show. */
  readonly withAddress: (text: string, request: FastifyRequest) => string;
  readonly limit: LimitSearch;
}

/** `/docs/search?q=`: a page of what was found. Anybody may ask, so nothing is packed for it. */
export function bindSearch(app: FastifyInstance, { frame, index, withAddress, limit }: SearchDeps): void {
  const path = `${frame.root}${GUIDE}/search`;
  const pageOf = (children: JSX.Element, query = '') =>
    renderGuidePage({ frame, title: 'Search', path, query, children });
  const refuse = async (reply: FastifyReply, status: number, reason: string) =>
    reply
      .code(status)
      .headers(REFUSAL_HEADERS)
      .type(HTML_TYPE)
      .send(pageOf(Refusal({ reason })));

  app.get(`${GUIDE}/search`, { compress: false }, async (request: FastifyRequest, reply) => {
    const { q = '' } = request.query as Readonly<Record<string, unknown>>; // As Fastify reads a query: text, or a list of texts.
    if (typeof q !== 'string') return refuse(reply, 422, 'Give q once.');
    if (q.length > QUERY_LENGTH_MAX) return refuse(reply, 422, `Search for at most ${QUERY_LENGTH_MAX} characters.`);
    const refusal = await findRefusal(limit, request);
    if (refusal !== undefined) {
      reply.headers(refusal.options.headers ?? {});
      return refuse(reply, refusal.status, `${refusal.message}. Wait for a minute, and search again.`);
    }
    const found = index.find(q).map((one) => inPlace(one, (text) => withAddress(text, request)));
    const html = pageOf(Results({ query: q, found }), q);
    const etag = etagOf(html);
    const unchanged = findTagUnchanged(request.headers['if-none-match'], etag);
    reply.headers({ ...GUIDE_HEADERS, ETag: unchanged ?? `"${etag}"` });
    return unchanged === undefined ? reply.type(HTML_TYPE).send(html) : reply.code(304).send();
  });
}

function inPlace(one: Found, change: (text: string) => string): Found {
  return { ...one, excerpt: one.excerpt.map((piece) => ({ ...piece, text: change(piece.text) })) };
}

/** Counts a search of an address; rejects with 429 where it asks too often. */
export type LimitSearch = (address: string) => Promise<void>;

/** What refuses a search of an address that asks too often; undefined: nothing does. Rejects where it could not be counted. */
export async function findRefusal(
  limit: LimitSearch,
  { ip }: Pick<FastifyRequest, 'ip'>,
): Promise<HttpError | undefined> {
  try {
    await limit(ip);
  } catch (error) {
    if (error instanceof HttpError && error.code === 'rate_limit_exceeded') return error;
    throw error;
  }
  return undefined;
}
