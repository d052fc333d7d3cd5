import { type Dispatcher, errors } from 'undici';
import { OutboundFault } from './address-check.ts';

export type OutboundHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ExchangeOptions {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** For everything of which this exchange may be a part. */
  readonly timeoutMs: number;
  /** What is left of it. */
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

/** What became of one request: an answer, or why there is none and the status if that much had arrived. */
export type ExchangeResult = Exchanged | { readonly fault: OutboundFault; readonly status: number | undefined };

/**
 * One request and its answer. Resolves when the answer is whole, or cut, or when the time is over, wherever the request is then:
 * waiting for a connection, which it never gets any more, or under way, whose connection is closed. Rejects for what is no doing of
 * the network: an aborted `signal`, with its reason, or options that are wrong.
 */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions): Promise<ExchangeResult> {
  const { method, url, headers, body = null } = options;
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(options, { resolve, reject });
    const target = { origin: url.origin, path: url.pathname + url.search, method, headers, body };
    // The one deadline replaces the client's own, which would each begin anew.
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
    this.#timer = setTimeout(() => this.#giveUp(), options.leftMs);
    options.signal?.addEventListener('abort', this.#onAbort);
    if (options.signal?.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('over before it began'));
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
    // Copied, since the pieces hold on to the larger ones that came from the socket.
    this.#end(() => this.#ends.resolve({ status, headers, body: Buffer.concat(this.#chunks), isCut }));
    if (isCut) this.#controller?.abort(new Error('cut off'));
  }

  #giveUp(): void {
    const { url, timeoutMs } = this.#options;
    this.#fail(new OutboundFault('timeout', `${url.host} did not answer within ${timeoutMs / 1000} s`));
    this.#controller?.abort(new Error('given up'));
  }

  readonly #onAbort = (): void => {
    this.#end(() => this.#ends.reject(this.#options.signal?.reason));
    this.#controller?.abort(new Error('aborted'));
  };

  #fail(fault: OutboundFault): void {
    this.#end(() => this.#ends.resolve({ fault, status: this.#status }));
  }

  /** Does the first thing that it is asked to, and nothing after that. */
  #end(settle: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    settle();
  }
}

/** Such as a header with a line break: nothing was sent, and nobody but the caller can mend it. */
function isOurMistake(error: Error): boolean {
  return 'code' in error && (error.code === 'UND_ERR_INVALID_ARG' || error.code === 'UND_ERR_NOT_SUPPORTED');
}

export interface OutboundRedirects {
  readonly max: number;
  /** Asked for each, before it is followed. */
  readonly isAllowed: (from: URL, to: URL) => boolean;
}

/** Statuses of a redirect that a GET follows. */
export const FOLLOWED = [301, 302, 303, 307, 308];

export function isRedirect({ status }: Exchanged): boolean {
  return status >= 300 && status < 400;
}

/**
 * Where an answer redirects to, not checked yet, or why nobody goes there. A POST is never sent on: it was meant for the address that
 * was registered and verified.
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
    /** Followed so far. */
    readonly redirects: number;
  },
): string | OutboundFault {
  const { max, isAllowed } = request.redirects ?? { max: 0, isAllowed: () => false };
  const refused = (why: string) => new OutboundFault('redirect', `${url.host} ${why}`);
  if (max === 0 || request.method !== 'GET') return refused(`redirects (${status}), which is not followed`);
  const { location } = headers;
  const target = typeof location === 'string' ? URL.parse(location, url.href) : null;
  if (target === null || !FOLLOWED.includes(status)) return refused(`redirects (${status}) to nowhere`);
  if (redirects >= max) return refused(`redirects once more after ${max} redirects`);
  return isAllowed(url, target) ? target.href : refused(`redirects to ${target.host}, which is not allowed`);
}

/** OpenSSL's names for what can be wrong with a certificate, and Node's for a failed handshake. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERROR_IN_|INVALID_|PATH_LENGTH_|HOSTNAME_)/;
const TIMEOUT_CODE = /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes from an authority that is not trusted here',
};

const CONNECTION_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENETUNREACH: 'can not be reached from here',
  EHOSTUNREACH: 'can not be reached from here',
  EADDRNOTAVAIL: 'can not be reached from here',
  UND_ERR_HEADERS_OVERFLOW: 'sent a head that is too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent an answer of another length than it told',
};

/** What became of a request to a host, in our own words whatever the network and the HTTP client call it. */
export function faultFrom(error: unknown, host: string): OutboundFault {
  if (error instanceof OutboundFault) return error;
  const code = codeOf(error);
  const options = { cause: error };
  if (TIMEOUT_CODE.test(code))
    return new OutboundFault('timeout', `${host} did not accept a connection in time`, options);
  if (TLS_CODE.test(code)) return new OutboundFault('tls', tlsMessage(code, host), options);
  if (error instanceof errors.HTTPParserError) {
    return new OutboundFault('connection', `${host} sent what is no HTTP`, options);
  }
  const problem = CONNECTION_PROBLEMS[code] ?? 'closed the connection before its answer was whole';
  return new OutboundFault('connection', `${host} ${problem}`, options);
}

const UNREACHABLE_CODE = /^(?:ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

/** Whether a request came to no host at all: its name wasn't resolved, or no connection was made. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof OutboundFault ? error.reason === 'dns' : UNREACHABLE_CODE.test(codeOf(error));
}

function tlsMessage(code: string, host: string): string {
  const isHandshake = /^(?:ERR_SSL_|EPROTO$)/.test(code);
  if (isHandshake) return `no TLS connection with ${host} could be made`;
  return `the certificate of ${host} ${CERTIFICATE_PROBLEMS[code] ?? 'could not be verified'}`;
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors.at(-1)); // One error per address.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
