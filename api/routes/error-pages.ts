import type { FastifyInstance } from 'fastify';
import { API_ERRORS, isApiErrorCode } from '../../schemas/api-errors.ts';
import { notFound } from '../api-error.ts';

/** `/docs/errors/{code}`: the pages behind `help_url`, one for every code. */
export function addErrorPages(app: FastifyInstance): void {
  app.get<{ Params: { code: string } }>('/docs/errors/:code', { schema: { hide: true } }, async (request, reply) => {
    const { code } = request.params;
    if (!isApiErrorCode(code)) throw notFound('code', 'There is no such error code');
    return reply.type('text/html; charset=utf-8').send(pageOf(code));
  });
}

function pageOf(code: keyof typeof API_ERRORS): string {
  const { status, title, help } = API_ERRORS[code];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${code}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em}</style>
<h1><code>${code}</code></h1>
<p>HTTP status ${status}</p>
<p>${title}.</p>
<p>${help}</p>
</html>
`;
}
