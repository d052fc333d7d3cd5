/**
 * Requests to upstreams (specification "Fetching"; decision 0072).
 *
 * URLs in the operator's own `source.json` may have any address, also on this machine. Redirect targets must be public
 * or in a network that the operator allowed, and get no header with a secret.
 */
import { Agent, type Dispatcher, request } from 'undici';
import type { OutboundFault } from '../../runtime/outbound/address-check.ts';
import { type AllowedNetwork, checkedLookup, checkUrl, parseNetwork } from '../../runtime/outbound/address-check.ts';
import { FOLLOWED, faultFrom, isUnreachable } from '../../runtime/outbound/exchange.ts';
import { lastingFault, passingFault, UpstreamFault } from './upstream-fault.ts';

export interface UpstreamRequest {
  readonly url: URL;
  /** Sent also to redirect targets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent only to the origin of `url`. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** For everything: connecting, redirects, the body. */
  readonly timeoutMs: number;
}

export interface UpstreamResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** After redirects. */
  readonly url: URL;
  /** Still encoded; throws an {@link UpstreamFault} where it is cut off. Leaving the loop closes the connection. */
  readonly body: AsyncIterable<Buffer>;
  /** Closes the connection without reading the body. */
  readonly discard: () => void;
}

export interface UpstreamClientSettings {
  /** Private networks that responses may redirect to. */
  readonly allow: readonly AllowedNetwork[];
  readonly userAgent: string;
}

const REDIRECTS_MAX = 5;
/** Of a response's head. */
const HEAD_BYTES_MAX = 64 * 1024;
/** For resolving a name and connecting. */
const CONNECT_MS_MAX = 15_000;
/** For a connection on which nothing arrives. */
const IDLE_MS_MAX = 60_000;

/**
 * Bytes of a body buffered before writing. Not less: a body that had to wait when its server closed the connection
 * ended the process (undici 7, nodejs/undici#5360).
 */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

const EVERYWHERE: readonly AllowedNetwork[] = [parseNetwork('0.0.0.0/0'), parseNetwork('::/0')];

export class UpstreamClient {
  readonly #settings: UpstreamClientSettings;
  readonly #named: Agent;
  readonly #redirected: Agent;

  constructor(settings: UpstreamClientSettings) {
    this.#settings = settings;
    this.#named = agentFor(EVERYWHERE);
    this.#redirected = agentFor(settings.allow);
  }

  async close(): Promise<void> {
    await Promise.all([this.#named.destroy(), this.#redirected.destroy()]);
  }

  /** Follows redirects; rejects with an {@link UpstreamFault} without a response. */
  async get(original: UpstreamRequest): Promise<UpstreamResponse> {
    const signal = AbortSignal.timeout(original.timeoutMs);
    let url = original.url;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#send(url, original, signal);
      if (!FOLLOWED.includes(response.statusCode)) return responseFrom(response, url, { original, signal });
      discard(response.body);
      if (redirects >= REDIRECTS_MAX) throw lastingFault(`${url.host} redirects more than ${REDIRECTS_MAX} times`);
      url = this.#targetOf(response, url, original);
    }
  }

  async #send(url: URL, original: UpstreamRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const isNamed = url.origin === original.url.origin;
    const headers = { 'user-agent': this.#settings.userAgent, ...original.headers };
    try {
      return await request(url, {
        dispatcher: isNamed ? this.#named : this.#redirected,
        headers: isNamed ? { ...headers, ...original.secretHeaders } : headers,
        headersTimeout: IDLE_MS_MAX,
        bodyTimeout: IDLE_MS_MAX,
        highWaterMark: WAITING_BYTES_MAX,
        signal,
      });
    } catch (error) {
      throw upstreamFaultFrom(error, url, { original, signal });
    }
  }

  #targetOf({ headers, statusCode }: Dispatcher.ResponseData, from: URL, { url: named }: UpstreamRequest): URL {
    const { location } = headers;
    const target = typeof location === 'string' ? URL.parse(location, from.href) : null;
    if (target === null) throw lastingFault(`${from.host} redirects (${statusCode}) without a valid address`);
    if (target.origin === named.origin && target.username === '' && target.password === '') return target;
    if (from.protocol === 'https:' && target.protocol !== 'https:') {
      throw lastingFault(`${from.host} redirects to ${target.host} without https`);
    }
    const checked = checkUrl(target.href, { allow: this.#settings.allow, protocols: ['https:', 'http:'] });
    if ('url' in checked) return checked.url;
    throw lastingFault(`${from.host} redirects to a refused address: ${checked.problem} (MODELSTATS_OUTBOUND_ALLOW)`);
  }
}

function agentFor(allow: readonly AllowedNetwork[]): Agent {
  return new Agent({
    pipelining: 1,
    maxHeaderSize: HEAD_BYTES_MAX,
    connect: { lookup: checkedLookup(allow), timeout: CONNECT_MS_MAX, rejectUnauthorized: true, minVersion: 'TLSv1.2' },
  });
}

interface Deadline {
  readonly original: UpstreamRequest;
  readonly signal: AbortSignal;
}

function responseFrom(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  url: URL,
  deadline: Deadline,
): UpstreamResponse {
  const single = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return {
    status: statusCode,
    headers: Object.fromEntries(single),
    url,
    body: withFaults(body, url, deadline),
    discard: () => discard(body),
  };
}

/** Errors of an unread body are ignored. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined).destroy();
}

/** Errors of the body become {@link UpstreamFault}s. */
async function* withFaults(
  body: Dispatcher.ResponseData['body'],
  url: URL,
  deadline: Deadline,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw upstreamFaultFrom(error, url, deadline);
  }
}

function upstreamFaultFrom(error: unknown, { host }: URL, { original, signal }: Deadline): UpstreamFault {
  if (signal.aborted) return passingFault(`${host} did not respond completely within ${original.timeoutMs / 1000} s`);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return passingFault(`${host} sent nothing for ${IDLE_MS_MAX / 1000} s`);
  }
  const { message, reason }: OutboundFault = faultFrom(error, host);
  return new UpstreamFault(message, { mayPass: reason !== 'blocked', isUnreachable: isUnreachable(error) });
}
