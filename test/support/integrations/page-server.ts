import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { Outbound } from '../../../runtime/outbound/outbound.ts';
import { closeServer, listenOnFreePort } from '../processes/servers.ts';
import { LOOPBACK, OUTBOUND_SETTINGS } from '../server/outbound-settings.ts';

/** What a page answers: HTML, or all of it, or something that takes the connection itself. */
export type PageResponse =
  | string
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
    }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** The web sites of customers, on this machine: whatever the host, what is asked for is looked up here. */
export type PageServer = Awaited<ReturnType<typeof usePages>>;

/** A server of web sites, until the test is over. Nothing of it is encrypted: that is the guard's to see, and tested there. */
export async function usePages() {
  /** By `host/path`, without the port; what isn't here is 404. */
  const pages = new Map<string, PageResponse>();
  const requests: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const host = String(request.headers.host).replace(/:\d+$/, '');
    const url = `${host}${request.url}`;
    requests.push({ url, headers: request.headers });
    const answer = pages.get(url) ?? { status: 404, body: 'not here' };
    if (typeof answer === 'function') return answer(request, response);
    const { status = 200, headers = {}, body = '' } = typeof answer === 'string' ? { body: answer } : answer;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  const port = await listenOnFreePort(server);
  onTestFinished(() => closeServer(server));
  return {
    pages,
    requests,
    /** The address of a page, over http and with the port. */
    urlOf: (page: string) => `http://${page.replace('/', `:${port}/`)}`,
  };
}

/** A guard for which every name leads to this machine, until the test is over. */
export function useOutbound(): Outbound {
  const resolveName = async () => [{ address: '127.0.0.1', family: 4 }];
  const outbound = new Outbound({ ...OUTBOUND_SETTINGS, allow: LOOPBACK, resolveName });
  onTestFinished(() => outbound.close());
  return outbound;
}
