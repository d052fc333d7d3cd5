import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Asset, bindAsset } from '../assets.ts';
import type { MissingPage } from '../errors/error-handling.ts';
import { type ErrorInfo, type ErrorTable, HttpError, notFound } from '../errors/http-error.ts';
import { isPathBelow } from '../request-checks.ts';
import { HTML_TYPE, type ResponseHeaders } from '../response-headers.ts';
import { ICON, ICON_TYPE } from './styles.ts';

export interface ErrorPage {
  readonly title: string;
  /** Including the base path. */
  readonly path: string;
  /** HTML of the content. */
  readonly body: string;
}

/** Renders a whole page, with its headers. */
export type ShowErrorPage = (page: ErrorPage) => Promise<{ readonly html: string; readonly headers: ResponseHeaders }>;

/**
 * `/docs/errors/{code}`, the pages behind `help_url`, and their list `/docs/errors`; each is rendered once, when requested.
 * @param show default: plain
 */
export function addErrorPages(app: FastifyInstance, errors: ErrorTable, show: ShowErrorPage = showPlainly): void {
  const folder = `${app.prefix}/docs/errors`;
  const assets = new Map<string, Asset>();
  const assetOf = async (page: ErrorPage) => {
    const known = assets.get(page.path);
    if (known !== undefined) return known;
    const { html, headers } = await show(page);
    const asset = new Asset(HTML_TYPE, Buffer.from(html), headers);
    assets.set(page.path, asset);
    return asset;
  };
  bindAsset(app, ['/docs/errors', '/docs/errors/'], () =>
    assetOf({ title: 'Error codes', path: folder, body: indexOf(errors, folder) }),
  );
  bindAsset(app, ['/docs/errors/:code'], ({ params }) => {
    const { code } = Object(params);
    const info = Object.hasOwn(errors, code) ? errors[code] : undefined;
    if (info === undefined) throw notFound('code', 'There is no such error code');
    return assetOf({ title: code, path: `${folder}/${code}`, body: pageOf(code, info, folder) });
  });
}

function indexOf(errors: ErrorTable, folder: string): string {
  const rows = Object.entries(errors).map(([code, { status, title }]) => {
    return `<tr><td>${status}</td><td><a href="${folder}/${code}"><code>${code}</code></a></td><td>${title}</td></tr>`;
  });
  return `<h1>Error codes</h1>
<div class="table" tabindex="0">
<table>
<thead><tr><th>Status</th><th>Code</th><th>When</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
<p>Missing or invalid parameters return status 422 and a different body: <code>detail</code> lists every problem.</p>`;
}

function pageOf(code: string, { status, title, help }: ErrorInfo, folder: string): string {
  return `<h1><code>${code}</code></h1>
<p>HTTP status ${status}</p>
<p>${title}.</p>
<p>${help}</p>
<p><a href="${folder}">All error codes</a></p>`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:45em;margin:3em auto;padding:0 1em}
th,td{padding:.2em 1em .2em 0;text-align:left;vertical-align:top}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

const showPlainly: ShowErrorPage = async ({ title, path, body }) => ({
  headers: HEADERS,
  html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" type="${ICON_TYPE}" href="${path.slice(0, path.lastIndexOf('/docs/errors'))}${ICON}">
<style>${STYLE}</style>
${body}
</html>
`,
});

/** Renders a 404 page for people; undefined: the error envelope. */
export type ShowMissing = (request: FastifyRequest) => Promise<MissingPage | undefined>;

/** 404 pages by folder. */
export class MissingPages {
  readonly #shown = new Map<string, ShowMissing>();

  /** @param folder including the base path */
  add(folder: string, show: ShowMissing): void {
    this.#shown.set(folder, show);
  }

  /** The page for an error; undefined if it is no 404, the folder has none, or the client is a program. */
  find(thrown: unknown, request: FastifyRequest): Promise<MissingPage | undefined> | undefined {
    const { method, url, headers } = request;
    if (!(thrown instanceof HttpError) || thrown.code !== 'not_found') return undefined;
    if ((method !== 'GET' && method !== 'HEAD') || !prefersHtml(headers.accept)) return undefined;
    for (const [folder, show] of this.#shown) if (isPathBelow(folder, url)) return show(request);
    return undefined;
  }
}

/** A range of `Accept` (RFC 9110 §12.5.1). */
interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

/**
 * Whether `Accept` prefers a page to JSON, as browsers do: it names `text/html`, and JSON with less weight or, at equal
 * weight, later. Programs send `*` or nothing.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').map(rangeFrom);
  const rangeOf = (...types: readonly string[]) =>
    types.map((type) => ranges.find((range) => range.type === type)).find((range) => range !== undefined);
  const [html, json] = [rangeOf('text/html'), rangeOf('application/json', 'application/*', '*/*')];
  if (html === undefined || html.weight === 0) return false;
  if (json === undefined || html.weight !== json.weight) return html.weight > (json?.weight ?? 0);
  return ranges.indexOf(html) < ranges.indexOf(json);
}

function rangeFrom(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
