import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a page answers: HTML, or all of it, or something that takes the connection itself. */
export type PageAnswer =
  | string
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
    }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface PageRequest {
  /** `host/path`, without the port. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The web sites of customers, on this machine: whatever the host, what is asked for is looked up here. */
export interface PageServer {
  readonly port: number;
  /** By `host/path`; what isn't here is 404. */
  readonly pages: Map<string, PageAnswer>;
  readonly requests: PageRequest[];
  /** The address of a page, over http and with the port. */
  urlOf(page: string): string;
  close(): Promise<void>;
}

/** A server of web sites. Nothing of it is encrypted: that is the guard's to see, and tested there. */
export async function startPages(): Promise<PageServer> {
  const pages = new Map<string, PageAnswer>();
  const requests: PageRequest[] = [];
  const server = createServer((request, response) => {
    const host = String(request.headers.host).replace(/:\d+$/, '');
    const url = `${host}${request.url}`;
    requests.push({ url, headers: request.headers });
    const answer = pages.get(url) ?? { status: 404, body: 'not here' };
    if (typeof answer === 'function') return answer(request, response);
    const { status = 200, headers = {}, body = '' } = typeof answer === 'string' ? { body: answer } : answer;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of TCP, as it listens to one.
  return {
    port,
    pages,
    requests,
    urlOf: (page) => `http://${page.replace('/', `:${port}/`)}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** {@link startPages}, until the test is over. */
export async function usePages(): Promise<PageServer> {
  const pages = await startPages();
  onTestFinished(() => pages.close());
  return pages;
}
