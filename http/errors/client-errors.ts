import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorAnswerFrom } from './error-answer.ts';
import { type ErrorTable, type HttpErrorCode, httpError } from './http-error.ts';

/** Codes of Node's HTTP parser that have an answer of their own. */
const PARSER_CODES: Readonly<Record<string, HttpErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

export interface RawAnswerDeps {
  /** Before the paths of links; there is no request to take a host from. */
  readonly baseUrl: string;
  /** As for any other request, so that callers can cite it. */
  readonly newRequestId: () => string;
  readonly errors: ErrorTable;
}

/** Answers what isn't HTTP, which no route ever sees, with the envelope too. */
export function clientErrorHandler(deps: RawAnswerDeps) {
  // Whatever more comes on the connection is one more error, and a client could go on for ever: the first is answered.
  const answered = new WeakSet<Duplex>();
  return (error: Error & { readonly code?: string }, socket: Duplex): void => {
    const code = PARSER_CODES[error.code ?? ''] ?? 'bad_request';
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (!answered.has(socket)) {
      answered.add(socket);
      answerInTurn(socket, () => answerRaw(socket, code, deps));
    }
  };
}

/** Answers what Node keeps from Fastify: CONNECT like any other method; expectations are ignored (RFC 9110 §10.1.1). */
export function addRawAnswers(server: Server, deps: RawAnswerDeps): void {
  server.on('connect', (_, socket) => answerRaw(socket, 'method_not_allowed', deps));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Waits for the answers to earlier requests on the connection: the new one would end up before them, or in the middle of
 * one. A request whose own body isn't proper gets no other answer.
 */
function answerInTurn(socket: Duplex, answer: () => void): void {
  const { _httpMessage: earlier } = socket as { _httpMessage?: ServerResponse | null }; // Where Node keeps it.
  if (!socket.writable) socket.destroy();
  else if (!earlier) answer();
  else if (earlier.req.complete) earlier.once('close', () => setImmediate(answerInTurn, socket, answer));
  else if (earlier.headersSent) socket.destroy();
  else answer();
}

function answerRaw(socket: Duplex, code: HttpErrorCode, { baseUrl, newRequestId, errors }: RawAnswerDeps): void {
  const error = httpError(code, errors[code].title, code === 'method_not_allowed' ? { headers: ALLOWED } : {});
  const { status, headers, body } = errorAnswerFrom(error, { requestId: newRequestId(), baseUrl, errors });
  const lines = Object.entries({
    Date: new Date().toUTCString(),
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  // No request can follow. A client that keeps its end open is not waited for; at once would be too soon to read the answer.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Smaller: a client far away may lose the answer. Larger: one that means ill holds its connection longer. */
const LINGER_MS = 2_000;

/** What a path has that isn't one: what nearly all have. */
const ALLOWED = { Allow: 'GET, HEAD' };
