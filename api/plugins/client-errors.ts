import type { Socket } from 'node:net';
import type { ApiErrorCode } from '../../schemas/api-errors.ts';
import { API_ERRORS } from '../../schemas/api-errors.ts';
import { ApiError, errorBody } from '../api-error.ts';

/** Codes of Node's HTTP parser that have an answer of their own. */
const PARSER_CODES: Readonly<Record<string, ApiErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Answers what isn't HTTP, which no route ever sees, with the envelope too.
 *
 * @param newRequestId as for any other request, so that callers can cite it
 */
export function clientErrorHandler(baseUrl: string, newRequestId: () => string) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const code = PARSER_CODES[error.code ?? ''] ?? 'bad_request';
    const requestId = newRequestId();
    const { status, title } = API_ERRORS[code];
    const body = JSON.stringify(errorBody(new ApiError(code, title), { requestId, baseUrl }));
    socket.end(
      `HTTP/1.1 ${status} ${REASONS[status] ?? 'Bad Request'}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-ID: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

const REASONS: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};
