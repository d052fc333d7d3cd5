import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { findUnsentResponse } from '../connections.ts';
import { errorResponseFrom } from './error-response.ts';
import { type ErrorTable, type HttpErrorCode, httpError } from './http-error.ts';

/** Codes of Node's HTTP parser with a specific response. */
const PARSER_CODES: Readonly<Record<string, HttpErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** A response outside of all routes and hooks. */
export interface RawResponse {
  readonly requestId: string;
  readonly status: number;
  /** As far as it could be parsed. */
  readonly method: string | undefined;
  readonly url: string | undefined;
  /** The parser's code, never input. */
  readonly reason: string | undefined;
}

export interface RawResponseDeps {
  /** Used in links; there is no request to take a host from. */
  readonly baseUrl: string;
  readonly newRequestId: () => string;
  readonly errors: ErrorTable;
  /** Sent with every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** For log and metrics. */
  readonly onResponse: (response: RawResponse) => void;
}

/** Responds to what Node doesn't pass to Fastify, with the usual envelope and headers. */
export class RawResponses {
  readonly #deps: RawResponseDeps;
  // Only the first error of a connection gets a response; a client could cause them forever.
  readonly #answered = new WeakSet<Duplex>();
  readonly #replaced = new WeakSet<ServerResponse>();

  constructor(deps: RawResponseDeps) {
    this.#deps = deps;
  }

  /** Responds to what isn't HTTP; for Node's `clientError`. */
  onClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
    const code = PARSER_CODES[error.code ?? ''] ?? 'bad_request';
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (!this.#answered.has(socket)) {
      this.#answered.add(socket);
      this.#respondInOrder(socket, (request) => this.#response(socket, code, { request, reason: error.code }));
    }
  }

  /** Responds to CONNECT with 405 and ignores expectations (RFC 9110 §10.1.1). */
  listenTo(server: Server): void {
    server.on('connect', (request, socket) => {
      keepAlive(socket);
      this.#respondInOrder(socket, () => this.#response(socket, 'method_not_allowed', { request }));
    });
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  }

  /** Whether the request got its response here instead of from its route. */
  hasReplaced(response: ServerResponse): boolean {
    return this.#replaced.has(response);
  }

  /**
   * Waits for responses to earlier requests on the connection, which this one would precede or interrupt. A request
   * whose own body is malformed gets only this response.
   */
  #respondInOrder(socket: Duplex, response: (request?: IncomingMessage) => void): void {
    const earlier = findUnsentResponse(socket);
    if (!socket.writable) socket.destroy();
    else if (!earlier) response();
    else if (earlier.req.complete)
      earlier.once('close', () => setImmediate(() => this.#respondInOrder(socket, response)));
    else if (earlier.headersSent) socket.destroy();
    else {
      this.#replaced.add(earlier);
      response(earlier.req);
    }
  }

  #response(socket: Duplex, code: HttpErrorCode, { request, reason }: Refused): void {
    const { baseUrl, newRequestId, errors, headers: usual, onResponse } = this.#deps;
    const requestId = newRequestId();
    const error = httpError(code, errors[code].title, code === 'method_not_allowed' ? { headers: ALLOWED } : {});
    const { status, headers, body } = errorResponseFrom(error, { requestId, baseUrl, errors });
    const lines = Object.entries({
      Date: new Date().toUTCString(),
      ...usual,
      ...headers,
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    }).map(([name, value]) => `${name}: ${value}`);
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
    onResponse({ requestId, status, method: request?.method, url: request?.url, reason });
    // Closes the connection even if the client doesn't, but after time to read the response.
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  }
}

interface Refused {
  readonly request?: IncomingMessage | undefined;
  readonly reason?: string | undefined;
}

/** Smaller: distant clients may lose the response. Larger: hostile ones hold connections longer. */
const LINGER_MS = 2_000;

/** What nearly all paths allow. */
const ALLOWED = { Allow: 'GET, HEAD' };

/**
 * Node stops handling a connection after CONNECT: unhandled errors would end the process, and an earlier response would
 * wait forever for 'drain'.
 */
function keepAlive(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.on('drain', () => findUnsentResponse(socket)?.emit('drain'));
}
