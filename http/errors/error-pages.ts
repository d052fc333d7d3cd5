import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ErrorInfo, type ErrorTable, notFound } from './http-error.ts';

/** `/docs/errors/{code}`: the pages behind `help_url`, one for every code; `/docs/errors` lists them. */
export function addErrorPages(app: FastifyInstance, errors: ErrorTable): void {
  const folder = `${app.prefix}/docs/errors`;
  for (const path of ['/docs/errors', '/docs/errors/']) {
    app.get(path, async (_, reply) => sendPage(reply, { title: 'Error codes', body: indexOf(errors, folder) }));
  }
  app.get<{ Params: { code: string } }>('/docs/errors/:code', async (request, reply) => {
    const { code } = request.params;
    const info = Object.hasOwn(errors, code) ? errors[code] : undefined;
    if (info === undefined) throw notFound('code', 'There is no such error code');
    return sendPage(reply, { title: code, body: pageOf(code, info, folder) });
  });
}

function indexOf(errors: ErrorTable, folder: string): string {
  const rows = Object.entries(errors).map(([code, { status, title }]) => {
    return `<tr><td>${status}<td><a href="${folder}/${code}"><code>${code}</code></a><td>${title}`;
  });
  return `<h1>Error codes</h1>
<table>
${rows.join('\n')}
</table>
<p>Parameters that are missing or wrong have a body of their own, with status 422: <code>detail</code> lists every problem.</p>`;
}

function pageOf(code: string, { status, title, help }: ErrorInfo, folder: string): string {
  return `<h1><code>${code}</code></h1>
<p>HTTP status ${status}</p>
<p>${title}.</p>
<p>${help}</p>
<p><a href="${folder}">All error codes</a></p>`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:45em;margin:3em auto;padding:0 1em}
td{padding:.2em 1em .2em 0;vertical-align:top}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

function sendPage(reply: FastifyReply, { title, body }: { readonly title: string; readonly body: string }) {
  return reply
    .type('text/html; charset=utf-8')
    .headers(HEADERS)
    .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
${body}
</html>
`);
}
