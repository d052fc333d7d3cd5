import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type SendLimits, SlowReaders } from './slow-readers.ts';
import { UnsentAnswers } from './unsent-answers.ts';
import { WaitingAnswers } from './waiting-answers.ts';

/** What one connection may take of the service (specification "Connections"). */
export interface ConnectionSettings extends SendLimits {
  /** Longest wait for the head of a request, in milliseconds; no longer than that for the whole of it. */
  readonly headersTimeoutMs: number;
  /** Longest wait for a request's head and body, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Longest wait of an open connection for its next request, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  /** Requests that may wait behind the one that is being answered, at least 1. */
  readonly pipelinedMax: number;
}

/** The largest head of a request, URL included. */
const HEAD_BYTES_MAX = 16 * 1024;
/** Node looks for requests that are late this often; its own 30 seconds would double most limits. */
const CHECK_MS_MAX = 5_000;

/**
 * Node's server, in which no client can hold more than its share: a limit for each thing that may be slow or many, and nothing
 * that was begun for a connection outlives it. Requests go to `handler`.
 */
export function createHttpServer(handler: RequestListener, settings: ConnectionSettings): Server {
  const { requestTimeoutMs, keepAliveTimeoutMs, pipelinedMax } = settings;
  const headersTimeoutMs = Math.min(settings.headersTimeoutMs, requestTimeoutMs);
  const waiting = new WaitingAnswers({ pipelinedMax });
  const unsent = new UnsentAnswers();
  const server = createServer(
    {
      // Node would answer a missing Host itself, without a body.
      requireHostHeader: false,
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(headersTimeoutMs, CHECK_MS_MAX),
    },
    (request, response) => {
      if (!waiting.take(request, response, { isLast: asksForUpgrade(request) })) return;
      unsent.add(response);
      handler(request, response);
    },
  );
  unsent.belongTo(server);
  // Beyond a number Node would leave headers out without a word; the size of the head bounds them, and the request's checks.
  server.maxHeadersCount = 0;
  const slowReaders = new SlowReaders(settings);
  server.on('connection', (socket) => slowReaders.watch(socket));
  server.on('close', () => slowReaders.stop());
  return server;
}

/**
 * Whether a client would rather speak another protocol. It is answered in this one (RFC 9110 §7.8), but Node reads no further
 * request behind it: it takes what follows for the other protocol.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection ?? '');
}
