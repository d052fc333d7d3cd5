import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { findUnsentResponse } from '../connections.ts';
import { errorResponseFrom } from './error-response.ts';
import { type ErrorTable, type HttpErrorCode, httpError } from './http-error.ts';

/** Codes of Node's HTTP parser that have an answer of their own. */
const PARSER_CODES: Readonly<Record<string, HttpErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** An answer that no route and no hook saw. */
export interface RawResponse {
  readonly requestId: string;
  readonly status: number;
  /** What was asked, as far as it could be read. */
  readonly method: string | undefined;
  readonly url: string | undefined;
  /** The parser's own code of what was wrong: never what was sent. */
  readonly reason: string | undefined;
}

export interface RawResponseDeps {
  /** Before the paths of links; there is no request to take a host from. */
  readonly baseUrl: string;
  /** As for any other request, so that callers can cite it. */
  readonly newRequestId: () => string;
  readonly errors: ErrorTable;
  /** What every answer has. */
  readonly headers: Readonly<Record<string, string>>;
  /** Told of each, for log and metrics. */
  readonly onResponse: (answer: RawResponse) => void;
}

/** Answers what Node keeps from Fastify, with the envelope and the headers of every answer. */
export class RawResponses {
  readonly #deps: RawResponseDeps;
  // Whatever more comes on a connection is one more error, and a client could go on for ever: the first is answered.
  readonly #answered = new WeakSet<Duplex>();
  readonly #replaced = new WeakSet<ServerResponse>();

  constructor(deps: RawResponseDeps) {
    this.#deps = deps;
  }

  /** Answers what isn't HTTP, which no route ever sees; to be called on Node's `clientError`. */
  onClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
    const code = PARSER_CODES[error.code ?? ''] ?? 'bad_request';
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (!this.#answered.has(socket)) {
      this.#answered.add(socket);
      this.#respondInTurn(socket, (asked) => this.#response(socket, code, { asked, reason: error.code }));
    }
  }

  /** Answers CONNECT like any other method that a path doesn't have; expectations are ignored (RFC 9110 §10.1.1). */
  listenTo(server: Server): void {
    server.on('connect', (asked, socket) => {
      keepAlive(socket);
      this.#respondInTurn(socket, () => this.#response(socket, 'method_not_allowed', { asked }));
    });
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  }

  /** Whether the request got an answer from here instead of the one that was being made for it. */
  hasReplaced(response: ServerResponse): boolean {
    return this.#replaced.has(response);
  }

  /**
   * Waits for the answers to earlier requests on the connection: the new one would end up before them, or in the middle of
   * one. A request whose own body isn't proper gets no other answer.
   */
  #respondInTurn(socket: Duplex, response: (asked?: IncomingMessage) => void): void {
    const earlier = findUnsentResponse(socket);
    if (!socket.writable) socket.destroy();
    else if (!earlier) response();
    else if (earlier.req.complete)
      earlier.once('close', () => setImmediate(() => this.#respondInTurn(socket, response)));
    else if (earlier.headersSent) socket.destroy();
    else {
      this.#replaced.add(earlier);
      response(earlier.req);
    }
  }

  #response(socket: Duplex, code: HttpErrorCode, { asked, reason }: Refused): void {
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
    onResponse({ requestId, status, method: asked?.method, url: asked?.url, reason });
    // No request can follow. A client that keeps its end open is not waited for; at once would be too soon to read the answer.
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  }
}

interface Refused {
  readonly asked?: IncomingMessage | undefined;
  readonly reason?: string | undefined;
}

/** Smaller: a client far away may lose the answer. Larger: one that means ill holds its connection longer. */
const LINGER_MS = 2_000;

/** What a path has that isn't one: what nearly all have. */
const ALLOWED = { Allow: 'GET, HEAD' };

/**
 * Node lets go of a connection that asks for a tunnel: nobody would listen for its errors, so that one would end the process,
 * and an earlier answer that waits for the client to read would wait for ever.
 */
function keepAlive(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.on('drain', () => findUnsentResponse(socket)?.emit('drain'));
}
