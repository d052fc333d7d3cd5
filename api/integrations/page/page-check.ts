import type { Outbound, OutboundSuccess } from '../../../runtime/outbound/outbound.ts';
import type { CheckReason, Evidence, Found } from '../integration.ts';
import type { CheckPage } from '../integrations.ts';
import { registrableDomain, siteOf } from '../site.ts';
import { readInThread } from './read-in-thread.ts';
import { Robots, reasonOf } from './robots.ts';

export interface PageCheckDeps {
  /** Guards every request. */
  readonly outbound: Pick<Outbound, 'request'>;
  /** Of the service, including its base path. */
  readonly publicUrl: string;
  readonly toolVersion: string;
  /** Aborts the check. */
  readonly signal?: AbortSignal;
  /** Default: {@link PAGE_LIMITS}. */
  readonly limits?: PageLimits;
  /** Parses untrusted content. Default: in a thread. */
  readonly read?: typeof readInThread;
}

/** Limits of a check (specification "Checks of pages"). */
export const PAGE_LIMITS = {
  /** For the page including redirects. */
  pageTimeoutMs: 10_000,
  /** For a `robots.txt`. */
  robotsTimeoutMs: 5_000,
  /** For everything but parsing. */
  timeoutMs: 20_000,
  pageBytesMax: 1024 * 1024,
  robotsBytesMax: 500 * 1024,
  redirectsMax: 3,
};
export type PageLimits = Readonly<typeof PAGE_LIMITS>;

/** Also plain http, since the link is public and no secret is sent. */
const PROTOCOLS = ['https:', 'http:'] as const;
/** User agent in `robots.txt`. */
const AGENT = 'modelstats-check';

/** Identifies the checker, with a URL for more information. */
function checkHeaders({ publicUrl, toolVersion }: Pick<PageCheckDeps, 'publicUrl' | 'toolVersion'>) {
  return {
    'user-agent': `${AGENT}/${toolVersion} (+${new URL(publicUrl).href})`,
    accept: 'text/html,application/xhtml+xml',
  };
}

export function pageChecker(deps: PageCheckDeps): CheckPage {
  return (page) => new PageCheck(page, deps).run();
}

type Fetched = { readonly url: string; readonly status?: number | undefined };

/** One check. */
class PageCheck {
  readonly #page: Parameters<CheckPage>[0];
  readonly #deps: PageCheckDeps;
  readonly #limits: PageLimits;
  readonly #robots: Robots;
  readonly #startMs = performance.now();

  constructor(page: Parameters<CheckPage>[0], deps: PageCheckDeps) {
    this.#page = page;
    this.#deps = deps;
    this.#limits = deps.limits ?? PAGE_LIMITS;
    const leftMs = () => Math.min(this.#limits.robotsTimeoutMs, this.#leftMs());
    const bytesMax = this.#limits.robotsBytesMax;
    this.#robots = new Robots({
      ...deps,
      headers: checkHeaders(deps),
      protocols: PROTOCOLS,
      leftMs,
      bytesMax,
      isRedirectAllowed: isRobotsRedirectAllowed,
    });
  }

  async run(): Promise<Evidence> {
    let { url } = this.#page;
    let pageMs = 0;
    for (let redirects = 0; ; redirects += 1) {
      const refusal = await this.#robots.findRefusal(url, AGENT);
      if (refusal !== undefined)
        return this.#evidence(refusal.reason, refusal.message, { url, status: refusal.status });
      const timeoutMs = Math.min(this.#limits.pageTimeoutMs - pageMs, this.#leftMs());
      if (timeoutMs <= 0) return this.#evidence('TIMEOUT', `${new URL(url).host} did not respond in time`, { url });
      const { response, target } = await this.#request(url, timeoutMs);
      pageMs += response.durationMs;
      if (response.kind === 'response') return this.#judge(response);
      const where = { url, status: response.status };
      if (target === undefined) return this.#evidence(reasonOf(response), response.message, where);
      const problem = findRedirectProblem(new URL(url), target, this.#page.domain);
      if (problem !== undefined) return this.#evidence('NOT_FOUND', problem, where);
      if (redirects >= this.#limits.redirectsMax)
        return this.#evidence('NOT_FOUND', `the page redirects more than ${this.#limits.redirectsMax} times`, where);
      target.hash = '';
      url = target.href;
    }
  }

  /** Returns the redirect's target, which is only fetched after further checks. */
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
    return { response, target: target as URL | undefined }; // Assigned by the callback.
  }

  async #judge({ url, status, headers, body, isCut }: OutboundSuccess): Promise<Evidence> {
    const { host } = new URL(url);
    const where = { url, status };
    if (status < 200 || status >= 300) return this.#evidence('HTTP_ERROR', `${host} responded with ${status}`, where);
    const contentType = textOf(headers['content-type']);
    if (!/^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType))
      return this.#evidence('NOT_FOUND', `the page is not HTML: its content type is ${shown(contentType)}`, where);
    const encoding = textOf(headers['content-encoding']);
    if (encoding !== '' && encoding.toLowerCase() !== 'identity')
      return this.#evidence('NOT_FOUND', `the page is compressed (${shown(encoding)}), which was not requested`, where);
    const { publicUrl, signal, read = readInThread } = this.#deps;
    const evidence = await read(
      { kind: 'page', body, contentType, url, publicUrl, organizationId: this.#page.organizationId },
      { signal },
    );
    if (evidence === undefined) return this.#evidence('NOT_FOUND', 'the page takes too long to parse', where);
    const { found, almost } = evidence;
    if (found !== undefined) return this.#evidence('FOUND', describeFound(found), where, found);
    const nothing = `the page shows neither a link to ${publicUrl} nor its badge inside a link`;
    const part = isCut ? ` (only its first ${this.#limits.pageBytesMax / 1024} KiB were read)` : '';
    return this.#evidence('NOT_FOUND', `${almost ?? nothing}${part}`, where);
  }

  #evidence(reason: CheckReason, message: string, { url, status }: Fetched, found: Found | null = null): Evidence {
    const durationMs = performance.now() - this.#startMs;
    return { reason, message, status: status ?? null, finalUrl: status === undefined ? null : url, found, durationMs };
  }

  #leftMs(): number {
    return this.#limits.timeoutMs - (performance.now() - this.#startMs);
  }
}

/** Redirects must stay on the site and never downgrade to http. */
function findRedirectProblem(from: URL, to: URL, site: string): string | undefined {
  if (siteOf(to) !== site) {
    const target = isSameDomain(from, to) ? (siteOf(to) ?? to.host) : to.host;
    return `the page redirects to ${target}, which is a different site from ${site}`;
  }
  if (isDowngrade(from, to)) return `${from.host} redirects from https to http`;
  return undefined;
}

/** A `robots.txt` applies to its whole host, not to a site. */
function isRobotsRedirectAllowed(from: URL, to: URL): boolean {
  return isSameDomain(from, to) && !isDowngrade(from, to);
}

function isSameDomain(from: URL, to: URL): boolean {
  return registrableDomain(to.hostname) === registrableDomain(from.hostname);
}

function isDowngrade(from: URL, to: URL): boolean {
  return from.protocol === 'https:' && to.protocol !== 'https:';
}

function describeFound({ kind, href, text }: Found): string {
  const label = text === '' ? '' : ` (${text})`;
  switch (kind) {
    case 'link':
      return `a link to ${href}${label}`;
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
  return text === '' ? 'missing' : text.slice(0, 100);
}
