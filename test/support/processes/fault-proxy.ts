import { EventEmitter, on } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeServer, listenOnFreePort } from './servers.ts';

/** What goes wrong with one request. */
export type Fault =
  /** The server never hears of it; this is answered instead. */
  | { readonly is: 'answer'; readonly status: number; readonly code: string; readonly headers?: Record<string, string> }
  /** The connection breaks after so many bytes of the request's body; the server sees it break, too. */
  | { readonly is: 'request-cut'; readonly afterBytes: number }
  /** The server does it, and the connection breaks instead of bringing the answer. */
  | { readonly is: 'answer-lost' }
  /** The connection breaks after so many bytes of the answer's body. */
  | { readonly is: 'answer-cut'; readonly afterBytes: number }
  /** A bit of the answer's body changes after so many bytes; a shorter body passes as it is. */
  | { readonly is: 'answer-damaged'; readonly afterBytes: number }
  /** The server does it, and its answer comes so much later. */
  | { readonly is: 'answer-late'; readonly ms: number }
  /** This is done first, then all goes on as if nothing had been. */
  | { readonly is: 'after'; readonly work: () => Promise<unknown> }
  /** Nothing happens, and the connection stays open. */
  | { readonly is: 'silence' };

export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/** Stands between a client and an HTTP server, and lets go wrong what the plan says. */
export class FaultProxy {
  /** Asked for every request; undefined lets it pass. */
  plan: (request: ProxiedRequest) => Fault | undefined = () => undefined;
  /** All requests so far, in order: `PUT /bucket/key`. */
  readonly requests: string[] = [];
  readonly #arrivals = new EventEmitter<{ request: [ProxiedRequest] }>();
  endpoint = '';
  readonly #target: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((incoming, response) => void this.#handle(incoming, response));
  }

  static async start(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.endpoint = `http://127.0.0.1:${await listenOnFreePort(proxy.#server)}`;
    return proxy;
  }

  /** Lets the next requests that match go wrong, so many of them. */
  failNext(matches: (request: ProxiedRequest) => boolean, fault: Fault, times = 1): void {
    let left = times;
    this.plan = (proxied) => {
      if (left === 0 || !matches(proxied)) return undefined;
      left -= 1;
      return fault;
    };
  }

  /** Resolves when the next request arrives that matches, before it is passed on; rejects when the signal says so. */
  async arrival(matches: (request: ProxiedRequest) => boolean, signal: AbortSignal): Promise<void> {
    for await (const [proxied] of on(this.#arrivals, 'request', { signal })) if (matches(proxied)) return;
  }

  reset(): void {
    this.plan = () => undefined;
    this.requests.length = 0;
  }

  stop(): Promise<void> {
    this.#agent.destroy();
    return closeServer(this.#server);
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const proxied = { method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers };
    this.requests.push(`${proxied.method} ${proxied.url}`);
    this.#arrivals.emit('request', proxied);
    const fault = this.plan(proxied);
    incoming.on('error', () => undefined);
    if (fault?.is === 'after') await fault.work();
    if (fault?.is === 'silence') return;
    if (fault?.is === 'answer') {
      incoming.resume();
      respondWith(response, fault);
      return;
    }
    this.#forward(incoming, response, fault);
  }

  #forward(incoming: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
    const { hostname, port } = this.#target;
    const { method = '', url: path = '', headers } = incoming;
    // The host header stays the client's: it is signed.
    const outgoing = request({ hostname, port, method, path, headers, agent: this.#agent }, (reply) => {
      void passOn(reply, response, fault);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    if (fault?.is === 'request-cut') {
      incoming.pipe(cutting(fault.afterBytes, () => [outgoing, response].map((end) => end.destroy()))).pipe(outgoing);
    } else {
      incoming.pipe(outgoing);
    }
  }
}

async function passOn(reply: IncomingMessage, response: ServerResponse, fault: Fault | undefined): Promise<void> {
  if (fault?.is === 'answer-late') await sleep(fault.ms);
  if (fault?.is === 'answer-lost') {
    response.destroy();
    return;
  }
  response.writeHead(reply.statusCode ?? 500, reply.rawHeaders);
  reply.on('error', () => response.destroy());
  if (fault?.is === 'answer-cut') reply.pipe(cutting(fault.afterBytes, () => response.destroy())).pipe(response);
  else if (fault?.is === 'answer-damaged') reply.pipe(damaging(fault.afterBytes)).pipe(response);
  else reply.pipe(response);
}

function damaging(afterBytes: number): Transform {
  let position = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const index = afterBytes - position;
      position += chunk.length;
      const damaged = Buffer.from(chunk);
      if (index >= 0 && index < damaged.length) damaged[index] = (damaged[index] ?? 0) ^ 1;
      done(null, damaged);
    },
  });
}

/** Lets so many bytes through, then cuts once they had time to arrive. */
function cutting(afterBytes: number, cut: () => unknown): Transform {
  let left = afterBytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      this.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) done();
      else setTimeout(cut, 20);
    },
  });
}

function respondWith(response: ServerResponse, fault: Fault & { is: 'answer' }): void {
  const body = `<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>as planned</Message></Error>`;
  response.writeHead(fault.status, { 'content-type': 'application/xml', ...fault.headers });
  response.end(fault.status < 300 ? '' : body);
}
