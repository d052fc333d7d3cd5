import type { Agent } from 'undici';
import {
  type AllowedNetwork,
  checkedLookup,
  checkUrl,
  OutboundFault,
  type OutboundProtocol,
  type OutboundReason,
  type ResolveName,
} from './address-check.ts';
import { type Exchanged, exchange, isRedirect, type OutboundRedirects, redirectTarget } from './exchange.ts';

/**
 * Guards each request to an address that a customer supplied (specification "Outbound requests"). Guarantees: nothing
 * reaches an address that is neither public nor allowed, whatever URL, DNS or redirects say; certificates are verified;
 * a response is limited in time and bytes. One per process, since it holds the connections.
 */

export interface OutboundSettings {
  /** See `parseNetwork`. */
  readonly allow: readonly AllowedNetwork[];
  readonly userAgent: string;
  /** Per origin; further requests wait, within their timeout. */
  readonly connectionsMax: number;
  /** For resolving a name and connecting, TLS included. */
  readonly connectTimeoutMs: number;
  /** For an idle connection; a receiver may announce less. */
  readonly keepAliveMs: number;
  /** For tests. */
  readonly resolveName?: ResolveName | undefined;
  /** For tests: authorities (PEM) trusted instead of Node's own and `NODE_EXTRA_CA_CERTS`. No setting sets it. */
  readonly ca?: string | undefined;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /**
   * Sent to each redirect target too, so no secrets together with `redirects`. `user-agent` replaces that of the
   * settings.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
  /** For everything: waiting, resolving, connecting, sending, redirects, the whole response. */
  readonly timeoutMs: number;
  /** Beyond it the body is cut off and the connection closed. */
  readonly responseBytesMax: number;
  /** Default: none. Only GET follows redirects. */
  readonly redirects?: OutboundRedirects | undefined;
  readonly protocols?: readonly OutboundProtocol[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundSuccess extends Exchanged {
  readonly kind: 'response';
  readonly url: string;
  readonly durationMs: number;
}

export interface OutboundFailure {
  readonly kind: 'failure';
  readonly reason: OutboundReason;
  /** For the person who supplied the address: names hosts and their addresses, nothing internal. */
  readonly message: string;
  /** If that much arrived. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

export type { AllowedNetwork, OutboundProtocol, OutboundReason, OutboundRedirects };

/** `status` of a response is never 3xx: redirects are followed or fail. */
export type OutboundResponse = OutboundSuccess | OutboundFailure;

const HEAD_BYTES_MAX = 16 * 1024;
/** Set by the connection or by this guard. */
const RESERVED_HEADERS = new Set(['host', 'connection', 'transfer-encoding', 'content-length', 'accept-encoding']);

export class Outbound {
  readonly #settings: OutboundSettings;
  #agent: Promise<Agent> | undefined;
  readonly #inFlight = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(settings: OutboundSettings) {
    this.#settings = settings;
  }

  /**
   * Network trouble and bad addresses are values. Rejects for an aborted `signal`, with its reason, and with an `Error`
   * for mistakes of the caller: a reserved header, a closed guard.
   */
  request(request: OutboundRequest): Promise<OutboundResponse> {
    const response = this.#follow(request);
    this.#inFlight.add(response);
    const forget = () => this.#inFlight.delete(response);
    response.then(forget, forget);
    return response;
  }

  /** Waits for running requests, then closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#inFlight);
    await (await this.#agent)?.destroy();
  }

  async #follow(request: OutboundRequest): Promise<OutboundResponse> {
    if (this.#isClosed) throw new Error('outbound requests are closed');
    const startMs = performance.now();
    const headers = this.#headersOf(request);
    const rules = { allow: this.#settings.allow, protocols: request.protocols };
    let checked = checkUrl(request.url, rules);
    for (let redirects = 0; ; redirects += 1) {
      if ('problem' in checked) return failureFrom(new OutboundFault('blocked', checked.problem), startMs);
      const { url } = checked;
      this.#agent ??= openAgent(this.#settings);
      const agent = await this.#agent;
      const leftMs = request.timeoutMs - (performance.now() - startMs);
      const result = await exchange(agent, { ...request, url, headers, leftMs });
      if ('fault' in result) return failureFrom(result.fault, startMs, result.status);
      if (!isRedirect(result)) return responseFrom(result, url, startMs);
      const target = redirectTarget(result, { request, url, redirects });
      if (target instanceof OutboundFault) return failureFrom(target, startMs, result.status);
      checked = checkUrl(target, rules);
      if ('problem' in checked) checked = { problem: `${url.host} redirects to a refused URL: ${checked.problem}` };
    }
  }

  #headersOf({ headers = {} }: OutboundRequest): Readonly<Record<string, string>> {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const reserved = names.find((name) => RESERVED_HEADERS.has(name));
    if (reserved !== undefined) throw new Error(`the header ${reserved} can't be set by the caller`);
    // Compressed bodies are never unpacked, so a small one can't become large.
    const own = { 'accept-encoding': 'identity', ...headers };
    return names.includes('user-agent') ? own : { 'user-agent': this.#settings.userAgent, ...own };
  }
}

/** Loads undici with the first request: it takes 6 MB. */
async function openAgent(settings: OutboundSettings): Promise<Agent> {
  const { allow, connectionsMax, connectTimeoutMs, keepAliveMs, resolveName, ca } = settings;
  const undici = await import('undici');
  return new undici.Agent({
    connections: connectionsMax,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: HEAD_BYTES_MAX,
    connect: {
      lookup: checkedLookup(allow, resolveName),
      timeout: connectTimeoutMs,
      // Explicit, so that no environment or Node option can change it.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca }),
    },
  });
}

function responseFrom({ status, headers, body, isCut }: Exchanged, url: URL, startMs: number): OutboundSuccess {
  return { kind: 'response', status, headers, body, isCut, url: url.href, durationMs: performance.now() - startMs };
}

function failureFrom({ reason, message }: OutboundFault, startMs: number, status?: number): OutboundFailure {
  return { kind: 'failure', reason, message, status, durationMs: performance.now() - startMs };
}
