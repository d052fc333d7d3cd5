import { once } from 'node:events';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type Server, type Socket, Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionSettings } from './settings.ts';

/** The largest request head, including the URL. */
const HEAD_BYTES_MAX = 16 * 1024;
/** Interval of Node's timeout checks; its default of 30 s would double most limits. */
const CHECK_MS_MAX = 5_000;

/**
 * A Node server with limits on everything that can be slow or numerous per client; nothing started for a connection
 * outlives it.
 */
export function createHttpServer(handler: RequestListener, settings: ConnectionSettings): HttpServer {
  const { requestTimeoutMs, keepAliveTimeoutMs, pipelinedMax } = settings;
  const headersTimeoutMs = Math.min(settings.headersTimeoutMs, requestTimeoutMs);
  const waiting = new WaitingResponses({ pipelinedMax });
  const unsent = new UnsentResponses();
  const server = createServer(
    {
      // Node would respond to a missing Host itself, without a body.
      requireHostHeader: false,
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(headersTimeoutMs, CHECK_MS_MAX),
    },
    (request, response) => {
      if (!waiting.accept(request, response, { isLast: requestsUpgrade(request) })) return;
      unsent.add(response);
      handler(request, response);
    },
  );
  unsent.registerFor(server);
  // Above this number Node silently drops headers; the head's size and the request checks limit them instead.
  server.maxHeadersCount = 0;
  const slowReaders = new SlowReaders(settings);
  server.on('connection', (socket) => slowReaders.watch(socket));
  server.on('close', () => slowReaders.stop());
  return server;
}

/** Node stops reading requests after an upgrade, although we respond in HTTP (RFC 9110 §7.8). */
function requestsUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection ?? '');
}

export interface SendLimits {
  /** Time in which a client must read {@link sendBytesMin} while a response is pending, in milliseconds. */
  readonly sendTimeoutMs: number;
  /** In bytes. */
  readonly sendBytesMin: number;
}

interface Mark {
  readonly atMs: number;
  readonly bytes: number;
}

/** Reason in the log. */
const TOO_SLOW = 'the client read its responses too slowly';

/**
 * Larger: pages of the feed stay in memory for clients that don't read. Smaller: slow clients that do read are cut off.
 */
const BLOCK_TIMEOUTS_MAX = 4;

/** Larger: slow readers are found later. A check takes a microsecond per connection. */
const CHECK_SENT_MS_MAX = 5_000;

/**
 * Closes connections whose client doesn't read (specification "Connections"), which would hold a response in memory or
 * its file open. A slow client that keeps reading gets the whole response. No time counts while the service has nothing
 * to send.
 * Node reports a block when all of it is sent, so a block gets the time in which it must be read, at most {@link
 * BLOCK_TIMEOUTS_MAX} timeouts (decision 0035).
 */
class SlowReaders {
  readonly #limits: SendLimits;
  readonly #marks = new Map<Socket, Mark | undefined>();
  readonly #timer: NodeJS.Timeout;

  constructor(limits: SendLimits) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#check(), Math.min(limits.sendTimeoutMs / 4, CHECK_SENT_MS_MAX)).unref();
  }

  watch(socket: Socket): void {
    this.#marks.set(socket, undefined);
    socket.once('close', () => this.#marks.delete(socket));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { sendTimeoutMs, sendBytesMin } = this.#limits;
    const atMs = performance.now();
    for (const [socket, mark] of this.#marks) {
      const waiting = socket.writableLength;
      const bytes = socket.bytesWritten - waiting;
      const timeoutMs = sendTimeoutMs * Math.min(Math.max(1, waiting / sendBytesMin), BLOCK_TIMEOUTS_MAX);
      if (waiting === 0) this.#marks.set(socket, undefined);
      else if (mark === undefined || bytes - mark.bytes >= sendBytesMin) this.#marks.set(socket, { atMs, bytes });
      else if (atMs - mark.atMs >= timeoutMs) socket.destroy(new Error(TOO_SLOW));
    }
  }
}

interface Connection {
  /** In the order of their requests. */
  readonly unfinished: Set<ServerResponse>;
  /** Whether no more requests are accepted. */
  isFull: boolean;
}

const CONNECTIONS = new WeakMap<Duplex, Connection>();

/** The connection's first response that isn't fully sent. */
export function findUnsentResponse(socket: Duplex): ServerResponse | undefined {
  return [...(CONNECTIONS.get(socket)?.unfinished ?? [])].find(({ writableFinished }) => !writableFinished);
}

/**
 * Unfinished responses per connection.
 * - Only one is sent at a time; the others wait with their memory, files or queries. Above the limit the connection
 * accepts no more: the last response says `Connection: close`, and later requests get none (RFC 9112 §9.3.2).
 * - When the connection ends, all end. Node closes only the one being sent, and before version 24 left the others'
 * streams open forever.
 */
class WaitingResponses {
  readonly #pipelinedMax: number;

  constructor({ pipelinedMax }: { readonly pipelinedMax: number }) {
    this.#pipelinedMax = pipelinedMax;
  }

  /**
   * False if the request must not be handled.
   * @param isLast no request can follow it
   */
  accept({ socket }: IncomingMessage, response: ServerResponse, { isLast }: { readonly isLast: boolean }): boolean {
    const connection = this.#connectionOf(socket);
    if (connection.isFull) return false;
    const { unfinished } = connection;
    unfinished.add(response);
    response.once('close', () => unfinished.delete(response));
    if (isLast || unfinished.size > this.#pipelinedMax) {
      connection.isFull = true;
      response.shouldKeepAlive = false;
    }
    return true;
  }

  #connectionOf(socket: Socket): Connection {
    const known = CONNECTIONS.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { unfinished: new Set(), isFull: false };
    CONNECTIONS.set(socket, connection);
    socket.once('close', () => {
      for (const response of connection.unfinished) close(response);
    });
    return connection;
  }
}

/** As Node does when a connection ends, so that listeners are notified. */
function close(response: ServerResponse): void {
  if (response.closed) return;
  response.destroyed = true;
  Object.defineProperty(response, 'closed', { value: true });
  response.emit('close');
}

const UNSENT = new WeakMap<Server, UnsentResponses>();

/** Responses that the operating system hasn't fully taken. */
class UnsentResponses {
  readonly #responses = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
  }

  /** Makes {@link finishResponses} wait for these. */
  registerFor(server: Server): void {
    UNSENT.set(server, this);
  }

  async sent(): Promise<void> {
    while (this.#responses.size > 0) await Promise.all([...this.#responses].map((response) => once(response, 'close')));
  }
}

/**
 * Accepts no more connections and resolves once every response is sent or its connection has ended. Node itself counts
 * a response as sent once written, and would cut off slow readers.
 */
export async function finishResponses(server: Server): Promise<void> {
  SocketServer.prototype.close.call(server); // The `close` of an HTTP server would also cut off responses.
  await UNSENT.get(server)?.sent();
}
