import type { Dispatcher } from 'undici';
import { OutboundFault } from './address-check.ts';

export type OutboundHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ExchangeOptions {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** Redirects included. */
  readonly timeoutMs: number;
  readonly leftMs: number;
  readonly responseBytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Exchanged {
  readonly status: number;
  readonly headers: OutboundHeaders;
  readonly body: Buffer;
  readonly isCut: boolean;
}

export type ExchangeResult = Exchanged | { readonly fault: OutboundFault; readonly status: number | undefined };

/**
 * Sends one request. When time is up, a waiting request is dropped and the connection of a running one closed. Rejects
 * for an aborted `signal`, with its reason, and for invalid options.
 */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions): Promise<ExchangeResult> {
  const { method, url, headers, body = null } = options;
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(options, { resolve, reject });
    const target = { origin: url.origin, path: url.pathname + url.search, method, headers, body };
    // One deadline replaces the client's own, each of which would start again.
    dispatcher.dispatch({ ...target, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
}

interface Ends {
  readonly resolve: (result: ExchangeResult) => void;
  readonly reject: (reason: unknown) => void;
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #ends: Ends;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status: number | undefined;
  #headers: OutboundHeaders = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(options: ExchangeOptions, ends: Ends) {
    this.#options = options;
    this.#ends = ends;
    this.#timer = setTimeout(() => this.#expire(), options.leftMs);
    options.signal?.addEventListener('abort', this.#onAbort);
    if (options.signal?.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('ended before it began'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: OutboundHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    const room = this.#options.responseBytesMax - this.#size;
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    this.#size += chunk.length;
    if (chunk.length > room) this.#response(true);
  }

  onResponseEnd(): void {
    this.#response(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (isOurMistake(error)) this.#end(() => this.#ends.reject(error));
    else this.#fail(faultFrom(error, this.#options.url.host));
  }

  #response(isCut: boolean): void {
    const [status, headers] = [this.#status ?? 0, this.#headers];
    // Copied because the chunks keep the larger buffers of the socket alive.
    this.#end(() => this.#ends.resolve({ status, headers, body: Buffer.concat(this.#chunks), isCut }));
    if (isCut) this.#controller?.abort(new Error('cut off'));
  }

  #expire(): void {
    const { url, timeoutMs } = this.#options;
    this.#fail(new OutboundFault('timeout', `${url.host} did not respond within ${timeoutMs / 1000} s`));
    this.#controller?.abort(new Error('timed out'));
  }

  readonly #onAbort = (): void => {
    this.#end(() => this.#ends.reject(this.#options.signal?.reason));
    this.#controller?.abort(new Error('aborted'));
  };

  #fail(fault: OutboundFault): void {
    this.#end(() => this.#ends.resolve({ fault, status: this.#status }));
  }

  #end(settle: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    settle();
  }
}

/** Such as a header with a line break: nothing was sent, and only the caller can correct it. */
function isOurMistake(error: Error): boolean {
  return 'code' in error && (error.code === 'UND_ERR_INVALID_ARG' || error.code === 'UND_ERR_NOT_SUPPORTED');
}

export interface OutboundRedirects {
  readonly max: number;
  readonly isAllowed: (from: URL, to: URL) => boolean;
}

export const FOLLOWED = [301, 302, 303, 307, 308];

export function isRedirect({ status }: Exchanged): boolean {
  return status >= 300 && status < 400;
}

/**
 * The target of a redirect, still unchecked, or why it isn't followed. A POST is never redirected: its body was meant
 * for the address that was registered and verified.
 */
export function redirectTarget(
  { status, headers }: Exchanged,
  {
    request,
    url,
    redirects,
  }: {
    readonly request: { readonly method: string; readonly redirects?: OutboundRedirects | undefined };
    readonly url: URL;
    readonly redirects: number;
  },
): string | OutboundFault {
  const { max, isAllowed } = request.redirects ?? { max: 0, isAllowed: () => false };
  const refused = (why: string) => new OutboundFault('redirect', `${url.host} ${why}`);
  if (max === 0 || request.method !== 'GET') return refused(`redirects (${status}), which is not followed`);
  const { location } = headers;
  const target = typeof location === 'string' ? URL.parse(location, url.href) : null;
  if (target === null || !FOLLOWED.includes(status)) return refused(`redirects (${status}) without a valid target`);
  if (redirects >= max) return refused(`redirects more than ${max} times`);
  return isAllowed(url, target) ? target.href : refused(`redirects to ${target.host}, which is not allowed`);
}

/** Errors of certificates as OpenSSL names them, and of handshakes as Node does. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERROR_IN_|INVALID_|PATH_LENGTH_|HOSTNAME_)/;
const TIMEOUT_CODE = /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'was issued by an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'was issued by an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'was issued by an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'was issued by an authority that is not trusted here',
};

const CONNECTION_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENETUNREACH: 'cannot be reached from here',
  EHOSTUNREACH: 'cannot be reached from here',
  EADDRNOTAVAIL: 'cannot be reached from here',
  UND_ERR_HEADERS_OVERFLOW: 'sent response headers that are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent a response whose length differs from its content-length',
};

export function faultFrom(error: unknown, host: string): OutboundFault {
  if (error instanceof OutboundFault) return error;
  const code = codeOf(error);
  const options = { cause: error };
  if (TIMEOUT_CODE.test(code))
    return new OutboundFault('timeout', `${host} did not accept a connection in time`, options);
  if (TLS_CODE.test(code)) return new OutboundFault('tls', tlsMessage(code, host), options);
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return new OutboundFault('connection', `${host} sent invalid HTTP`, options);
  }
  const problem = CONNECTION_PROBLEMS[code] ?? 'closed the connection before its response was complete';
  return new OutboundFault('connection', `${host} ${problem}`, options);
}

const UNREACHABLE_CODE = /^(?:ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

/** Its name wasn't resolved, or no connection was made. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof OutboundFault ? error.reason === 'dns' : UNREACHABLE_CODE.test(codeOf(error));
}

function tlsMessage(code: string, host: string): string {
  const isHandshake = /^(?:ERR_SSL_|EPROTO$)/.test(code);
  if (isHandshake) return `the TLS handshake with ${host} failed`;
  return `the certificate of ${host} ${CERTIFICATE_PROBLEMS[code] ?? 'could not be verified'}`;
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors.at(-1)); // One error per address.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
