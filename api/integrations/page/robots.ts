import type { Outbound, OutboundFailure, OutboundProtocol } from '../../../runtime/outbound/outbound.ts';
import type { CheckReason } from '../integration.ts';
import { readInThread } from './read-in-thread.ts';

export interface RobotsDeps {
  readonly outbound: Pick<Outbound, 'request'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocols: readonly OutboundProtocol[];
  /** Time left for the next file. */
  readonly leftMs: () => number;
  readonly bytesMax: number;
  readonly isRedirectAllowed: (from: URL, to: URL) => boolean;
  readonly signal?: AbortSignal;
  /** Default: in a thread. */
  readonly read?: typeof readInThread;
}

/** Why a URL must not be fetched. */
export interface Refusal {
  readonly reason: CheckReason;
  readonly message: string;
  readonly status: number | undefined;
}

type File = { readonly body: Uint8Array } | { readonly refusal: Refusal } | 'none';

/** RFC 9309 requires at least five. */
const REDIRECTS_MAX = 5;

/** The `robots.txt` of each origin of a check, fetched once (specification "Checks of pages"). */
export class Robots {
  readonly #deps: RobotsDeps;
  readonly #files = new Map<string, Promise<File>>();

  constructor(deps: RobotsDeps) {
    this.#deps = deps;
  }

  /** Undefined: the URL may be fetched. */
  async findRefusal(url: string, agent: string): Promise<Refusal | undefined> {
    const { origin, host } = new URL(url);
    const robotsUrl = `${origin}/robots.txt`;
    const fetched = this.#files.get(origin) ?? this.#fetch(robotsUrl);
    this.#files.set(origin, fetched);
    const file = await fetched;
    if (file === 'none') return undefined;
    if ('refusal' in file) return file.refusal;
    const { signal, read = readInThread } = this.#deps;
    const isAllowed = await read({ kind: 'robots', body: file.body, robotsUrl, url, agent }, { signal });
    if (isAllowed === true) return undefined;
    const why = isAllowed === undefined ? 'takes too long to parse' : `does not allow ${agent} to fetch the page`;
    return { reason: 'BLOCKED', message: `the robots.txt of ${host} ${why}`, status: undefined };
  }

  /** A missing file allows everything; an unavailable one nothing. */
  async #fetch(url: string): Promise<File> {
    const { outbound, headers, protocols, leftMs, bytesMax, isRedirectAllowed, signal } = this.#deps;
    const response = await outbound.request({
      method: 'GET',
      url,
      headers: { ...headers, accept: 'text/plain' },
      timeoutMs: Math.max(1, leftMs()),
      responseBytesMax: bytesMax,
      protocols,
      signal,
      redirects: { max: REDIRECTS_MAX, isAllowed: isRedirectAllowed },
    });
    if (response.kind === 'failure') {
      if (response.reason === 'redirect') return 'none';
      return {
        refusal: { reason: reasonOf(response), message: `its robots.txt: ${response.message}`, status: undefined },
      };
    }
    const { status, body } = response;
    if (status >= 200 && status < 300) return { body };
    if (status < 500) return 'none';
    const message = `the robots.txt of ${new URL(url).host} responded with ${status}, so the page is not fetched`;
    return { refusal: { reason: 'HTTP_ERROR', message, status } };
  }
}

/** The reason of a check without a response. */
export function reasonOf({ reason }: Pick<OutboundFailure, 'reason'>): CheckReason {
  switch (reason) {
    case 'blocked':
      return 'BLOCKED';
    case 'timeout':
      return 'TIMEOUT';
    case 'tls':
    case 'dns':
    case 'connection':
    case 'redirect':
      return 'UNREACHABLE';
  }
}
