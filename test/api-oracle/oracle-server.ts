/**
 * The oracle behind HTTP: serves its own answers, so that the generator, the comparison and the replay can be tried
 * without the product, and each kind of wrong answer can be seen to be found.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cursorFromSeq } from '../../schemas/change.ts';
import { answerRequest } from './answer.ts';
import type { ApiState } from './api-state.ts';
import type { Expected, FeedExpected, JsonObject, ListExpected } from './expected.ts';
import { type ApiRequest, ROUTE_PATHS, ROUTES } from './request.ts';
import { lastNight } from './world.ts';

/** A server that was started, and how to stop it. */
export interface RunningApi {
  readonly url: string;
  stop(): Promise<void>;
}

/** Events that one filtered page looks at. */
const SCANNED_MAX = 5000;

interface Reply {
  readonly status: number;
  readonly body: JsonObject;
}

/** Changes a reply's text on its way out, to make it wrong. */
export type Spoiler = (text: string, target: string) => string;

export interface OracleServerOptions {
  /** The snapshots' compressed files, by the hash of their content. */
  readonly files?: (contentSha256: string) => Buffer | undefined;
  readonly spoil?: Spoiler;
}

export async function startOracleServer(state: ApiState, options: OracleServerOptions = {}): Promise<RunningApi> {
  const server = createServer((request, response) => reply(state, options, { request, response }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listens on a port, not on a socket's path
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reply(
  state: ApiState,
  { files, spoil = (text) => text }: OracleServerOptions,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  const target = request.url ?? '/';
  const url = new URL(target, 'http://localhost');
  if (url.pathname === '/file') {
    response.end(files?.(url.searchParams.get('content') ?? ''));
    return;
  }
  const { status, body } = replyTo(state, url, request.method ?? 'GET');
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-data-as-of': lastNight(state.world).dataAsOf,
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : spoil(JSON.stringify(body), target));
}

function replyTo(state: ApiState, url: URL, method: string): Reply {
  const { cursor, ...query } = Object.fromEntries(url.searchParams);
  const { route, params } = parsePath(url.pathname);
  const request: ApiRequest = { route, params, query, method: method as 'GET' }; // or another: all are answered alike
  const isList = ['models', 'benchmarks', 'scores', 'rankings', 'updates'].includes(route);
  const page = isList && cursor !== undefined ? parseListCursor(cursor, query) : 0;
  const whole = page === undefined || !isList ? { ...request, query: Object.fromEntries(url.searchParams) } : request;
  return replyFromExpected(answerRequest(state, whole), { page: page ?? 0, query });
}

function parsePath(pathname: string): Pick<ApiRequest, 'route' | 'params'> {
  const parts = pathname.split('/').map(decodeURIComponent);
  for (const route of ROUTES) {
    if (route === 'nowhere') continue;
    const template = ROUTE_PATHS[route].split('/');
    const isSame = parts.length === template.length && template.every((t, i) => t.startsWith('{') || t === parts[i]);
    if (!isSame) continue;
    const named = template.flatMap((t, i) => (t.startsWith('{') ? [[t.slice(1, -1), parts[i] ?? '']] : []));
    return { route, params: Object.fromEntries(named) };
  }
  return { route: 'nowhere', params: {} };
}

function replyFromExpected(expected: Expected, paging: { page: number; query: object }): Reply {
  switch (expected.kind) {
    case 'body':
      return { status: 200, body: expected.body };
    case 'list':
      return { status: 200, body: listPage(expected, paging) };
    case 'feed':
      return { status: 200, body: feedPage(expected) };
    case 'download':
      return {
        status: 200,
        body: { ...expected.body, url: `/file?content=${expected.contentSha256}`, expires_at: '2100-01-01T00:00:00Z' },
      };
    case 'refusal': {
      const { status, code, param } = expected;
      return { status, body: { error: { code, message: 'no', param: param ?? null } } };
    }
    case 'invalid': {
      const detail = expected.problems.map(({ loc, type }) => ({ loc, msg: 'wrong', type: type ?? 'value_error' }));
      return { status: 422, body: { detail } };
    }
  }
}

function listPage({ name, rows, limit, envelope }: ListExpected, { page, query }: { page: number; query: object }) {
  const start = page * limit;
  const isLast = start + limit >= rows.length;
  return {
    ...envelope,
    [name]: rows.slice(start, start + limit),
    next_cursor: isLast ? null : Buffer.from(JSON.stringify([page + 1, filtersOf(query)])).toString('base64url'),
  };
}

/** Undefined: not a cursor of this list and these filters. */
function parseListCursor(cursor: string, query: object): number | undefined {
  try {
    const [page, filters] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [number, string];
    return filters === filtersOf(query) ? page : undefined;
  } catch {
    return undefined;
  }
}

function filtersOf(query: object): string {
  return JSON.stringify(Object.entries(query).filter(([name]) => name !== 'limit'));
}

/** A filtered page stops after some scanned events, as a bounded scan does. */
function feedPage({ events, afterSeq, headSeq, limit, isFiltered, ...days }: FeedExpected): JsonObject {
  const scanEnd = isFiltered ? Math.min(headSeq, afterSeq + SCANNED_MAX) : headSeq;
  const rest = events.filter(({ seq }) => seq > afterSeq && seq <= scanEnd);
  const page = rest.slice(0, limit);
  const nextSeq = page.length < rest.length ? (page.at(-1)?.seq ?? scanEnd) : scanEnd;
  return {
    events: page,
    next_cursor: cursorFromSeq(nextSeq),
    has_more: nextSeq < headSeq,
    retained_from: days.retainedFrom,
    published_through: days.publishedThrough,
  };
}
