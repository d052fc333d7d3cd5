import type { Outbound, OutboundSuccess } from '../../../runtime/outbound/outbound.ts';
import type { CheckReason, Evidence, Found } from '../integration.ts';
import type { LookAtPage } from '../integrations.ts';
import { registrableDomain, siteOf } from '../site.ts';
import { readInThread } from './read-in-thread.ts';
import { Robots, reasonOf } from './robots.ts';

export interface LookDeps {
  /** Every request of a check goes through the guard. */
  readonly outbound: Pick<Outbound, 'request'>;
  /** Of the service, with its base path. */
  readonly publicUrl: string;
  readonly toolVersion: string;
  /** Ends what is under way. */
  readonly signal?: AbortSignal;
  /** Default: {@link LOOK_LIMITS}. */
  readonly limits?: LookLimits;
  /** Reads what strangers sent. Default: in a thread of its own. */
  readonly read?: typeof readInThread;
}

/** What a check may take (specification "Checks of pages"). */
export const LOOK_LIMITS = {
  /** For the page, all redirects included. */
  pageTimeoutMs: 10_000,
  /** For a `robots.txt`. */
  robotsTimeoutMs: 5_000,
  /** For everything but reading. */
  timeoutMs: 20_000,
  pageBytesMax: 1024 * 1024,
  robotsBytesMax: 500 * 1024,
  redirectsMax: 3,
};
export type LookLimits = Readonly<typeof LOOK_LIMITS>;

/** Plain http is fetched, too: what is looked for is public, and nothing secret is sent. */
const PROTOCOLS = ['https:', 'http:'] as const;
/** By which group of a `robots.txt` the checker goes. */
const AGENT = 'modelstats-check';

/** What every request of a check is sent with: who asks, and where that can be read about. */
function checkHeaders({ publicUrl, toolVersion }: Pick<LookDeps, 'publicUrl' | 'toolVersion'>) {
  return {
    'user-agent': `${AGENT}/${toolVersion} (+${new URL(publicUrl).href})`,
    accept: 'text/html,application/xhtml+xml',
  };
}

/** A look at pages through the guard. */
export function pageLooker(deps: LookDeps): LookAtPage {
  return (page) => new Look(page, deps).run();
}

type Where = { readonly url: string; readonly status?: number | undefined };

/** One check, from its first request to what is told of it. */
class Look {
  readonly #page: Parameters<LookAtPage>[0];
  readonly #deps: LookDeps;
  readonly #limits: LookLimits;
  readonly #robots: Robots;
  readonly #startMs = performance.now();

  constructor(page: Parameters<LookAtPage>[0], deps: LookDeps) {
    this.#page = page;
    this.#deps = deps;
    this.#limits = deps.limits ?? LOOK_LIMITS;
    const leftMs = () => Math.min(this.#limits.robotsTimeoutMs, this.#leftMs());
    const bytesMax = this.#limits.robotsBytesMax;
    this.#robots = new Robots({
      ...deps,
      headers: checkHeaders(deps),
      protocols: PROTOCOLS,
      leftMs,
      bytesMax,
      mayGoOn: mayRobotsGoOn,
    });
  }

  async run(): Promise<Evidence> {
    let { url } = this.#page;
    let pageMs = 0;
    for (let redirects = 0; ; redirects += 1) {
      const refusal = await this.#robots.findRefusal(url, AGENT);
      if (refusal !== undefined) return this.#tell(refusal.reason, refusal.message, { url, status: refusal.status });
      const timeoutMs = Math.min(this.#limits.pageTimeoutMs - pageMs, this.#leftMs());
      if (timeoutMs <= 0) return this.#tell('TIMEOUT', `${new URL(url).host} did not answer in time`, { url });
      const { response, target } = await this.#request(url, timeoutMs);
      pageMs += response.durationMs;
      if (response.kind === 'response') return this.#judge(response);
      const where = { url, status: response.status };
      if (target === undefined) return this.#tell(reasonOf(response), response.message, where);
      const problem = findRedirectProblem(new URL(url), target, this.#page.domain);
      if (problem !== undefined) return this.#tell('NOT_FOUND', problem, where);
      if (redirects >= this.#limits.redirectsMax)
        return this.#tell('NOT_FOUND', `the page redirects more than ${this.#limits.redirectsMax} times`, where);
      target.hash = '';
      url = target.href;
    }
  }

  /** One request, and where it is redirected to: whether that may be fetched is asked before it is. */
  async #request(url: string, timeoutMs: number) {
    const { outbound, signal } = this.#deps;
    let target: URL | undefined;
    const response = await outbound.request({
      method: 'GET',
      url,
      headers: checkHeaders(this.#deps),
      timeoutMs,
      responseBytesMax: this.#limits.pageBytesMax,
      protocols: PROTOCOLS,
      signal,
      redirects: {
        max: 1,
        isAllowed: (_, to) => {
          target = to;
          return false;
        },
      },
    });
    return { response, target: target as URL | undefined }; // It was set while the request was under way.
  }

  async #judge({ url, status, headers, body, isCut }: OutboundSuccess): Promise<Evidence> {
    const { host } = new URL(url);
    const where = { url, status };
    if (status < 200 || status >= 300) return this.#tell('HTTP_ERROR', `${host} answers ${status}`, where);
    const contentType = textOf(headers['content-type']);
    if (!/^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType))
      return this.#tell('NOT_FOUND', `the page is no HTML: its type is ${shown(contentType)}`, where);
    const encoding = textOf(headers['content-encoding']);
    if (encoding !== '' && encoding.toLowerCase() !== 'identity')
      return this.#tell('NOT_FOUND', `the page is packed (${shown(encoding)}), though that was not asked for`, where);
    const { publicUrl, signal, read = readInThread } = this.#deps;
    const shownSource = await read(
      { kind: 'page', body, contentType, url, publicUrl, organizationId: this.#page.organizationId },
      { signal },
    );
    if (shownSource === undefined) return this.#tell('NOT_FOUND', 'the page takes too long to be read', where);
    const { found, almost } = shownSource;
    if (found !== undefined) return this.#tell('FOUND', wordsFor(found), where, found);
    const nothing = `the page shows neither a link to ${publicUrl} nor its badge inside a link`;
    const part = isCut ? `, as far as its first ${this.#limits.pageBytesMax / 1024} KiB tell` : '';
    return this.#tell('NOT_FOUND', `${almost ?? nothing}${part}`, where);
  }

  #tell(reason: CheckReason, message: string, { url, status }: Where, found: Found | null = null): Evidence {
    const durationMs = performance.now() - this.#startMs;
    return { reason, message, status: status ?? null, finalUrl: status === undefined ? null : url, found, durationMs };
  }

  #leftMs(): number {
    return this.#limits.timeoutMs - (performance.now() - this.#startMs);
  }
}

/** Redirects stay within the site, and never lead from https back to http. */
function findRedirectProblem(from: URL, to: URL, site: string): string | undefined {
  if (siteOf(to) !== site) {
    const target = isSameDomain(from, to) ? (siteOf(to) ?? to.host) : to.host;
    return `the page redirects to ${target}, which is another site than ${site}`;
  }
  if (isDowngrade(from, to)) return `${from.host} redirects from https to http`;
  return undefined;
}

/** A `robots.txt` is its host's, whoever owns the pages of it. */
function mayRobotsGoOn(from: URL, to: URL): boolean {
  return isSameDomain(from, to) && !isDowngrade(from, to);
}

function isSameDomain(from: URL, to: URL): boolean {
  return registrableDomain(to.hostname) === registrableDomain(from.hostname);
}

function isDowngrade(from: URL, to: URL): boolean {
  return from.protocol === 'https:' && to.protocol !== 'https:';
}

function wordsFor({ kind, href, text }: Found): string {
  const words = text === '' ? '' : ` (${text})`;
  switch (kind) {
    case 'link':
      return `a link to ${href}${words}`;
    case 'badge':
      return `the badge in a link to ${href}`;
    case 'embed':
      return `a frame with ${href}`;
  }
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header?.[0] ?? '');
}

function shown(text: string): string {
  return text === '' ? 'not told' : text.slice(0, 100);
}
