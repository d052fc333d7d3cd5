import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { closeServer, listenOnFreePort } from '../processes/servers.ts';

/** Answers in place of the file. */
export type Fault = (response: ServerResponse, file: Buffer, request: IncomingMessage) => void;

export interface ServedOptions {
  /** In which it is sent where the request takes it. */
  readonly encoding?: 'gzip' | 'br';
  readonly type?: string;
}

interface Served extends ServedOptions {
  readonly content: Buffer;
}

/** An upstream on loopback, for tests: files with tags, and whatever can go wrong. */
export class UpstreamServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  readonly #files = new Map<string, Served>();
  readonly #faults = new Map<string, Fault[]>();
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on('request', (request, response) => this.#response(request, response));
  }

  static async start(): Promise<UpstreamServer> {
    const server = createServer();
    return new UpstreamServer(server, await listenOnFreePort(server));
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  /** @param path begins with a slash; without its query */
  serve(path: string, content: string | Buffer | object, options: ServedOptions = {}): void {
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    this.#files.set(path, { content: Buffer.from(isRaw ? content : JSON.stringify(content)), ...options });
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  /** The next requests for a path get these, one each. */
  break(path: string, ...faults: readonly Fault[]): void {
    this.#faults.set(path, [...faults]);
  }

  breakForGood(path: string, fault: Fault): void {
    this.#faults.set(path, Array(1000).fill(fault));
  }

  /** The paths that were asked for, and forgets them. */
  takeSeen(): readonly string[] {
    return this.seen.splice(0).map(({ path }) => path);
  }

  #response(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    this.seen.push({ path, headers: request.headers });
    const [name = ''] = path.split('?');
    const served = this.#files.get(name);
    const fault = this.#faults.get(name)?.shift();
    if (fault !== undefined) fault(response, served?.content ?? Buffer.alloc(0), request);
    else if (served === undefined) response.writeHead(404).end('nothing here');
    else sendFile(request, response, served);
  }
}

function sendFile(request: IncomingMessage, response: ServerResponse, { content, encoding, type }: Served): void {
  const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`;
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  const isTaken = encoding !== undefined && request.headers['accept-encoding']?.includes(encoding);
  const packed = encoding === 'br' ? brotliCompressSync(content) : gzipSync(content);
  const body = isTaken ? packed : content;
  response.writeHead(200, {
    etag,
    'content-type': type ?? 'application/octet-stream',
    'content-length': body.length,
    ...(isTaken ? { 'content-encoding': encoding } : {}),
  });
  response.end(body);
}
