/**
 * Requests to upstreams (specification "Fetching"; decision 0072).
 *
 * An address that the operator's own `source.json` names may lie anywhere, also on this machine. One that an answer redirects to may
 * not: it is public, or in a network that the operator has allowed, and gets no header with a secret in it.
 */
import { Agent, type Dispatcher, request } from 'undici';
import type { OutboundFault } from '../../runtime/outbound/address-check.ts';
import { type AllowedNetwork, checkedLookup, checkUrl, parseNetwork } from '../../runtime/outbound/address-check.ts';
import { FOLLOWED, faultFrom, isUnreachable } from '../../runtime/outbound/exchange.ts';
import { lastingFault, passingFault, UpstreamFault } from './upstream-fault.ts';

export interface UpstreamRequest {
  readonly url: URL;
  /** To wherever the request goes. */
  readonly headers: Readonly<Record<string, string>>;
  /** To the origin of `url` alone. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** For everything: connecting, redirects, the whole body. */
  readonly timeoutMs: number;
}

export interface UpstreamResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Where it comes from. */
  readonly url: URL;
  /** As it arrives, still encoded; ends with an {@link UpstreamFault} where it is cut off. Leaving it closes the connection. */
  readonly body: AsyncIterable<Buffer>;
  /** Closes the connection of an answer whose body nobody reads. */
  readonly discard: () => void;
}

export interface UpstreamClientSettings {
  /** Networks to which answers may redirect although they are not public. */
  readonly allow: readonly AllowedNetwork[];
  readonly userAgent: string;
}

const REDIRECTS_MAX = 5;
/** Bytes of an answer's head. */
const HEAD_BYTES_MAX = 64 * 1024;
/** For a name to be resolved and a connection to be made. */
const CONNECT_MS_MAX = 15_000;
/** For a connection on which nothing arrives. */
const IDLE_MS_MAX = 60_000;

/**
 * Bytes of a body that may wait in memory to be written. Not less: a body that had to wait when its server closed the connection
 * ended the process (undici 7, nodejs/undici#5360).
 */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

const EVERYWHERE: readonly AllowedNetwork[] = [parseNetwork('0.0.0.0/0'), parseNetwork('::/0')];

/** The connections of one fetch. */
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

  /** Sends a GET and follows redirects; rejects with an {@link UpstreamFault} where no answer comes. */
  async get(asked: UpstreamRequest): Promise<UpstreamResponse> {
    const signal = AbortSignal.timeout(asked.timeoutMs);
    let url = asked.url;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#send(url, asked, signal);
      if (!FOLLOWED.includes(response.statusCode)) return responseFrom(response, url, { asked, signal });
      discard(response.body);
      if (redirects >= REDIRECTS_MAX) throw lastingFault(`${url.host} redirects more than ${REDIRECTS_MAX} times`);
      url = this.#targetOf(response, url, asked);
    }
  }

  async #send(url: URL, asked: UpstreamRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const isNamed = url.origin === asked.url.origin;
    const headers = { 'user-agent': this.#settings.userAgent, ...asked.headers };
    try {
      return await request(url, {
        dispatcher: isNamed ? this.#named : this.#redirected,
        headers: isNamed ? { ...headers, ...asked.secretHeaders } : headers,
        headersTimeout: IDLE_MS_MAX,
        bodyTimeout: IDLE_MS_MAX,
        highWaterMark: WAITING_BYTES_MAX,
        signal,
      });
    } catch (error) {
      throw upstreamFaultFrom(error, url, { asked, signal });
    }
  }

  #targetOf({ headers, statusCode }: Dispatcher.ResponseData, from: URL, { url: named }: UpstreamRequest): URL {
    const { location } = headers;
    const target = typeof location === 'string' ? URL.parse(location, from.href) : null;
    if (target === null) throw lastingFault(`${from.host} redirects (${statusCode}) to nowhere`);
    if (target.origin === named.origin && target.username === '' && target.password === '') return target;
    if (from.protocol === 'https:' && target.protocol !== 'https:') {
      throw lastingFault(`${from.host} redirects to ${target.host} without https`);
    }
    const checked = checkUrl(target.href, { allow: this.#settings.allow, protocols: ['https:', 'http:'] });
    if ('url' in checked) return checked.url;
    throw lastingFault(
      `${from.host} redirects to where nobody may be sent: ${checked.problem} (MODELSTATS_OUTBOUND_ALLOW)`,
    );
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
  readonly asked: UpstreamRequest;
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
    body: told(body, url, deadline),
    discard: () => discard(body),
  };
}

/** An error of a body that nobody wants is nobody's. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined).destroy();
}

/** A body whose errors are told in words for the operator. */
async function* told(body: Dispatcher.ResponseData['body'], url: URL, deadline: Deadline): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw upstreamFaultFrom(error, url, deadline);
  }
}

function upstreamFaultFrom(error: unknown, { host }: URL, { asked, signal }: Deadline): UpstreamFault {
  if (signal.aborted) return passingFault(`${host} did not answer whole within ${asked.timeoutMs / 1000} s`);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return passingFault(`${host} sent nothing for ${IDLE_MS_MAX / 1000} s`);
  }
  const { message, reason }: OutboundFault = faultFrom(error, host);
  return new UpstreamFault(message, { mayPass: reason !== 'blocked', isUnreachable: isUnreachable(error) });
}
