import { Agent } from 'undici';
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
 * The guard through which every request goes whose address a customer supplied (specification "Outbound requests").
 *
 * It guarantees: nothing is sent to an address that is neither public nor allowed, whatever the URL, the DNS or a redirect says;
 * certificates are verified; an answer ends within its time and takes no more memory than was granted. There is one per process,
 * since it keeps the connections.
 */

export interface OutboundSettings {
  /** Networks that may be reached although they are not public; see `parseNetwork`. */
  readonly allow: readonly AllowedNetwork[];
  readonly userAgent: string;
  /** Open connections per origin; requests beyond it wait, within their time. */
  readonly connectionsMax: number;
  /** For a name to be resolved and a connection to be made, TLS included. */
  readonly connectTimeoutMs: number;
  /** For an idle connection; a receiver that announces less is believed. */
  readonly keepAliveMs: number;
  /** For tests: how names are resolved, by the system unless given. */
  readonly resolveName?: ResolveName | undefined;
  /** For tests: the authorities (PEM) that are trusted in place of Node's own and `NODE_EXTRA_CA_CERTS`. No setting leads here. */
  readonly ca?: string | undefined;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** With `redirects` they go to each address on the way: nothing secret then. `user-agent` replaces the settings' own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
  /** For everything: waiting, resolving, connecting, sending, redirects, the whole answer. */
  readonly timeoutMs: number;
  /** So much of the answer's body is kept; beyond it the body is cut off, and the connection closed. */
  readonly responseBytesMax: number;
  /** None unless given. Only a GET is redirected. */
  readonly redirects?: OutboundRedirects | undefined;
  /** https alone unless given. */
  readonly protocols?: readonly OutboundProtocol[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundSuccess extends Exchanged {
  readonly kind: 'answer';
  /** Where it came from, behind all redirects. */
  readonly url: string;
  readonly durationMs: number;
}

export interface OutboundFailure {
  readonly kind: 'failure';
  readonly reason: OutboundReason;
  /** For whoever supplied the address: names hosts and their addresses, nothing of ours. */
  readonly message: string;
  /** Of the answer, where that much of it arrived. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

export type { AllowedNetwork, OutboundProtocol, OutboundReason, OutboundRedirects };

/** `status` of an answer is any but 3xx: those were followed, or are failures. */
export type OutboundResponse = OutboundSuccess | OutboundFailure;

/** Bytes of an answer's head. */
const HEAD_BYTES_MAX = 16 * 1024;
/** They belong to the connection, or to the guard. */
const RESERVED_HEADERS = new Set(['host', 'connection', 'transfer-encoding', 'content-length', 'accept-encoding']);

export class Outbound {
  readonly #settings: OutboundSettings;
  readonly #agent: Agent;
  readonly #inFlight = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(settings: OutboundSettings) {
    const { allow, connectionsMax, connectTimeoutMs, keepAliveMs, resolveName, ca } = settings;
    this.#settings = settings;
    this.#agent = new Agent({
      connections: connectionsMax,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      maxHeaderSize: HEAD_BYTES_MAX,
      connect: {
        lookup: checkedLookup(allow, resolveName),
        timeout: connectTimeoutMs,
        // Said here so that no environment and no option of Node can say otherwise.
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        ...(ca === undefined ? {} : { ca }),
      },
    });
  }

  /**
   * Sends a request and takes its answer. Whatever the network does, or the address is, becomes a value. Rejects where `signal` is
   * aborted, with its reason, and with an `Error` for mistakes of the caller: a header that is not theirs, a guard that is closed.
   */
  request(request: OutboundRequest): Promise<OutboundResponse> {
    const answered = this.#follow(request);
    this.#inFlight.add(answered);
    const forget = () => this.#inFlight.delete(answered);
    answered.then(forget, forget);
    return answered;
  }

  /** Waits for the requests under way, then closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#inFlight);
    await this.#agent.destroy();
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
      const leftMs = request.timeoutMs - (performance.now() - startMs);
      const result = await exchange(this.#agent, { ...request, url, headers, leftMs });
      if ('fault' in result) return failureFrom(result.fault, startMs, result.status);
      if (!isRedirect(result)) return responseFrom(result, url, startMs);
      const target = redirectTarget(result, { request, url, redirects });
      if (target instanceof OutboundFault) return failureFrom(target, startMs, result.status);
      checked = checkUrl(target, rules);
      if ('problem' in checked) checked = { problem: `${url.host} redirects, and then ${checked.problem}` };
    }
  }

  #headersOf({ headers = {} }: OutboundRequest): Readonly<Record<string, string>> {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const reserved = names.find((name) => RESERVED_HEADERS.has(name));
    if (reserved !== undefined) throw new Error(`the header ${reserved} is not the caller's to set`);
    // Compressed bodies are never unpacked, so a small one can't become a large one.
    const own = { 'accept-encoding': 'identity', ...headers };
    return names.includes('user-agent') ? own : { 'user-agent': this.#settings.userAgent, ...own };
  }
}

function responseFrom({ status, headers, body, isCut }: Exchanged, url: URL, startMs: number): OutboundSuccess {
  return { kind: 'answer', status, headers, body, isCut, url: url.href, durationMs: performance.now() - startMs };
}

function failureFrom({ reason, message }: OutboundFault, startMs: number, status?: number): OutboundFailure {
  return { kind: 'failure', reason, message, status, durationMs: performance.now() - startMs };
}
